# The command line that the pipelines share; each sources this file.
#
# read_options "NAME: NAME ..." "$@" reads --NAME VALUE into the variable NAME (whose default is set before), and --NAME without a colon
# as NAME=1. With `...` in the list, other arguments, and all that follow --, go into `arguments`. Every pipeline has --help, which prints
# its first comment, and --no-build and --bin, which programs() follows.
root=$(dirname "$(dirname "$(readlink -f "$0")")")
no_build= bin=$root/build/bin arguments=()

usage_error() { echo "$(basename "$0" .sh): $1 (see --help)" >&2; exit 2; }

read_options() {
  local known=" $1 bin: no-build " name
  shift
  while (($#)); do
    name=${1#--}
    if [[ $1 == -h || $1 == --help ]]; then
      sed -n '2,/^[^#]/s/^# \?//p' "$0"
      exit 0
    elif [[ $1 == --?* && $known == *" $name: "* ]]; then
      (($# > 1)) || usage_error "$1 needs a value"
      printf -v "${name//-/_}" %s "$2"
      shift
    elif [[ $1 == --?* && $known == *" $name "* ]]; then
      printf -v "${name//-/_}" 1
    elif [[ $known == *" ... "* && $1 == -- ]]; then
      arguments+=("${@:2}")
      return
    elif [[ $known == *" ... "* && $1 != -* ]]; then
      arguments+=("$1")
    else
      usage_error "unknown argument $1"
    fi
    shift
  done
}

# Builds the programs, unless --no-build says that they are there, and puts them on the PATH.
programs() {
  [[ -n $no_build ]] || "$root/cmake/build.sh" programs
  PATH=$(readlink -m "$bin"):$PATH
}
