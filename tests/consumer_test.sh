#!/usr/bin/env bash
# consumer_test.sh BUILD_FOLDER SOURCE_FOLDER VERSION: installs what was built, and builds a project of
# a stranger against it.
# consumer_test.sh --installed PREFIX SOURCE_FOLDER VERSION: the same with what is installed, as packages are below /usr.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $1 == --installed ]]; then
  prefix=$2 source=$3 version=$4
else
  prefix=$work/prefix source=$2 version=$3
  cmake --install "$1" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
fi
for libraries in "$prefix/lib/$(cc -print-multiarch)" "$prefix/lib"; do
  if [[ -e $libraries/libvoxport.so ]]; then break; fi
done
cmake -G Ninja -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

said=$("$work/build/consumer" "$source/tests/data/voices/single.ckpt")
expected="$version: vits, 606 tensors, clean"
[[ $said == "$expected" ]] || { echo "the consumer said '$said', expected '$expected'"; exit 1; }
[[ $("$prefix/bin/voxport" --version) == "voxport $version" ]]
code=0; "$work/build/consumer" /nonexistent >"$work/log" || code=$?
[[ $code == 3 ]] || { echo "a missing file ended with $code, expected 3"; exit 1; }

# Found by its name alone, from anywhere, the program takes the ONNX Runtime that was installed with it.
if [[ -e $libraries/voxport/libonnxruntime.so.1 ]]; then
  (cd / && PATH=$prefix/bin:$PATH LD_DEBUG=files voxport check --quick "$source/tests/data/onnx/full.onnx") >"$work/log" 2>&1
  grep -q "calling init: $libraries/voxport/libonnxruntime.so.1" "$work/log" ||
    { echo "the program runs with another ONNX Runtime than the installed one"; exit 1; }
fi

# In C: through CMake, as above, and through pkg-config. Where there is no ONNX Runtime, the check says so.
programs=("$work/build/c_consumer")
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$libraries/pkgconfig
  cc -std=c11 "$source/tests/consumer/main.c" -o "$work/by_pkg_config" $(pkg-config --cflags --libs voxport)
  programs+=("$work/by_pkg_config")
  # A program that was written for Piper finds its library, and that one ours, wherever it is started.
  cc -std=c11 "$source/tests/piper/program.c" -o "$work/by_piper" $(pkg-config --libs voxport-piper)
  code=0; "$work/by_piper" /nonexistent '' text || code=$?
  [[ $code == 3 ]] || { echo "a program for Piper ended with $code, expected 3"; exit 1; }
  # Its header is C.
  echo '#include <piper.h>' | cc -std=c11 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags voxport-piper) \
    -fsyntax-only -x c -
fi
# Below /usr the loader finds it by itself.
library=libvoxport.so.0
if [[ $prefix != /usr ]]; then
  export LD_LIBRARY_PATH=$libraries
  library=$libraries/$library
fi
for program in "${programs[@]}"; do
  said=$("$program" "$source/tests/data/voices/single.ckpt" "$source/tests/data/onnx/full.onnx") || true
  [[ $said == "$version: 0, a report" || $said == "error: "*"ONNX Runtime"* ]] ||
    { echo "the consumer in C said '$said'"; exit 1; }
  code=0; "$program" /nonexistent /nonexistent >"$work/log" || code=$?
  [[ $code == 3 ]] || { echo "a missing file ended with $code in C, expected 3"; exit 1; }
done
# In Python, whose module finds the library that was installed with it.
if [[ -x /usr/bin/python3 ]]; then
  said=$(env -u LD_LIBRARY_PATH -u VOXPORT_LIBRARY PYTHONPATH="$prefix/lib/python3/dist-packages" \
    /usr/bin/python3 -c 'import voxport; print(voxport.version(), voxport._library.library()._name)')
  [[ $said == "$version $library" ]] || { echo "the module in Python said '$said'"; exit 1; }
fi
[[ $(readelf -d "$libraries/libvoxport.so" | grep -c 'SONAME.*\[libvoxport.so.0\]') == 1 ]]
echo "the installed package builds consumers in C++ and C, and speaks to Python"
