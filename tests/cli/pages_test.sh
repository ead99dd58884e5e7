#!/usr/bin/env bash
# pages_test.sh PAGES_FOLDER VOXPORT VOXPORT_PAGES SOURCE_FOLDER: manual pages and completions that the build made have
# what --help has, man typesets the pages without a warning, and shells complete by the scripts. A shell that is not
# installed is left out.
set -euo pipefail
pages=$1 voxport=$2 voxport_pages=$3 source=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fails() { echo "FAILED  $*"; failures=$((failures + 1)); }
is() { [[ $2 == "$3" ]] || fails "$1: found '$2', expected '$3'"; }  # is WHAT FOUND EXPECTED

options_of() { "$voxport" "$@" --help | sed -nE 's/^  (-[a-zA-Z],)?(--[a-z-]+).*/\2/p'; }
commands=$("$voxport" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
is "commands in --help" "$(wc -w <<<"$commands")" 6

# Every option, in every page and script.
for command in $commands; do
  page=$pages/voxport-$command.1
  for heading in NAME SYNOPSIS DESCRIPTION ARGUMENTS OPTIONS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES 'SEE ALSO'; do
    grep -qx ".SH $heading" "$page" || fails "voxport-$command.1 has no $heading"
  done
  for option in $(options_of "$command"); do
    grep -qF -- "\\fB${option//-/\\-}\\fR" "$page" || fails "voxport-$command.1 has no $option"
    sed -n "/^    $command)/,/;;$/p" "$pages/voxport.bash" | grep -q -- "[ ']$option[ ']" || fails "bash: $command $option"
    sed -n "/^    $command)/,/;;$/p" "$pages/_voxport" | grep -q -- "$option[='},]" || fails "zsh: $command $option"
    grep -q -- "_from $command'.* -l ${option#--} " "$pages/voxport.fish" || fails "fish: $command $option"
  done
done
grep -qx '.SH EXIT STATUS' "$pages/voxport.1" || fails "voxport.1 has no EXIT STATUS"

# What docs/cli.md says beyond --help is in the page, too.
grep -q 'one --config each' <(tr -d '\\' <"$pages/voxport-export.1") || fails "voxport-export.1 lacks the help of --config"
grep -q 'that is an error, and neither is used' "$pages/voxport-export.1" || fails "voxport-export.1 lacks docs/cli.md"

if command -v man >/dev/null; then
  for page in "$pages"/*.1; do
    said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null) || true
    is "what man says of ${page##*/}" "$said" ""
  done
  text=$(LC_ALL=C.UTF-8 MANWIDTH=80 man -E UTF-8 -l "$pages/voxport-export.1" | tr -s ' \n' ' ')
  for words in 'voxport export CHECKPOINT OUT [OPTIONS]' "-q, --quiet print only" "--opset N the ONNX opset version" \
    'Default: 17.' '.json (default' "voxport export model.pt2 model.onnx --dynamic 'x:0=batch_size,1=sequence_length'" \
    '~/.cache/voxport what'; do
    [[ $text == *"$words"* ]] || fails "voxport-export(1) does not read: $words"
  done
else
  echo "skipped  man is not installed"
fi

# Prints what bash completes the words to, of which the last is being typed.
complete_in_bash() {
  (cd "$scratch" && bash --norc -c '
    source "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    complete -p voxport >/dev/null
    _voxport
    printf "%s\n" "${COMPREPLY[@]}" | sort -u | paste -sd " "' "$pages/voxport.bash" "$@")
}
mkdir "$scratch/folder" "$scratch/home"
touch "$scratch/voice.ckpt"
is "bash: a command" "$(complete_in_bash voxport ex)" export
is "bash: all commands" "$(complete_in_bash voxport '' | tr ' ' '\n' | grep -vc '^-')" 6
is "bash: an option" "$(complete_in_bash voxport check --qui)" "--quick --quiet"
is "bash: options of one command" "$(complete_in_bash voxport serve --quick)" ""
is "bash: a choice" "$(complete_in_bash voxport export a b --noise gr)" graph
is "bash: a choice after =" "$(complete_in_bash voxport export a b --noise =)" "graph input"
is "bash: a choice begun after =" "$(complete_in_bash voxport export a b --noise = i)" input
is "bash: a value that is free" "$(complete_in_bash voxport export a b --opset '')" ""
is "bash: a file" "$(complete_in_bash voxport export voi)" voice.ckpt
is "bash: a file for an option" "$(complete_in_bash voxport speak a --output voi)" voice.ckpt
is "bash: a folder for an option" "$(complete_in_bash voxport speak a --cache fol)" folder
is "bash: a program for an option" "$(complete_in_bash voxport speak a --espeak mktem)" mktemp

if command -v zsh >/dev/null; then
  zsh -n "$pages/_voxport" || fails "zsh cannot read _voxport"
else
  echo "skipped  zsh is not installed"
fi

complete_in_fish() {
  (cd "$scratch" && HOME=$scratch/home PATH=${voxport%/*}:$PATH fish --no-config -c \
    'source $argv[1]; complete -C $argv[2]' "$pages/voxport.fish" "$1" | cut -f 1 | sort | paste -sd ' ')
}
if command -v fish >/dev/null; then
  fish -n "$pages/voxport.fish" || fails "fish cannot read voxport.fish"
  is "fish: a command" "$(complete_in_fish 'voxport ex')" export
  is "fish: an option" "$(complete_in_fish 'voxport check --qui')" "--quick --quiet"
  is "fish: a choice" "$(complete_in_fish 'voxport export a b --noise gr')" graph
  is "fish: a file" "$(complete_in_fish 'voxport export voi')" voice.ckpt
  is "fish: a file for an option" "$(complete_in_fish 'voxport speak a --output voi')" voice.ckpt
  is "fish: a folder for an option" "$(complete_in_fish 'voxport speak a --cache fol')" folder/
  is "fish: a value that is free" "$(complete_in_fish 'voxport export a b --opset ')" ""
else
  echo "skipped  fish is not installed"
fi

# The tool that makes them.
code=0; said=$("$voxport_pages" /nonexistent "$scratch/out" 2>&1) || code=$?
is "a missing reference" "$code: $said" "3: voxport_pages: cannot read '/nonexistent'"
"$voxport_pages" "$source/docs/cli.md" "$scratch/again"
diff -r --exclude='*.gz' "$pages" "$scratch/again" || fails "the same sources gave other pages"

[[ $failures == 0 ]] || exit 1
echo "manual pages and completions have every option, and shells complete by them"
