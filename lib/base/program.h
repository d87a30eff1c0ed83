/// The running program: where it lies, and how it ends when it cannot go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace bigdna {

/// The path of the running program, with links resolved; also where /proc is not mounted. Empty if it is not known.
std::filesystem::path program_path();

/// The bytes of address space that this process may use (ulimit -v); nullopt if they are not limited.
std::optional<uint64_t> address_space_limit();
/// "out of memory", and the limit that this process has reached if one is set (ulimit -v, a control group).
std::string out_of_memory_text();

/// To be called first. Writing past `ulimit -f` becomes an ordinary error (EFBIG) instead of a signal. What would end
/// the process without a word (an exception on a thread that nothing catches, or in a destructor; the limit of CPU
/// time) is reported in one line. Then, and before a signal ends it (base/signals.h), `clean_up` is called, which a
/// signal handler must be able to do. Error if the working folder has been deleted: relative paths mean nothing then,
/// and MKL would end the process.
void start_program(void (*clean_up)());

}  // namespace bigdna
