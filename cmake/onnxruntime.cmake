# onnxruntime_headers: what the room that runs models is built with. tools/onnxruntime puts ONNX Runtime at
# third_party/onnxruntime; the build notices when it comes or goes, and does without it.
set(ONNXRUNTIME_FOLDER ${PROJECT_SOURCE_DIR}/third_party/onnxruntime)
file(GLOB onnxruntime_header CONFIGURE_DEPENDS ${ONNXRUNTIME_FOLDER}/include/onnxruntime_c_api.h)

# The sources of the room `runtime` that include its header, and the one that stands in for them.
set(ONNXRUNTIME_SOURCES deadline.cpp library.cpp session.cpp)
set(WITHOUT_ONNXRUNTIME_SOURCE unavailable.cpp)

add_library(onnxruntime_headers INTERFACE)
if(onnxruntime_header)
  target_include_directories(onnxruntime_headers SYSTEM INTERFACE ${ONNXRUNTIME_FOLDER}/include)
  set(unused_runtime_sources ${WITHOUT_ONNXRUNTIME_SOURCE})
else()
  message(STATUS "ONNX Runtime is not in third_party: voxport will not run models")
  set(unused_runtime_sources ${ONNXRUNTIME_SOURCES})
endif()

if(VOXPORT_LOOKS_IN_SOURCES)
  set(onnxruntime_built_with ${ONNXRUNTIME_FOLDER}/lib)
endif()
target_compile_definitions(onnxruntime_headers INTERFACE
  VOXPORT_ONNXRUNTIME_BUILT_WITH="${onnxruntime_built_with}")
