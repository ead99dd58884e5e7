#!/usr/bin/env bash
# The set-up scripts: what they report here, what they say where there is no apt, and what they must not name.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
expect() {  # expect WHAT COMMAND...
  if "${@:2}"; then echo "ok       $1"; else echo "FAILED   $1"; failures=$((failures + 1)); fi
}

# Add programs to a machine that has no others.
add_programs() {
  local program
  mkdir -p "$scratch/bin"
  for program in "$@"; do ln -s "$(command -v "$program")" "$scratch/bin/$program"; done
}
setup_there() { CXX=c++ PATH=$scratch/bin "$scratch/bin/bash" tools/setup "$@"; }

says_all_is_installed() {
  local answer
  answer=$(tools/setup --check build) && [[ $answer == *"packages are installed" || $answer == *"everything is there" ]]
}
expect "the build's packages are found installed" says_all_is_installed

lists_what_to_install() {
  local answer status=0
  answer=$(setup_there build 2>&1) || status=$?
  [[ $status == 1 && $answer == *"Please install"*"C++20 compiler"*CMake*Ninja*zlib*GoogleTest* ]]
}
add_programs bash env cat
expect "without apt, what to install is listed and the status is 1" lists_what_to_install

add_programs cmake ninja c++
expect "without apt, but with all that is needed, there is nothing to do" setup_there --check build

refuses_an_unknown_set() { ! tools/setup --check nonsense 2>/dev/null; }
expect "an unknown set is refused" refuses_an_unknown_set

# Where packages come from is the machine's to say. Its hosts are asked for, not listed here.
names_no_url() { ! grep -nE 'https?:''//' Makefile tools/setup tools/onnxruntime .ci/*; }
expect "the set-up names no address" names_no_url

names_no_host() {
  local host hosts
  hosts=$({ npm config get registry; apt-get indextargets --format '$(SITE)'; } 2>/dev/null | sed -nE 's,^[a-z+]*://([^/]*@)?([^/:]+).*,\2,p' | sort -u)
  for host in $hosts; do
    if [[ $host == *.* ]] && grep -rIlF --exclude-dir={.git,build,third_party} -e "$host" .; then return 1; fi
  done
}
expect "no file names a host that packages come from" names_no_host

exports_the_entry() { [[ $(nm -D --defined-only "$1") == *" OrtGetApiBase"* ]]; }
libraries=(third_party/onnxruntime/lib/libonnxruntime.so*)
if [[ -e ${libraries[0]} ]]; then
  expect "ONNX Runtime can be entered" exports_the_entry "${libraries[0]}"
else
  echo "skipped  ONNX Runtime can be entered: it is not here"
fi

exit $((failures > 0))
