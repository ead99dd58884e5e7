#!/usr/bin/env bash
# package_test.sh BUILD_FOLDER SOURCE_FOLDER VERSION: makes the Debian packages of a build, without compressing them, and
# looks into them: control fields, scripts, files. tools/try_package installs and uses them.
set -euo pipefail
build=$1 source=$2 version=$3
for program in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fails() { echo "FAILED  $*"; failures=$((failures + 1)); }

cpack --config "$build/CPackConfig.cmake" -B "$scratch" -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_STRIP_FILES=OFF \
  >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
architecture=$(dpkg --print-architecture)
file_of() { echo "$scratch/$1_$version-1+"*"_${2-$architecture}.deb"; }
program=$(file_of voxport) library=$(file_of libvoxport0) development=$(file_of libvoxport-dev)
python=$(file_of python3-voxport all)
for package in "$program" "$library" "$development" "$python"; do
  [[ -e $package ]] || { echo "there is no $package"; exit 1; }
  dpkg-deb -c "$package" | awk '{ print $6 }' | sed 's,^\.,,' >"$package.files"
  dpkg-deb -c "$package" | awk '{ print $2 }' | sort -u | grep -vx root/root && fails "$package has files that are not root's"
  mkdir "$package.control" && dpkg-deb -e "$package" "$package.control"
done

field() { dpkg-deb -f "$1" "$2"; }
has() { grep -qE -- "^$2$" "$1.files" || fails "${1##*/} has no $2"; }
lacks() { ! grep -qE -- "$2" "$1.files" || fails "${1##*/} has $(grep -E -- "$2" "$1.files" | head -n 1)"; }
depends() { [[ ", $(field "$1" "$2")," == *", $3"[\ ,]* ]] || fails "${1##*/}: $2 has no $3: $(field "$1" "$2")"; }

full=$(field "$library" Version)
for package in "$program" "$development" "$python"; do
  [[ ", $(field "$package" Depends)," == *", libvoxport0 (= $full),"* ]] || fails "${package##*/} does not depend on its library"
  [[ $(field "$package" Version) == "$full" ]] || fails "${package##*/} has another version than its library"
done
for package in "$program" "$library"; do
  for needed in libc6 'libyaml-cpp[0-9.]*' zlib1g; do
    grep -qE "(^|, )$needed( |,|$)" <(field "$package" Depends) || fails "${package##*/} does not depend on $needed"
  done
done
for needed in 'libonnx1[a-z0-9]*' 'libprotobuf[0-9][a-z0-9]*'; do  # of voxport-onnx.so
  grep -qE "(^|, )$needed( |,|$)" <(field "$library" Depends) || fails "libvoxport0 does not depend on $needed"
done
depends "$program" Recommends espeak-ng
for codec in libflac libopusenc libmp3lame; do
  grep -qE "(^|, )$codec[0-9]" <(field "$program" Recommends) || fails "the program does not recommend $codec"
done
depends "$library" Recommends espeak-ng
depends "$python" Depends python3:any
depends "$python" Recommends python3-numpy
depends "$development" Depends libprotobuf-dev

for package in voxport libvoxport0 libvoxport-dev python3-voxport; do
  deb=$(compgen -G "$scratch/${package}_*.deb")
  for name in copyright changelog.gz changelog.Debian.gz; do has "$deb" "/usr/share/doc/$package/$name"; done
  [[ $(field "$deb" Description) == *"This package has"* ]] || fails "$package has no description"
done

has "$program" /usr/bin/voxport
for page in '' -export -check -speak -serve -bench -inspect; do has "$program" "/usr/share/man/man1/voxport$page.1.gz"; done
has "$program" /usr/share/bash-completion/completions/voxport
has "$program" /usr/share/zsh/vendor-completions/_voxport
has "$program" /usr/share/fish/vendor_completions.d/voxport.fish
has "$program" /usr/lib/systemd/system/voxport.service
has "$program" /etc/default/voxport
has "$program" /usr/share/doc/voxport/examples/haproxy.cfg
has "$program" /usr/share/doc/voxport/docs/cli.md
lacks "$program" '/lib[^/]*\.(so|a)|\.h$|/python3/'
[[ $(cat "$program.control/conffiles") == /etc/default/voxport ]] || fails "/etc/default/voxport is not a conffile"
grep -q '^ExecStart=/usr/bin/voxport ' <(dpkg-deb --fsys-tarfile "$program" | tar -xO ./usr/lib/systemd/system/voxport.service) ||
  fails "the service does not start /usr/bin/voxport"

has "$library" '/usr/lib/.*libvoxport\.so\.0'
has "$library" '/usr/lib/.*voxport/libpiper\.so'
has "$library" '/usr/lib/.*voxport/voxport-onnx\.so'
[[ ! -e $source/third_party/onnxruntime ]] || has "$library" '/usr/lib/.*voxport/libonnxruntime\.so\.1'
lacks "$library" '/libvoxport\.so$|\.a$|\.h$'
cmp -s "$library.control/symbols" "$source/packaging/libvoxport0.symbols" || fails "libvoxport0 has other symbols"
[[ $(cat "$library.control/shlibs") == "libvoxport 0 libvoxport0 (>= $version)" ]] || fails "libvoxport0 has other shlibs"
[[ $(cat "$library.control/triggers") == "activate-noawait ldconfig" ]] || fails "libvoxport0 does not trigger ldconfig"

has "$development" /usr/include/voxport/voxport.h
has "$development" '/usr/lib/.*libvoxport\.so'
has "$development" '/usr/lib/.*voxport/libvoxport_api\.a'
has "$development" '/usr/lib/.*pkgconfig/voxport\.pc'
has "$development" '/usr/lib/.*cmake/voxport/voxport-config\.cmake'
lacks "$development" '/bin/|\.so\.'

has "$python" /usr/lib/python3/dist-packages/voxport/__init__.py
lacks "$python" '__pycache__|\.so'
for script in "$program.control/postinst" "$program.control/prerm" "$program.control/postrm" \
  "$python.control/postinst" "$python.control/prerm"; do
  [[ -x $script ]] && sh -n "$script" || fails "${script#"$scratch/"} is no script"
done

[[ $failures == 0 ]] || exit 1
echo "the Debian packages have what they are for"
