# voxport::voxport is all that users of the library see: the public headers and the rooms behind them.
add_library(voxport_library INTERFACE)
add_library(voxport::voxport ALIAS voxport_library)
set_target_properties(voxport_library PROPERTIES EXPORT_NAME voxport)
target_include_directories(voxport_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(voxport_library INTERFACE voxport_serve voxport_api)
target_compile_features(voxport_library INTERFACE cxx_std_20)

# DT_RPATH and not DT_RUNPATH: it also counts for the libraries that those need, which are taken as they are, and comes
# before what LD_LIBRARY_PATH names. Only the program brings a C++ library: in another process, such as Python's, there
# may be a newer one.
if(VOXPORT_BUNDLE)
  set_target_properties(voxport PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/voxport:$ORIGIN/../lib/voxport/gcc")
  set_target_properties(voxport_shared PROPERTIES INSTALL_RPATH "$ORIGIN/voxport")
  set_target_properties(voxport_piper PROPERTIES INSTALL_RPATH "$ORIGIN/..:$ORIGIN")
  set_target_properties(voxport_onnx_plugin PROPERTIES INSTALL_RPATH "$ORIGIN")
  foreach(target voxport voxport_shared voxport_piper voxport_onnx_plugin)
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
endif()

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/voxport)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/voxport-config.cmake.in
  ${PROJECT_BINARY_DIR}/voxport-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/voxport-config-version.cmake
  COMPATIBILITY SameMinorVersion)

# Components are what may be installed without the rest: `program`; `library`, what programs in C, C++ and Python load;
# `development`, what they are built with; `python`.
install(TARGETS voxport RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS voxport_library ${VOXPORT_ROOMS} EXPORT voxport-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/voxport COMPONENT development)
install(TARGETS voxport_shared EXPORT voxport-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
# In a folder of its own, for Piper's library has the same name.
install(TARGETS voxport_piper voxport_onnx_plugin
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/voxport COMPONENT library)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name voxport voxport-piper)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endforeach()
# Where the installed program and libvoxport.so.0 look for it: one file, under the name that they try first.
file(GLOB onnxruntime_libraries CONFIGURE_DEPENDS ${ONNXRUNTIME_FOLDER}/lib/libonnxruntime.so*)
if(onnxruntime_libraries)
  list(GET onnxruntime_libraries 0 onnxruntime_library)
  file(REAL_PATH ${onnxruntime_library} onnxruntime_library)
  install(FILES ${onnxruntime_library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/voxport RENAME libonnxruntime.so.1
    COMPONENT library)
endif()
install(EXPORT voxport-targets NAMESPACE voxport:: DESTINATION ${package_dir} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/voxport ${PROJECT_BINARY_DIR}/include/voxport
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/voxport-config.cmake
  ${PROJECT_BINARY_DIR}/voxport-config-version.cmake DESTINATION ${package_dir} COMPONENT development)
# Where Debian's Python finds it if the prefix is /usr.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/voxport DESTINATION lib/python3/dist-packages COMPONENT python
  PATTERN __pycache__ EXCLUDE)
