#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace bigdna {

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

std::string why_not_opened(const std::string& text) {
  for (const int cause : {EMFILE, ENFILE, ENOMEM, EACCES, EPERM, EIO})
    if (errno == cause) return errno_text(cause);
  return text;
}

}  // namespace bigdna
