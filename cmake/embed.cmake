# embed(OUTPUT FUNCTION FILE...): a source with the bytes of the files, which that function of src/web/files.h returns.
# As a script: cmake -DOUTPUT=... -DFUNCTION=... -DFILES=... -P embed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  set(arrays "")
  set(rows "")
  set(number 0)
  foreach(file ${FILES})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    get_filename_component(name ${file} NAME)
    string(APPEND arrays "constexpr char kBytes${number}[] = {${bytes}};\n")
    string(APPEND rows "    {\"${name}\", {kBytes${number}, sizeof kBytes${number}}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${OUTPUT}
"#include \"web/files.h\"

namespace voxport {
namespace {

${arrays}
constexpr WebFile kFiles[] = {
${rows}};

}  // namespace

std::span<const WebFile> ${FUNCTION}() { return kFiles; }

}  // namespace voxport
")
  return()
endif()

set(EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(embed output function)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} "-DFILES=${ARGN}" -P ${EMBED_SCRIPT}
    DEPENDS ${ARGN} ${EMBED_SCRIPT} VERBATIM)
endfunction()
