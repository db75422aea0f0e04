# find_package(Trestle): the database as a library. Link Trestle::engine.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL)
find_dependency(fmt)
include(${CMAKE_CURRENT_LIST_DIR}/TrestleTargets.cmake)
