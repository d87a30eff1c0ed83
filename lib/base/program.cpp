#include "base/program.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"

namespace bigdna {

namespace fs = std::filesystem;

namespace {
void (*clean_up_at_end)() = nullptr;

/// Memory may be exhausted here, so the line is written without taking any.
[[noreturn]] void end_with_a_line() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    log::last_words("internal error");
  } catch (const std::bad_alloc&) {
    log::last_words("out of memory");
  } catch (const std::exception& error) {
    const char* text = error.what();  // LibTorch's messages carry a backtrace after the first line
    log::last_words({text, std::strcspn(text, "\n")});
  } catch (...) {
    log::last_words("internal error");
  }
  if (clean_up_at_end) clean_up_at_end();
  _exit(1);
}
}  // namespace

fs::path program_path() {
  std::error_code error;
  if (const auto path = fs::read_symlink("/proc/self/exe", error); !error) return path;
  const auto* started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));  // the kernel's own record
  const auto path = started_as ? fs::canonical(started_as, error) : fs::path();
  return error ? fs::path() : path;
}

std::optional<uint64_t> address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

std::string out_of_memory_text() {
  if (const auto most = address_space_limit())
    return concat("out of memory (ulimit -v allows ", log::human(static_cast<double>(*most)), "B of address space)");
  if (const auto group = cgroup_memory())
    return concat("out of memory (the control group allows ", log::human(static_cast<double>(group->limit)), "B)");
  return "out of memory";
}

void start_program(void (*clean_up)()) {
  clean_up_at_end = clean_up;
  std::set_terminate(end_with_a_line);
  std::signal(SIGXFSZ, SIG_IGN);
  end_at_stop_signals(clean_up);
  std::error_code error;
  if (const auto folder = fs::current_path(error); !error) return;
  fail("the working folder: ", error.message(), " (was it deleted? change to another folder)");
}

}  // namespace bigdna
