/// A trial reading of an HDF5 file by a child process, because libhdf5 1.10 itself crashes on some damaged files.
#pragma once

#include <string>

namespace bigdna::io {

/// Error naming the file if libhdf5 crashes, or does not end within seconds, when it reads what describes the file's
/// contents: groups, attributes, the types, shapes and chunks of datasets. Their numbers are not read. A file that
/// libhdf5 refuses without a crash passes: its reader says what is wrong.
void refuse_crashing_hdf5(const std::string& path);

}  // namespace bigdna::io
