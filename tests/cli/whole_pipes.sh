# BASH_ENV of the pages' examples, which run with pipefail: head reads its pipe to the end, or the program before it ends by SIGPIPE on a busy
# machine.
head() {
  command head "$@"
  local status=$? word
  for word in "$@"; do [[ ! -e $word ]] || return $status; done  # it reads a file
  cat >/dev/null
  return $status
}
