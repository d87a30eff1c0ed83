#include "io/temporary_file.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/error.h"
#include "io/folder.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempDir;

TEST(Output, ALinkStaysAndWhatItPointsToIsMadeOrReplaced) {
  TempDir dir;
  fs::create_directories(dir / "far/away");
  fs::create_symlink("far/next", dir / "link");
  fs::create_symlink("away/out.txt", dir / "far/next");
  for (const std::string text : {"made", "replaced"}) {
    write_file(dir / "link", text);
    EXPECT_TRUE(fs::is_symlink(dir / "link"));
    EXPECT_EQ(read_file(dir / "far/away/out.txt"), text);
  }
  fs::remove(dir / "far/away/out.txt");
  EXPECT_NE(error_of([&] {
              refuse_shared_files({dir / "link", dir / "far/away/out.txt"}, {});
            }).find("two outputs"),
            std::string::npos);
  EXPECT_NE(error_of([&] { refuse_outputs_in({dir / "link"}, {dir / "far/away"}); }).find("is inside the input folder"),
            std::string::npos);
  fs::create_symlink("none/out.txt", dir / "nowhere");
  EXPECT_EQ(error_of([&] { write_file(dir / "nowhere", ""); }), dir / "nowhere: No such file or directory");
  fs::create_symlink("circle", dir / "circle");
  EXPECT_EQ(error_of([&] { write_file(dir / "circle", ""); }), dir / "circle: Too many levels of symbolic links");
}

TEST(Output, IsAsPrivateAsWhatItReplaces) {
  TempDir dir;
  const std::string path = dir / "out.txt";
  for (const mode_t mode : {0600, 0644, 0444, 0666, 0750}) {
    for (const bool library : {false, true}) {
      write_file(path, "before");
      chmod(path.c_str(), mode);
      if (library) {
        AtomicFile file(path);
        struct stat info {};
        stat(file.temporary().c_str(), &info);
        EXPECT_EQ(info.st_mode & 0077, mode & 0077);
        std::ofstream(file.temporary()) << "text";
        file.commit();
      } else {
        write_file(path, "text");
      }
      struct stat info {};
      stat(path.c_str(), &info);
      EXPECT_EQ(info.st_mode & 0777, mode);
      EXPECT_EQ(read_file(path), "text");
      fs::remove(path);
    }
  }
}

TEST(Output, LongNames) {
  TempDir dir;
  const std::string name(NAME_MAX - 1, 'x');
  Output a(dir / (name + "a")), b(dir / (name + "b"));
  a << "a";
  b << "b";
  a.commit();
  b.commit();
  EXPECT_EQ(read_file(dir / (name + "a")) + read_file(dir / (name + "b")), "ab");
  EXPECT_EQ(dir.entries(), 2u);
}

TEST(RemoveAbandoned, KeepsWhatALivingProcessMayBeWriting) {
  TempDir dir;
  const std::string out = dir / "out", link = dir / "link";
  fs::create_symlink("out", link);
  const auto partial = [&](const std::string& target, pid_t process) {
    const std::string path = concat(target, ".", process, ".partial");
    write_file(path, "half");
    return path;
  };
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);  // a zombie
  const std::string zombies = partial(out, child), own = partial(out, getpid()), others = partial(dir / "other", child);
  remove_abandoned({link});
  EXPECT_FALSE(fs::exists(zombies));
  EXPECT_TRUE(fs::exists(own));
  EXPECT_TRUE(fs::exists(others));
  waitpid(child, nullptr, 0);
  fs::last_write_time(own, fs::last_write_time(own) - std::chrono::hours(24 * 365 * 20));  // before any process began
  remove_abandoned({link});
  EXPECT_FALSE(fs::exists(own));
}

}  // namespace
}  // namespace bigdna::io
