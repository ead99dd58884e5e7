#include <stdio.h>

#include <voxport/voxport.h>

// Inspects the first file, checks the second, and prints what the reports come to.
int main(int argc, char **argv) {
  voxport_error *error = NULL;
  voxport_report *inspected = NULL;
  voxport_report *checked = NULL;
  if (argc == 3 && voxport_inspect(argv[1], NULL, &inspected, &error) == VOXPORT_OK &&
      voxport_check(argv[2], NULL, &checked, &error) == VOXPORT_OK)
    printf("%s: %d, %s\n", voxport_version(), voxport_report_code(checked),
           voxport_report_json(inspected)[0] == '{' ? "a report" : "no report");
  const int code = voxport_error_code(error);
  if (error) printf("error: %s\n", voxport_error_text(error));
  voxport_error_free(error);
  voxport_report_free(inspected);
  voxport_report_free(checked);
  return code;
}
