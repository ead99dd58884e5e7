#!/usr/bin/env bash
# sherpa_onnx_node_test.sh BUILD_ROOT VOXPORT CHECKPOINT: does sherpa-onnx speak what we export for it? That is
# voice.onnx, which carries its metadata, and tokens.txt. EXPORTED names a folder that is there already.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
source "$here/package.sh"
build=$1 voxport=$2 checkpoint=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What espeak-ng speaks by; Debian's espeak-ng-data.
find_espeak_data() {
  local folder
  for folder in /usr/lib/*/espeak-ng-data /usr/{share,lib}/espeak-ng-data /usr/local/share/espeak-ng-data; do
    if [[ -e $folder/phontab ]]; then echo "$folder"; return; fi
  done
}

case $(uname -m) in
  x86_64) platform=linux-x64 ;;
  aarch64) platform=linux-arm64 ;;
  *) skip "sherpa-onnx-node has no build for $(uname -m)" ;;
esac
espeak_data=$(find_espeak_data)
[[ -n $espeak_data ]] || skip "there is no espeak-ng-data here"
if [[ -z ${EXPORTED-} ]]; then
  EXPORTED=$work
  export_voice "$voxport" "$checkpoint" "$work/voice.onnx" --for sherpa
fi
need_package "$build" sherpa-onnx-node@1.13.8
LD_LIBRARY_PATH=$NODE_PATH/sherpa-onnx-$platform node "$here/speak_with_sherpa.js" "$EXPORTED" "$espeak_data"
