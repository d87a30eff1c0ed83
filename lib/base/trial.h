/// Runs a function in a child process first, for libraries that crash on some damaged files.
#pragma once

#include <functional>

namespace bigdna {

enum class Trial { passed, crashed, too_slow, did_not_start };

/// `function` may not write to files or locks that it shares with this process. What it prints to stderr is dropped.
/// `seconds`: of a processor, or twenty times as many on a clock.
Trial try_in_child(const std::function<void()>& function, unsigned seconds);

}  // namespace bigdna
