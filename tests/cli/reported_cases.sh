#!/usr/bin/env bash
# reported_cases.sh FOLDER [CASE...]: runs reported cases again and prints what comes now. FOLDER holds a folder for each case, with its
# inputs and either run.sh or a README whose lines that are indented by four blanks, or begin with bigdna, are its commands. Each call of
# bigdna is a row: the case, the exit code, the last line on stderr; its warnings follow. Of a case that sends signals one row is printed, with
# the exit code of all. -v also prints what goes to stdout.
# $BIGDNA is the program (default: build/bin/bigdna); genomes that a README names are linked from $BIGDNA_DATA/genomes.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
verbose=
[[ ${1-} != -v ]] || { verbose=1; shift; }
(($#)) && [[ -d $1 ]] || { sed -n '2,6s/^# \?//p' "$0" >&2; exit 2; }
folder=$(readlink -f "$1")
shift
(($#)) || mapfile -t cases < <(ls "$folder")
(($# == 0)) || cases=("$@")
program=$(readlink -f "${BIGDNA:-$root/build/bin/bigdna}")
data=$(readlink -f "${BIGDNA_DATA:-$root/../shared/data}")/genomes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/bigdna.noted" <<EOF
#!/usr/bin/env bash
"$program" "\$@" 2> >(tee "$work/stderr" >&2)
status=\$?
sleep 0.1  # until tee has written all of it
{ printf '%s\t%s\n' "\$status" "\$(tail -n 1 "$work/stderr")"; grep -h 'warning: ' "$work/stderr" | sed 's/^/\t  /'; } >>"$work/calls"
exit \$status
EOF
chmod +x "$work/bin/bigdna.noted"

for case in "${cases[@]}"; do
  readme=$(ls "$folder/$case"/README* | head -n 1)
  rm -rf "$work/case"
  cp -r "$folder/$case" "$work/case"
  chmod -R u+w "$work/case"
  if [[ -d $data ]]; then
    for file in "$data"/*; do
      if grep -qwF "$(basename "$file")" "$readme"; then ln -sf "$file" "$work/case/"; fi
    done
  fi
  [[ -e $work/case/run.sh ]] || sed -n -e 's/^    //p' -e t -e '/^bigdna /p' "$readme" >"$work/case/run.sh"
  # what sends signals means the program itself, not a shell around it
  if grep -qwE 'kill|pkill|unshare|trap|nohup|timeout' "$work/case/run.sh"; then ln -sf "$program" "$work/bin/bigdna"; else ln -sf bigdna.noted "$work/bin/bigdna"; fi
  : >"$work/calls"
  status=0
  (cd "$work/case" && PATH=$work/bin:$PATH timeout 600 bash run.sh >"$work/stdout" 2>"$work/all") </dev/null || status=$?
  [[ -s $work/calls ]] || printf '%s\t%s\n' "$status" "no call that could be watched: $(tail -n 1 "$work/all")" >"$work/calls"
  sed "s/^/$case\t/" "$work/calls"
  [[ -z $verbose ]] || sed 's/^/    /' "$work/stdout"
done
