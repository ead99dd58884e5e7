#!/usr/bin/env bash
# serve_page_test.sh BUILD_FOLDER VOXPORT VOICE: a browser opens the page of `voxport serve` and speaks.
# SCREENSHOTS=FOLDER keeps pictures of it.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/package.sh"
. "$here/serve.sh"
build=$1 voxport=$2 voice=$3

command -v chromium >/dev/null || skip "there is no chromium here"
command -v espeak-ng >/dev/null || skip "there is no espeak-ng here"
need_package "$build" playwright-core@1.50.1
"$voxport" export "$voice" "$work/voice" --quiet --no-check || fail "voxport export $voice"
start_server "$voxport" slt="$work/voice" --http 127.0.0.1:0
node "$here/open_page.js" "$URL" "${SCREENSHOTS:-}"
