# Writes a C++ source that holds files as byte arrays, each compressed with gzip (which every Debian has).
#
#   cmake -DFOLDER=console/dist -DOUTPUT=assets.cc -P embed_files.cmake
#
# The source defines trestle::console::embedded_files() (src/console/assets.h).
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
set(arrays "")
set(rows "")
set(number 0)
foreach(name ${files})
  execute_process(COMMAND gzip -9nc ${FOLDER}/${name} OUTPUT_FILE ${OUTPUT}.gz COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${OUTPUT}.gz hex HEX)
  file(REMOVE ${OUTPUT}.gz)
  file(SHA256 ${FOLDER}/${name} digest)
  string(SUBSTRING ${digest} 0 32 digest)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}}, \"\\\"${digest}\\\"\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated from ${FOLDER}.
#include \"console/assets.h\"

namespace trestle::console {
namespace {
${arrays}
const EmbeddedFile kEmbeddedFiles[] = {
${rows}};
}  // namespace

std::span<const EmbeddedFile> embedded_files() { return kEmbeddedFiles; }
}  // namespace trestle::console
")
