# hide_symbols(TARGET MAP): a shared library shows the symbols that the version script MAP names, and no others.
function(hide_symbols target map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
endfunction()
