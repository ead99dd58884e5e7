# Sourced by the tests of this folder. Packages are npm's, pinned by their callers, and kept under build/node.

export ORT_DISABLE_TELEMETRY=1  # onnxruntime-node's builds gather data on the machine otherwise

readonly kSkipped=77  # what ctest is told to take for "skipped"
skip() { echo "skipped: $*"; exit $kSkipped; }
fail() { echo "FAILED: $*"; exit 1; }

# need_package FOLDER NAME@VERSION: installs it unless it is there, runs none of its scripts, and lets node find it.
# All or nothing, so that a test that was killed leaves nothing half done.
need_package() {
  local folder=$1/node/${2//\//_} work
  command -v node >/dev/null || skip "there is no node here"
  if [[ ! -d $folder ]]; then
    command -v npm >/dev/null || skip "there is no npm here to fetch $2"
    mkdir -p "$1/node"
    work=$(mktemp -d "$1/node/.new.XXXXXX")
    npm install --silent --no-save --no-package-lock --no-audit --no-fund --ignore-scripts \
      --fetch-retries 1 --fetch-timeout 60000 --cache "$work/cache" --prefix "$work/package" "$2" >/dev/null ||
      { rm -rf "$work"; skip "npm could not fetch $2; is there a network?"; }
    mv -T "$work/package" "$folder" 2>/dev/null || [[ -d $folder ]]  # another test was faster
    rm -rf "$work"
  fi
  export NODE_PATH=$folder/node_modules
}

# export_voice VOXPORT ARGUMENT...: runs voxport export.
export_voice() {
  [[ $("$1" --help) == *$'\n  export '* ]] || skip "this voxport does not export"
  "$1" export "${@:2}" || fail "voxport export ${*:2}"
}
