# add_room(NAME [HOT] [ROOMS room...] [LIBRARIES lib...] [HEADERS_OF lib...] [WITHOUT file...] [PRECOMPILE header...])
# makes the static library voxport_NAME of src/NAME/**.cpp, which may include the rooms it names.
# HOT: it goes through every weight or every node, so that a release optimises it for speed.
# PRECOMPILE: headers of src that nearly all of its sources include, which are parsed once for the room.

# They are errors where CMAKE_COMPILE_WARNING_AS_ERROR says so (`make test WERROR=ON`): another compiler may warn of
# what is not so, and whoever builds voxport with it is to have a program.
add_library(voxport_warnings INTERFACE)
target_compile_options(voxport_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wnull-dereference
  # g++ 12's optimiser sees overlaps, overflows and uninitialised values inside of the standard library where there are none
  # (GCC bugs 105329, 105651, 105562); Clang and the sanitizers look for real ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict$<SEMICOLON>-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow$<SEMICOLON>-Wno-stringop-overread$<SEMICOLON>-Wno-maybe-uninitialized$<SEMICOLON>-Wno-null-dereference>)

# AddressSanitizer reports null pointers as well, where they are followed; a check before each takes a seventh of the time
# to compile.
if(VOXPORT_SANITIZE)
  add_compile_options(-fsanitize=${VOXPORT_SANITIZE} -fno-sanitize=null -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${VOXPORT_SANITIZE})
endif()

# What most sources include, parsed once: half of the time that compiling takes. Nothing of our own is in what all rooms
# share, so that it never changes. Each source still includes what it uses; `make lint` compiles without.
set(PRECOMPILED_HEADERS
  <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map> <memory>
  <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# add_precompiled(NAME header...): those headers, and the ones above, for whatever says REUSE_FROM NAME. It is a library of
# its own, for whoever takes headers from a room builds that room.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "// Its headers are what counts.\n")
function(add_precompiled name)
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
  target_link_libraries(${name} PRIVATE voxport_warnings)
  target_precompile_headers(${name} PRIVATE ${PRECOMPILED_HEADERS} ${ARGN})
endfunction()

# What decides a few things per model takes no time that can be measured, and less than two thirds as long to compile.
set(QUICK_TO_COMPILE $<$<CONFIG:Release>:-Og>)

# Where CMAKE_UNITY_BUILD says so, as in the presets of `make`, a dozen sources of a room are compiled as one: less than
# half of the time. So a name in an anonymous namespace is taken for its whole room, which `make lint` compiles as one.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12 CACHE STRING "sources of a room that are compiled as one; 0: all of them")

add_precompiled(voxport_headers)
target_compile_options(voxport_headers PRIVATE ${QUICK_TO_COMPILE})
add_precompiled(voxport_hot_headers)

set(VOXPORT_ROOMS "")

function(add_room name)
  cmake_parse_arguments(ROOM "HOT" "" "ROOMS;LIBRARIES;HEADERS_OF;WITHOUT;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(TRANSFORM ROOM_WITHOUT PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  list(REMOVE_ITEM sources ${ROOM_WITHOUT})
  add_library(voxport_${name} STATIC ${sources})
  add_library(voxport::${name} ALIAS voxport_${name})
  set_target_properties(voxport_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(voxport_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_link_libraries(voxport_${name} PRIVATE $<BUILD_INTERFACE:voxport_warnings>)
  if(NOT ROOM_HOT)
    target_compile_options(voxport_${name} PRIVATE ${QUICK_TO_COMPILE})
  endif()
  list(TRANSFORM ROOM_PRECOMPILE PREPEND ${PROJECT_SOURCE_DIR}/src/)
  # Rooms that are compiled alike share theirs.
  if(ROOM_PRECOMPILE)
    target_precompile_headers(voxport_${name} PRIVATE ${PRECOMPILED_HEADERS} ${ROOM_PRECOMPILE})
  elseif(ROOM_HOT)
    target_precompile_headers(voxport_${name} REUSE_FROM voxport_hot_headers)
  else()
    target_precompile_headers(voxport_${name} REUSE_FROM voxport_headers)
  endif()
  foreach(room ${ROOM_ROOMS})
    target_link_libraries(voxport_${name} PUBLIC voxport_${room})
  endforeach()
  target_link_libraries(voxport_${name} PRIVATE ${ROOM_LIBRARIES})
  # Header-only libraries leave nothing behind for those who link to us.
  foreach(library ${ROOM_HEADERS_OF})
    target_link_libraries(voxport_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set(VOXPORT_ROOMS ${VOXPORT_ROOMS} voxport_${name} PARENT_SCOPE)
endfunction()
