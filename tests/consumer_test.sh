#!/usr/bin/env bash
# consumer_test.sh BUILD_FOLDER SOURCE_FOLDER VERSION: installs what was built, and builds a project of
# a stranger against it.
set -euo pipefail
build=$1 source=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake -G Ninja -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

said=$("$work/build/consumer" "$source/tests/data/voices/single.ckpt")
expected="$version: vits, 606 tensors, clean"
[[ $said == "$expected" ]] || { echo "the consumer said '$said', expected '$expected'"; exit 1; }
[[ $("$work/prefix/bin/voxport" --version) == "voxport $version" ]]
code=0; "$work/build/consumer" /nonexistent >"$work/log" || code=$?
[[ $code == 3 ]] || { echo "a missing file ended with $code, expected 3"; exit 1; }
echo "the installed package builds a consumer"
