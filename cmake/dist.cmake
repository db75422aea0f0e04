# The self-contained program: the Release build's archives linked again, with every library but glibc inside
# (docs/decisions/0027). tools/dist.sh requests it and downloads the sources first.
#
# Debian ships archives of all libraries but three. Those are compiled here from Debian's source packages, in the versions
# whose headers the Release build was compiled with.
set(TRESTLE_DIST_SOURCES "" CACHE PATH "Folder of the sources that tools/dist.sh downloads; empty: no trestle_dist")
if(TRESTLE_DIST_SOURCES STREQUAL "" OR NOT EXISTS ${TRESTLE_DIST_SOURCES}/complete)
  return()
endif()

add_library(dist_libraries STATIC EXCLUDE_FROM_ALL
  ${TRESTLE_DIST_SOURCES}/fmtlib/src/format.cc
  ${TRESTLE_DIST_SOURCES}/fmtlib/src/os.cc
  ${TRESTLE_DIST_SOURCES}/simdjson/singleheader/simdjson.cpp
  ${TRESTLE_DIST_SOURCES}/howardhinnant-date/src/tz.cpp
  ${PROJECT_SOURCE_DIR}/cmake/dist_glibc.cc)
set_target_properties(dist_libraries PROPERTIES UNITY_BUILD OFF CXX_STANDARD 17)
target_include_directories(dist_libraries PRIVATE ${TRESTLE_DIST_SOURCES}/simdjson/singleheader)
target_compile_definitions(dist_libraries PRIVATE SIMDJSON_THREADS_ENABLED=1 USE_OS_TZDB=1 HAS_REMOTE_API=0 ONLY_C_LOCALE=1
  HAS_STRING_VIEW=1)
target_compile_options(dist_libraries PRIVATE -w)

get_property(rooms GLOBAL PROPERTY TRESTLE_ROOMS)
add_executable(trestle_dist EXCLUDE_FROM_ALL src/trestle.cc)
target_include_directories(trestle_dist PRIVATE ${CMAKE_BINARY_DIR}/include/cli)
target_link_options(trestle_dist PRIVATE -static-libstdc++ -static-libgcc -pie -Wl,-z,relro -Wl,-z,now -Wl,--gc-sections)
add_dependencies(trestle_dist ${rooms})
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
set_target_properties(trestle_dist PROPERTIES LINK_DEPENDS "${archives}")
# The allocator is first, so that every malloc resolves to it.
target_link_libraries(trestle_dist PRIVATE -Wl,--start-group ${archives} dist_libraries
  -Wl,-Bstatic jemalloc_pic rocksdb snappy lz4 bz2 zstd z deflate gflags xxhash http_parser -lyaml-cpp ssl crypto -Wl,-Bdynamic
  -Wl,--end-group Threads::Threads m)
