#include "io/tar.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "io/output.h"
#include "io/source_date.h"
#include "io/write_all.h"

namespace bigdna::io {

namespace {
constexpr uint64_t kBlock = 512;
constexpr uint64_t kLongestExtension = 1 << 20;  // bytes of a pax header or of a long name: more is damage

/// Types of members that are followed by data: files, in three ways, and what extends the next header.
constexpr char kTypesWithData[] = {'\0', '0', '7', 'L', 'K', 'x', 'g'};

/// A header as POSIX's pax(1) lays it out; GNU tar differs in `magic`, and in what is here `prefix`.
struct Header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2],
      owner[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(Header) == kBlock);

/// The text of a field, which ends at a byte 0 or with the field.
template <size_t kSize>
std::string text_of(const char (&field)[kSize]) {
  return std::string(field, strnlen(field, kSize));
}

/// Octal digits or, for large numbers, GNU tar's base 256 behind a byte 0x80.
template <size_t kSize>
std::optional<uint64_t> number_of(const char (&field)[kSize]) {
  uint64_t value = 0;
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    for (size_t i = 1; i < kSize; ++i) {
      if (value >> 55) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  size_t i = 0;
  while (i < kSize && field[i] == ' ') ++i;
  const size_t first = i;
  for (; i < kSize && field[i] >= '0' && field[i] <= '7'; ++i)
    value = value << 3 | static_cast<uint64_t>(field[i] - '0');
  if (i == first || (i < kSize && field[i] != ' ' && field[i] != '\0')) return std::nullopt;
  return value;
}

/// The sum of the header's bytes, in which the checksum itself counts as blanks.
uint64_t checksum_of(Header header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  return std::accumulate(bytes, bytes + kBlock, uint64_t{0});
}

uint64_t whole_blocks(uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }
}  // namespace

std::string member_name(const std::string& name, const std::string& path) {
  if (name.starts_with('/')) fail(path, ": its member ", name, " has an absolute path");
  std::string normal;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const auto part = name.substr(at, end - at);
    if (part == "..") fail(path, ": its member ", name, " leads out of the archive");
    if (!part.empty() && part != ".") normal += (normal.empty() ? "" : "/") + part;
    at = end + 1;
  }
  return normal;
}

bool is_called_compressed_tar(const std::string& path) {
  return has_suffix(path, {".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst", ".tar.z"});
}

bool looks_like_tar(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (has_suffix(path, {".tar"}) || is_called_compressed_tar(path)) return true;
  Header header;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool has_header = read_all(fd, {reinterpret_cast<char*>(&header), sizeof header}, 0) == 0;
  close(fd);
  return has_header && std::string_view(header.magic, 5) == "ustar";
}

