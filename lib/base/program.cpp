#include "base/program.h"

#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/log.h"

namespace bigdna {

namespace fs = std::filesystem;

namespace {
void (*clean_up_at_end)() = nullptr;

void write_line(std::string_view text) {
  [[maybe_unused]] const auto ignored = write(STDERR_FILENO, text.data(), text.size());
}

/// Memory may be exhausted here, so the line is written without taking any.
[[noreturn]] void end_with_a_line() {
  write_line("bigdna: ");
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    write_line("internal error");
  } catch (const std::bad_alloc&) {
    write_line("out of memory");
  } catch (const std::exception& error) {
    const char* text = error.what();  // LibTorch's messages carry a backtrace after the first line
    write_line({text, std::strcspn(text, "\n")});
  } catch (...) {
    write_line("internal error");
  }
  write_line("\n");
  if (clean_up_at_end) clean_up_at_end();
  _exit(1);
}

/// The limit of CPU time is met (ulimit -t). Commands that save their state catch the signal themselves.
void end_by_cpu_limit(int signal) {
  write_line("bigdna: stopped by the limit of CPU time (ulimit -t)\n");
  if (clean_up_at_end) clean_up_at_end();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
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
  std::signal(SIGXCPU, end_by_cpu_limit);
  std::error_code error;
  if (const auto folder = fs::current_path(error); !error) return;
  fail("the working folder: ", error.message(), " (was it deleted? change to another folder)");
}

}  // namespace bigdna
