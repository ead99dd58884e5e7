# Manual pages and completions: voxport_pages prints what the command line declares, with the texts of docs/cli.md.
set(PAGES_FOLDER ${PROJECT_BINARY_DIR}/pages)
set(MANUAL_PAGES "")
foreach(name voxport voxport-export voxport-check voxport-speak voxport-serve voxport-bench voxport-inspect)
  list(APPEND MANUAL_PAGES ${PAGES_FOLDER}/${name}.1)
endforeach()
set(COMPLETIONS ${PAGES_FOLDER}/voxport.bash ${PAGES_FOLDER}/_voxport ${PAGES_FOLDER}/voxport.fish)

file(GLOB pages_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/pages/*.cpp)
cli_program(voxport_pages ${pages_sources})
add_custom_command(OUTPUT ${MANUAL_PAGES} ${COMPLETIONS}
  COMMAND voxport_pages ${PROJECT_SOURCE_DIR}/docs/cli.md ${PAGES_FOLDER}
  DEPENDS voxport_pages ${PROJECT_SOURCE_DIR}/docs/cli.md VERBATIM)
# Without the time and the name of the file, so that the same sources give the same bytes.
list(TRANSFORM MANUAL_PAGES APPEND .gz OUTPUT_VARIABLE COMPRESSED_PAGES)
find_program(GZIP_PROGRAM gzip REQUIRED)
add_custom_command(OUTPUT ${COMPRESSED_PAGES} COMMAND ${GZIP_PROGRAM} -9nfk ${MANUAL_PAGES}
  DEPENDS ${MANUAL_PAGES} VERBATIM)
add_custom_target(pages ALL DEPENDS ${COMPRESSED_PAGES} ${COMPLETIONS})

install(FILES ${COMPRESSED_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
# Where each shell looks for what packages install; below another prefix than /usr, zsh and fish have to be told.
install(FILES ${PAGES_FOLDER}/voxport.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME voxport COMPONENT program)
install(FILES ${PAGES_FOLDER}/_voxport DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${PAGES_FOLDER}/voxport.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT program)
