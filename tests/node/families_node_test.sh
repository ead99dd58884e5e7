#!/usr/bin/env bash
# families_node_test.sh BUILD_ROOT VOXPORT FAMILIES: does onnxruntime-node compute what the authors of each family's
# voices do? FAMILIES is the folder of voices with their recorded cases.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
source "$here/package.sh"
build=$1 voxport=$2 families=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need_package "$build" onnxruntime-node@1.30.0
for cases in "$families"/*/*.cases.safetensors; do
  voice=${cases%.cases.safetensors}
  [[ -e $voice ]] || voice=$voice.onnx
  "$voxport" export "$voice" "$work/voice" --no-check --quiet
  node "$here/run_cases.js" "$work/voice" "$cases"
done
