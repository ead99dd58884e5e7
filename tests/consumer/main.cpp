#include <iostream>

#include <voxport/exit_code.h>
#include <voxport/inspect.h>
#include <voxport/scan.h>
#include <voxport/version.h>

int main(int, char** argv) {
  try {
    const voxport::Inspection inspection = voxport::inspect(argv[1]);
    const voxport::ScanReport report = voxport::scan(argv[1]);
    std::cout << voxport::kVersion << ": " << inspection.architecture << ", "
              << inspection.tensors.size() << " tensors, " << voxport::to_string(report.verdict)
              << "\n";
  } catch (const voxport::Error& error) {
    std::cout << "error: " << error.what() << "\n";
    return voxport::exit_code_of(error);
  }
}
