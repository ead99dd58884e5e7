#!/bin/sh
# espeak-ng as it is in the tarball: with the data and the libraries beside it.
here=$(dirname "$(readlink -f "$0")")
export ESPEAK_DATA_PATH="$here/espeak-ng-data" LD_LIBRARY_PATH="$here"
exec "$here/espeak-ng.bin" "$@"
