#include <voxport/version.h>
#include <voxport/voxport.h>

const char* voxport_version() { return voxport::kVersion; }
