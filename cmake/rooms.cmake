# One static library per room (src/<name>), with its unit tests next to the source.
#
#   trestle_room(engine ROOMS storage expression USES vector LIBRARIES ...)
#
# builds trestle_engine from the .cc files of src/engine and its folders, engine_test from *_test.cc, and with TRESTLE_FUZZ one
# fuzz target per *_fuzz.cc. TEST_ROOMS are linked only by the unit tests. INSTALL adds the room to the library of find_package(Trestle).
# With COLD the Release build optimises the room less, because little of it runs once per request.
#
# Most builds compile a room's files in batches (CMAKE_UNITY_BUILD, set by the presets): see
# docs/hacking.md.

add_library(trestle_flags INTERFACE)
target_compile_options(trestle_flags INTERFACE -Wall -Wextra -Wpedantic -Werror -Wnon-virtual-dtor
  -Wno-missing-field-initializers)
if(NOT CMAKE_UNITY_BUILD)
  # In a batch a local may have the name of another file's constant.
  target_compile_options(trestle_flags INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # libstdc++ 12's stable_sort uses a deprecated function, about which clang warns.
  target_compile_options(trestle_flags INTERFACE -Wthread-safety -Wno-deprecated-declarations)
  # ccache recognises an unchanged precompiled header only if it contains no timestamps.
  target_compile_options(trestle_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
else()
  # False positives of g++ 12, in std::string at -O3 (its bugs 105329, 105651, 109703); clang also builds everything.
  target_compile_options(trestle_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized
    -Wno-array-bounds)
endif()
if(TRESTLE_SANITIZE)
  target_compile_options(trestle_flags INTERFACE -fsanitize=${TRESTLE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(trestle_flags INTERFACE -fsanitize=${TRESTLE_SANITIZE})
  target_compile_definitions(trestle_flags INTERFACE TRESTLE_CHECKED)  # base/lock_rank.h, base/test_point.h
endif()
if(TRESTLE_FUZZ)
  target_compile_options(trestle_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The most expensive third-party headers, compiled once for all rooms, and once for all tests, which use -O0 because
# gtest's macros are slow to optimise and gain nothing from it. None of our headers is among them, so that changing one
# recompiles only the files that include it. The owning targets are created on first use:
#
#   precompiled   precompiled_json   precompiled_test   precompiled_json_test
function(trestle_precompile target)
  cmake_parse_arguments(WITH "JSON;TEST;COLD" "" "" ${ARGN})
  set(owner precompiled)
  set(headers <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <expected> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)
  set(libraries trestle_flags fmt::fmt)
  if(WITH_JSON)
    string(APPEND owner _json)
    list(APPEND headers <simdjson.h>)
    list(APPEND libraries simdjson::simdjson)
  endif()
  if(WITH_TEST)
    string(APPEND owner _test)
    list(APPEND headers <gtest/gtest.h>)
    list(APPEND libraries GTest::gtest)
    target_compile_options(${target} PRIVATE -O0)
  elseif(WITH_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(NOT TARGET ${owner})
    set(source ${CMAKE_BINARY_DIR}/${owner}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Only its precompiled header is of use.\n")
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${owner} PRIVATE ${libraries})
    target_precompile_headers(${owner} PRIVATE ${headers})
    if(WITH_TEST)
      target_compile_options(${owner} PRIVATE -O0)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# Headers that only tests include, some of which include gtest. They are not installed.
set(TRESTLE_TEST_HEADERS *_for_test.h quiet_engine.h)

function(trestle_room name)
  cmake_parse_arguments(ROOM "INSTALL;COLD" "" "ROOMS;USES;LIBRARIES;TEST_ROOMS" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  set(include ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${folder} ${include}/${name} SYMBOLIC)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  set(target trestle_${name})
  add_library(${target} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY TRESTLE_ROOMS ${target})  # for cmake/dist.cmake
  set(json)
  if("simdjson::simdjson" IN_LIST ROOM_LIBRARIES)
    set(json JSON)
  endif()
  set(cold)
  if(ROOM_COLD)
    set(cold COLD)
  endif()
  trestle_precompile(${target} ${json} ${cold})
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:trestle_flags> ${ROOM_LIBRARIES})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include}>)
  list(TRANSFORM ROOM_ROOMS PREPEND trestle_)
  list(TRANSFORM ROOM_USES PREPEND trestle_)
  target_link_libraries(${target} PUBLIC ${ROOM_ROOMS} PRIVATE ${ROOM_USES})
  if(ROOM_INSTALL)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/trestle>)
    target_compile_features(${target} PUBLIC cxx_std_23)
    install(TARGETS ${target} EXPORT TrestleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    set(excluded)
    foreach(header ${TRESTLE_TEST_HEADERS})
      list(APPEND excluded PATTERN ${header} EXCLUDE)
    endforeach()
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trestle COMPONENT library
      FILES_MATCHING PATTERN "*.h" ${excluded})
  endif()

  if(TRESTLE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${target} ${ROOM_USES} GTest::gmock GTest::gtest_main)
    trestle_precompile(${name}_test TEST ${json})
    target_compile_definitions(${name}_test PRIVATE TRESTLE_SOURCE_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
    foreach(room ${ROOM_TEST_ROOMS})
      target_link_libraries(${name}_test PRIVATE trestle_${room})
    endforeach()
    add_test(NAME unit.${name} COMMAND ${name}_test)
  endif()
  if(TRESTLE_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(fuzz_name ${fuzzer} NAME_WE)
      add_executable(${fuzz_name} ${fuzzer})
      target_link_libraries(${fuzz_name} PRIVATE ${target} ${ROOM_USES})
      target_link_options(${fuzz_name} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# The console's built files (console/dist) as a source of the console room. Building them needs Node; embedding does not.
function(trestle_embed_console)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/console/dist)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_files.cmake)
  set(source ${CMAKE_BINARY_DIR}/console_assets.cc)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${source} -P ${script}
    DEPENDS ${files} ${script} VERBATIM)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(trestle_console PRIVATE ${source})
endfunction()
