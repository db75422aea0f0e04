# One static library per room (src/<name>), with its unit tests beside the source.
#
#   trestle_room(engine ROOMS storage expression LIBRARIES ...)
#
# makes trestle_engine from src/engine/*.cc, engine_test from src/engine/*_test.cc, and with TRESTLE_FUZZ one
# fuzz target per src/engine/*_fuzz.cc. With INSTALL the room is part of the library that find_package(Trestle) finds.

add_library(trestle_flags INTERFACE)
target_compile_options(trestle_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers)
target_include_directories(trestle_flags INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # libstdc++ 12's own stable_sort uses what it has deprecated, and clang says so.
  target_compile_options(trestle_flags INTERFACE -Wthread-safety -Wno-deprecated-declarations)
else()
  # g++ 12 sees these where they are not, in std::string at -O3 (its bugs 105329, 105651, 109703); clang builds all too.
  target_compile_options(trestle_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized
    -Wno-array-bounds)
endif()
if(TRESTLE_SANITIZE)
  target_compile_options(trestle_flags INTERFACE -fsanitize=${TRESTLE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(trestle_flags INTERFACE -fsanitize=${TRESTLE_SANITIZE})
endif()
if(TRESTLE_FUZZ)
  target_compile_options(trestle_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(trestle_room name)
  cmake_parse_arguments(ROOM "INSTALL" "" "ROOMS;LIBRARIES" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  set(target trestle_${name})
  add_library(${target} STATIC ${sources})
  target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <expected> <map> <memory> <optional> <string>
    <string_view> <utility> <variant> <vector> <fmt/format.h>)
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:trestle_flags> ${ROOM_LIBRARIES})
  foreach(room ${ROOM_ROOMS})
    target_link_libraries(${target} PUBLIC trestle_${room})
  endforeach()
  if(ROOM_INSTALL)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/trestle>)
    target_compile_features(${target} PUBLIC cxx_std_23)
    install(TARGETS ${target} EXPORT TrestleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trestle COMPONENT library
      FILES_MATCHING PATTERN "*.h")
  endif()

  if(TRESTLE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${target} GTest::gmock GTest::gtest_main)
    add_test(NAME unit.${name} COMMAND ${name}_test)
  endif()
  if(TRESTLE_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(fuzz_name ${fuzzer} NAME_WE)
      add_executable(${fuzz_name} ${fuzzer})
      target_link_libraries(${fuzz_name} PRIVATE ${target})
      target_link_options(${fuzz_name} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()