/// Goes through an archive from header to header.
class TarIndex::Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat info {};
    if (fd_ < 0 || fstat(fd_, &info) != 0) fail(path, ": ", errno_text(errno));
    size_ = static_cast<uint64_t>(info.st_size);
  }
  ~Reader() { close(fd_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void refuse_compressed() const {
    std::string start(std::min<uint64_t>(size_, 6), '\0');
    if (const int cause = read_all(fd_, start, 0)) fail(path_, ": ", errno_text(cause));
    for (const std::string_view magic : {"\x1f\x8b", "\x1f\x9d", "BZh", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"})
      if (start.starts_with(magic))
        fail(path_,
             ": is compressed, so that its members cannot be read where they lie; unpack it, or decompress it to a "
             "plain .tar");
  }

  /// The next member that is no folder, or a folder, whose name ends in '/'; nullopt at the end of the archive.
  std::optional<std::pair<std::string, Member>> next() {
    std::string long_name;
    std::optional<uint64_t> long_size;
    while (const auto header = next_header()) {
      const auto field = number_of(header->size);
      if (!field) fail(path_, ": damaged: no size in the header at byte ", at_ - kBlock);
      const bool has_data = std::ranges::find(kTypesWithData, header->type) != std::end(kTypesWithData);
      const uint64_t size = !has_data ? 0 : long_size && header->type != 'x' ? *long_size : *field;
      const uint64_t begin = at_;
      if (size > size_ - begin)
        fail(path_, ": truncated: at byte ", begin, " a member of ", size, " bytes begins, but the file has ", size_);
      at_ += std::min(whole_blocks(size), size_ - begin);
      switch (header->type) {
        case 'L':
          long_name = read(begin, size);
          long_name.resize(strnlen(long_name.data(), long_name.size()));
          break;
        case 'x':
          read_pax(begin, size, long_name, long_size);
          break;
        case 'K':  // the long name of what a link points to
        case 'g':  // what holds for all members: nothing that is read here
          break;
        case 'S':
        case 'D':
        case 'M':
          refuse_gnu();
        default:
          return member(*header, long_name, {begin, size, has_data});
      }
    }
    return std::nullopt;
  }

 private:
  /// nullopt at the blocks of zeros that end an archive.
  std::optional<Header> next_header() {
    Header header;
    if (size_ - at_ < kBlock) fail(path_, ": truncated: it has no end mark");
    if (const int cause = read_all(fd_, {reinterpret_cast<char*>(&header), sizeof header}, static_cast<off_t>(at_)))
      fail(path_, ": ", errno_text(cause));
    const auto* bytes = reinterpret_cast<const char*>(&header);
    if (std::all_of(bytes, bytes + kBlock, [](char c) { return c == 0; })) return std::nullopt;
    const bool is_tar = std::string_view(header.magic, 5) == "ustar";
    if (at_ == 0 && !is_tar) fail(path_, ": is not a tar archive");
    if (!is_tar || number_of(header.checksum) != checksum_of(header))
      fail(path_, ": damaged: the header at byte ", at_, " has a wrong checksum");
    at_ += kBlock;
    return header;
  }

  [[noreturn]] void refuse_gnu() const {
    fail(path_,
         ": was made by GNU tar with --sparse, --incremental or --multi-volume, which is not read; make it "
         "without, or by bigdna itself (-o NAME.tar)");
  }

  std::string read(uint64_t begin, uint64_t size) const {
    if (size > kLongestExtension) fail(path_, ": damaged: the header at byte ", begin, " has ", size, " bytes");
    std::string text(size, '\0');
    if (const int cause = read_all(fd_, text, static_cast<off_t>(begin))) fail(path_, ": ", errno_text(cause));
    return text;
  }

  /// Lines "LENGTH KEY=VALUE\n", whose length counts the whole line.
  void read_pax(uint64_t begin, uint64_t size, std::string& name, std::optional<uint64_t>& bytes) const {
    const std::string text = read(begin, size);
    const auto bad = [&] { fail(path_, ": damaged: the pax header at byte ", begin, " is malformed"); };
    for (std::string_view rest = text; !rest.empty();) {
      const size_t blank = std::min(rest.find(' '), rest.size());
      const auto length = parse_number<uint64_t>(rest.substr(0, blank)).value_or(0);
      if (length < blank + 2 || length > rest.size() || rest[length - 1] != '\n') bad();
      const auto line = rest.substr(blank + 1, length - blank - 2);
      rest.remove_prefix(length);
      const size_t equals = line.find('=');
      if (equals == line.npos) bad();
      const auto key = line.substr(0, equals), value = line.substr(equals + 1);
      if (key.starts_with("GNU.sparse.")) refuse_gnu();
      if (key == "path") name = value;
      if (key == "size" && !(bytes = parse_number<uint64_t>(value))) bad();
    }
  }

  std::pair<std::string, Member> member(const Header& header, const std::string& long_name, Member place) const {
    std::string name = long_name;
    if (name.empty()) {
      name = text_of(header.name);
      const bool posix = header.magic[5] == '\0';
      if (posix && header.prefix[0]) name = text_of(header.prefix) + "/" + name;
    }
    if (name.find('\0') != name.npos) fail(path_, ": damaged: a name holds a byte 0");
    std::string normal = member_name(name, path_);
    if (header.type == '5' || (header.type != '1' && header.type != '2' && name.ends_with('/'))) normal += '/';
    return {std::move(normal), place};
  }

  std::string path_;
  int fd_;
  uint64_t size_ = 0, at_ = 0;
};

TarIndex::TarIndex(const std::string& path) : path_(path) {
  Reader reader(path);
  reader.refuse_compressed();
  while (auto member = reader.next()) add(std::move(member->first), member->second);
  if (members_.empty()) fail(path, ": holds no file");
  leave_out_top_folder();
}

void TarIndex::add(std::string name, Member member) {
  const bool is_folder = name.ends_with('/');
  if (is_folder) name.pop_back();
  const size_t base = name.rfind('/') + 1;
  if (name.compare(base, 2, "._") == 0) return;  // macOS keeps a file's attributes so
  for (size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) folders_.insert(name.substr(0, at));
  if (is_folder || name.empty()) {
    folders_.insert(name);
  } else if (!members_.emplace(name, member).second) {
    fail(path_, ": holds ", name, " twice");
  }
}

void TarIndex::leave_out_top_folder() {
  for (const auto& [name, member] : members_)
    if (folders_.contains(name)) fail(path_, ": holds ", name, " as a file and as a folder");
  folders_.insert("");
  const std::string first = members_.begin()->first;
  const std::string top = first.substr(0, first.find('/') + 1);
  const auto inside = [&](const std::string& name) { return name.empty() || (name + "/").starts_with(top); };
  if (top.empty() || !std::ranges::all_of(folders_, inside) ||
      !std::ranges::all_of(members_, [&](const auto& member) { return member.first.starts_with(top); }))
    return;
  std::map<std::string, Member> members;
  for (const auto& [name, member] : members_) members.emplace(name.substr(top.size()), member);
  std::set<std::string> folders;
  for (const auto& name : folders_) folders.insert(name.size() < top.size() ? "" : name.substr(top.size()));
  members_ = std::move(members);
  folders_ = std::move(folders);
}

const TarIndex::Member* TarIndex::find(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : &found->second;
}

std::vector<std::string> TarIndex::names() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : members_)
    if (member.is_file) names.push_back(name);
  return names;
}

namespace {
template <size_t kSize>
void put_octal(char (&field)[kSize], uint64_t value) {
  for (size_t i = kSize - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

template <size_t kSize>
void put(char (&field)[kSize], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), kSize));
}

/// "LENGTH KEY=VALUE\n", whose length counts its own digits.
std::string pax_line(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size();
  while (length < rest.size() + std::to_string(length).size()) ++length;
  return std::to_string(length) + rest;
}

void write_header(Output& out, const std::string& name, char type, uint64_t size, uint64_t time) {
  Header header{};
  put(header.name, name);
  put_octal(header.mode, 0644);
  put_octal(header.uid, 0);
  put_octal(header.gid, 0);
  put_octal(header.size, size);
  put_octal(header.mtime, time);
  header.type = type;
  put(header.magic, "ustar");
  put(header.version, "00");
  put_octal(header.checksum, checksum_of(header));
  out.write(&header, sizeof header);
}

void pad(Output& out, uint64_t size) { out.write(std::string(whole_blocks(size) - size, '\0')); }

/// Error if the file does not have `size` bytes any more.
void write_content(Output& out, const std::string& file, uint64_t size) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(file, ": ", errno_text(errno));
  std::vector<char> buffer(1 << 20);
  int cause = 0;
  for (uint64_t at = 0; at < size && !cause;) {
    const std::span<char> part(buffer.data(), std::min<uint64_t>(buffer.size(), size - at));
    cause = read_all(fd, part, static_cast<off_t>(at));
    if (!cause) out.write(part.data(), part.size());
    at += part.size();
  }
  struct stat info {};
  const bool grown = fstat(fd, &info) == 0 && static_cast<uint64_t>(info.st_size) != size;
  close(fd);
  if (cause) fail(file, ": ", errno_text(cause));
  if (grown) fail(file, ": is being written to");
}
}  // namespace

void write_tar(const std::string& folder, std::vector<std::string> names, const std::string& output) {
  constexpr uint64_t kLargest = (uint64_t{1} << 33) - 1;  // what 11 octal digits hold
  const uint64_t time = source_date().value_or(0);
  std::ranges::sort(names);
  Output out(output);
  for (const auto& name : names) {
    const std::string file = folder + "/" + name;
    struct stat info {};
    if (stat(file.c_str(), &info) != 0) fail(file, ": ", errno_text(errno));
    if (!S_ISREG(info.st_mode)) fail(file, ": is not a regular file");
    const auto size = static_cast<uint64_t>(info.st_size);
    std::string pax;
    if (name.size() > sizeof Header::name) pax += pax_line("path", name);
    if (size > kLargest) pax += pax_line("size", std::to_string(size));
    if (!pax.empty()) {
      write_header(out, "PaxHeaders/" + name.substr(0, 80), 'x', pax.size(), time);
      out.write(pax);
      pad(out, pax.size());
    }
    write_header(out, name, '0', std::min(size, kLargest), time);
    write_content(out, file, size);
    pad(out, size);
  }
  out.write(std::string(2 * kBlock, '\0'));
  out.commit();
}

}  // namespace bigdna::io
