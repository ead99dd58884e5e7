# Debian packages, by CPack: `make package`, described in docs/packages.md. What only packages install is left out of
# `cmake --install` (EXCLUDE_FROM_ALL).

# Packages depend on the libraries of the release that they are built on, and so they have its name: 0.1.0-1+deb12.
file(READ /etc/os-release os_release)
string(REGEX MATCH "\nID=\"?([a-z]+)" found "\n${os_release}")
set(release_name ${CMAKE_MATCH_1})
string(REGEX MATCH "\nVERSION_ID=\"?([0-9.]+)" found "\n${os_release}")  # Debian's unstable has none
string(REPLACE debian deb release ${release_name}${CMAKE_MATCH_1})
set(package_version ${PROJECT_VERSION}-1+${release})

# Debian's variables for who makes packages.
set(maintainer_name "the authors of voxport")
set(maintainer_address voxport@localhost)
if(DEFINED ENV{DEBFULLNAME})
  set(maintainer_name "$ENV{DEBFULLNAME}")
endif()
if(DEFINED ENV{DEBEMAIL})
  set(maintainer_address "$ENV{DEBEMAIL}")
endif()
set(maintainer "${maintainer_name} <${maintainer_address}>")

set(package_folder ${PROJECT_BINARY_DIR}/package)
set(package_program voxport)
set(package_library libvoxport0)
set(package_development libvoxport-dev)
set(package_python python3-voxport)
set(components program library development python)

# gzip without the time and the name of the file, so that the same sources give the same package.
function(compress from to)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${from} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The time is SOURCE_DATE_EPOCH, where that is set.
string(TIMESTAMP package_time "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${package_folder}/changelog.Debian CONTENT
"voxport (${package_version}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}: changelog.gz beside this file has what is new.

 -- ${maintainer}  ${package_time}
")
compress(${package_folder}/changelog.Debian ${package_folder}/changelog.Debian.gz)
compress(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${package_folder}/changelog.gz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  CHANGELOG.md packaging/voxport.service packaging/voxport.default)

foreach(component ${components})
  set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${package_folder}/changelog.Debian.gz
    ${package_folder}/changelog.gz DESTINATION ${doc_folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
  file(READ ${PROJECT_SOURCE_DIR}/packaging/lintian-overrides overrides)
  if(EXISTS ${PROJECT_SOURCE_DIR}/packaging/${package_${component}}.lintian-overrides)
    file(READ ${PROJECT_SOURCE_DIR}/packaging/${package_${component}}.lintian-overrides own_overrides)
    string(APPEND overrides "${own_overrides}")
  endif()
  file(CONFIGURE OUTPUT ${package_folder}/overrides/${package_${component}} CONTENT "${overrides}" @ONLY)
  install(FILES ${package_folder}/overrides/${package_${component}}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

# Documentation keeps its layout, so that its links and those of the manual pages lead somewhere.
set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/voxport)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${doc_folder} COMPONENT program EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${doc_folder} COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/haproxy.cfg ${PROJECT_SOURCE_DIR}/packaging/kubernetes.yaml
  DESTINATION ${doc_folder}/examples COMPONENT program EXCLUDE_FROM_ALL)

file(READ ${PROJECT_SOURCE_DIR}/packaging/voxport.service unit)
string(REPLACE /usr/local/bin /usr/bin unit "${unit}")
file(CONFIGURE OUTPUT ${package_folder}/voxport.service CONTENT "${unit}" @ONLY)
install(FILES ${package_folder}/voxport.service DESTINATION lib/systemd/system
  COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/voxport.default DESTINATION /etc/default RENAME voxport
  COMPONENT program EXCLUDE_FROM_ALL)

# control_files(VARIABLE PACKAGE file...): those files of a package's control archive, and the scripts that it has in
# packaging/.
function(control_files variable package)
  set(files ${ARGN})
  foreach(script postinst prerm postrm)
    if(EXISTS ${PROJECT_SOURCE_DIR}/packaging/${package}.${script})
      configure_file(${PROJECT_SOURCE_DIR}/packaging/${package}.${script} ${package_folder}/${package}/${script} COPYONLY)
      list(APPEND files ${package_folder}/${package}/${script})
    endif()
  endforeach()
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()
file(WRITE ${package_folder}/conffiles "/etc/default/voxport\n")
configure_file(${PROJECT_SOURCE_DIR}/packaging/libvoxport0.symbols ${package_folder}/symbols COPYONLY)
file(WRITE ${package_folder}/shlibs "libvoxport 0 libvoxport0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${package_folder}/triggers "activate-noawait ldconfig\n")

# codec_packages(VARIABLE): the packages that have the libraries which the program loads when it is asked for a format.
function(codec_packages variable)
  set(names "")
  foreach(codec FLAC opusenc mp3lame)
    file(REAL_PATH ${${codec}_LIBRARY} file)
    execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE found ERROR_QUIET)
    if(found MATCHES "^([^:,]+)[:,]")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN names ", " names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()
codec_packages(codecs)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME voxport)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1+${release})
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SOURCE voxport)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(about_voxport
"voxport converts trained PyTorch speech models (VITS voices, FastSpeech2 with
HiFi-GAN, programs of torch.export and TorchScript) to ONNX with dynamic axes,
proves that the axes of any ONNX model are dynamic, and speaks with what it
exported.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ${package_program})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION sound)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libvoxport0 (= ${package_version})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "espeak-ng, ${codecs}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "alsa-utils | pulseaudio-utils")
control_files(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA voxport ${package_folder}/conffiles)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "PyTorch speech models to ONNX, without Python
${about_voxport}
.
This package has the program, its manual pages, completions for shells, and
the service of systemd that serves voices.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${package_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS espeak-ng)
control_files(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA libvoxport0
  ${package_folder}/symbols ${package_folder}/shlibs ${package_folder}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "voxport as a library, with ONNX Runtime
${about_voxport}
.
This package has the library with the C interface, the library with the
interface of Piper's, and the build of ONNX Runtime that voxport runs models
with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${package_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What the static libraries need to be linked.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
"libvoxport0 (= ${package_version}), zlib1g-dev, nettle-dev, libonnx-dev, libprotobuf-dev, libutf8proc-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "headers and static libraries of voxport
${about_voxport}
.
This package has what programs in C and C++ are built with: headers, the
static libraries behind those for C++, and what CMake and pkg-config find them
by.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME ${package_python})
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
control_files(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA python3-voxport)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any, libvoxport0 (= ${package_version})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-torch)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "voxport as a module of Python
${about_voxport}
.
This package has the module voxport, which needs neither NumPy nor PyTorch,
but takes and gives their arrays and tensors.")

include(CPack)
