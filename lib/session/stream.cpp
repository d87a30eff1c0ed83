#include "session/stream.h"

#include <ATen/Parallel.h>

namespace bigdna::session {

OneThreadPerOperation::OneThreadPerOperation() : before_(at::get_num_threads()) { at::set_num_threads(1); }
OneThreadPerOperation::~OneThreadPerOperation() { at::set_num_threads(before_); }

}  // namespace bigdna::session
