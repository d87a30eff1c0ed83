/// Errors. lib/ throws them, apps/ catches them once; nothing else is thrown on purpose.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace bigdna {

/// A failure the user can act on: the message names the file, the line where there is one, and the cause. Exit 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options that do not fit together. Exit 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The arguments as one string, as operator<< prints them.
template <class... T>
std::string concat(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Throws Error(concat(parts...)).
template <class... T>
[[noreturn]] void fail(const T&... parts) {
  throw Error(concat(parts...));
}

/// The system's text for an errno value; thread-safe.
std::string errno_text(int error_number);
/// Why a library could not open a file: the system's text where errno says that the machine or the permissions are at
/// fault ("Too many open files"), else `text`. errno is to be set to 0 before.
std::string why_not_opened(const std::string& text);

}  // namespace bigdna
