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
text="Hello world! Here is a second sentence, which is a little longer than the first. And a third one, to be sure that there
is enough to hear. $(printf 'This goes on for a while, so that playing begins long before the end. %.0s' {1..12})"
"$voxport" speak "$work/voice" "$text" --threads 1 --raw >"$work/expected.pcm"
node "$here/open_page.js" "$URL" "$text" "$work/expected.pcm" "${SCREENSHOTS:-}"
