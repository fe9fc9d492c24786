#include "antaeus/io/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <csignal>
#include <fstream>

#include "antaeus/core/numbers.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "io_support.hpp"
#include "support/shared.hpp"

namespace antaeus {

namespace {

using test::TemporaryFolder;
namespace fs = std::filesystem;

/// Simulates a full disk: writes beyond the limit fail with EFBIG instead of killing the process.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST(Files, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\xff\n", 4);
  write_file(folder.path() / "b.bin", bytes);
  EXPECT_EQ(read_file(folder.path() / "b.bin"), bytes);
  write_file(folder.path() / "b.bin", "");
  EXPECT_EQ(read_file(folder.path() / "b.bin"), "");
  EXPECT_EQ(folder.entries(), 1U) << "a temporary file was left behind";
}

TEST(Files, ReadingNamesTheFileAndTheReason) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read_file(folder.path() / "absent.csv"), "absent.csv");
  EXPECT_ERROR(read_file(folder.path()), "folder");
  write_file(folder.path() / "large", "12345");
  EXPECT_EQ(read_file(folder.path() / "large", 5), "12345");
  EXPECT_ERROR(read_file(folder.path() / "large", 4), "larger than 4 bytes");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_file(folder.path() / "pipe"), "not a regular file");
}

TEST(Files, AFileWithoutADeclaredSizeIsReadToItsEnd) {
  if (!fs::exists("/proc/self/status")) ANTAEUS_SKIP("/proc is not mounted", "mount -t proc proc /proc");
  EXPECT_NE(read_file("/proc/self/status").find("Pid:"), std::string::npos);
}

TEST(FileSet, MakesFoldersAndReplacesFiles) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "new" / "report";
  for (const std::string bytes : {"first", "second"}) {
    FileSet files(out, Existing::any);
    files.add("steps.csv", bytes);
    files.add("assets/data.json", bytes + "!");
    files.commit();
    EXPECT_EQ(read_file(out / "steps.csv"), bytes);
    EXPECT_EQ(read_file(out / "assets/data.json"), bytes + "!");
  }
  EXPECT_EQ(folder.entries(), 5U) << "two folders of ours, one of the set, two files, and nothing else";
}

TEST(FileSet, RefusesNamesThatLeaveTheFolder) {
  FileSet files("out");
  for (const std::string name : {"", "..", "../x", "a/../../x", "/etc/x", ".", "a/", "a/./b"}) {
    EXPECT_THROW(files.add(name, ""), Error) << name;
  }
  EXPECT_THROW(files.add(std::string("a\0b", 3), ""), Error);
  files.add("a", "");
  EXPECT_ERROR(files.add("a", ""), "already");
  EXPECT_FALSE(fs::exists("out")) << "nothing is made before the commit";
}

TEST(FileSet, AFolderInTheWayLeavesNothing) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "taken");
  FileSet files(folder.path());
  files.add("first", "1");
  files.add("taken", "2");
  EXPECT_ERROR(files.commit(), "taken");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(FileSet, AFullDiskLeavesTheOldFilesAsTheyWere) {
  const TemporaryFolder folder;
  write_file(folder.path() / "small", "old");
  FileSet files(folder.path(), Existing::any);
  files.add("small", "new");
  files.add("deep/large", std::string(100000, 'x'));
  {
    const FileSizeLimit limit(4096);
    EXPECT_ERROR(files.commit(), "large: cannot be written");
  }
  EXPECT_EQ(read_file(folder.path() / "small"), "old");
  EXPECT_EQ(folder.entries(), 1U) << "a temporary file or a made folder was left behind";
  files.commit();
  EXPECT_EQ(read_file(folder.path() / "small"), "new");
}

TEST(FileSet, ANameThatIsAFileAndAFolderLeavesNothing) {
  const TemporaryFolder folder;
  write_file(folder.path() / "replaced", "old");
  FileSet files(folder.path(), Existing::any);
  files.add("replaced", "new");
  files.add("both", "a file");
  files.add("both/x", "and a folder");
  EXPECT_ERROR(files.commit(), "both/x: cannot be written");
  EXPECT_EQ(read_file(folder.path() / "replaced"), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(FileSet, AFailureBetweenTheRenamesBringsTheOldFilesBack) {
  // In a sticky folder another user's file may be written to and linked, but not replaced: only the rename finds out.
  constexpr uid_t kNobody = 65534;
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "sticky";
  fs::create_directory(out);
  write_file(out / "first", "old");
  write_file(out / "second", "another user's");
  ::chmod(folder.path().c_str(), 0755);
  ::chmod(out.c_str(), 01777);
  ::chmod((out / "second").c_str(), 0666);
  if (::geteuid() != 0 || ::chown((out / "first").c_str(), kNobody, kNobody) != 0 || ::seteuid(kNobody) != 0) {
    ANTAEUS_SKIP("only root can make files of another user", "sudo build/bin/io_tests");
  }
  FileSet files(out, Existing::any);
  files.add("first", "new");
  files.add("second", "new");
  files.add("third", "new");
  const std::string message = test::message_of([&] { files.commit(); });
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_NE(message.find("second: cannot be written"), std::string::npos) << message;
  EXPECT_EQ(read_file(out / "first"), "old");
  EXPECT_EQ(read_file(out / "second"), "another user's");
  EXPECT_EQ(folder.entries(), 3U) << "the folder and its two files";
}

TEST(FileSet, AFolderIsReplacedAsOneAndKeepsWhatElseIsInIt) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  for (const std::string bytes : {"old", "new"}) {
    FileSet files(out, Existing::any);
    files.add("a", bytes);
    files.add("b", bytes);
    files.commit();
    if (bytes == "new") break;
    write_file(out / "notes.txt", "mine");
    fs::create_symlink("notes.txt", out / "link");
    fs::permissions(out, fs::perms::owner_all | fs::perms::group_read);
  }
  EXPECT_EQ(read_file(out / "a"), "new");
  EXPECT_EQ(read_file(out / "notes.txt"), "mine");
  EXPECT_EQ(fs::read_symlink(out / "link"), "notes.txt");
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_all | fs::perms::group_read);
  EXPECT_EQ(folder.entries(), 5U) << "the folder, two files of the set, two of the user, and nothing else";
}

TEST(FileSet, AReaderOfTheFolderSeesOneSet) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& bytes) {
    FileSet files(folder.path() / "out", Existing::any);
    files.add("a", bytes);
    files.add("b", bytes);
    files.commit();
  };
  write("old");
  const int before = ::open((folder.path() / "out").c_str(), O_RDONLY | O_DIRECTORY);
  struct stat old{}, now{};
  ASSERT_EQ(::fstat(before, &old), 0);
  write("new");
  ASSERT_EQ(::stat((folder.path() / "out").c_str(), &now), 0);
  EXPECT_NE(old.st_ino, now.st_ino) << "one exchange of folders, not one rename a file";
  ::close(before);
}

TEST(FileSet, AFolderThatHoldsMoreThanResultsStaysTheSameFolder) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  fs::create_directories(out / "photographs");
  struct stat old{}, now{};
  ASSERT_EQ(::stat(out.c_str(), &old), 0);
  FileSet files(out);
  files.add("a", "1");
  files.add("b", "2");
  files.commit();
  ASSERT_EQ(::stat(out.c_str(), &now), 0);
  EXPECT_EQ(old.st_ino, now.st_ino);
  EXPECT_EQ(folder.entries(), 4U);
}

/// Writes a file as another program does.
void write_as_user(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// Writes a folder of results with this text in each of its files.
void write_results(const fs::path& out, const std::string& command, const std::string& text) {
  FileSet files(out);
  files.add("summary.json", Json::object().set("schema", "antaeus." + command + "/1").set("text", text).dump());
  files.add("steps.csv", "step,force\n" + text + "\n");
  files.add("plot.bin", text);
  files.commit();
}

TEST(OwnResults, OfTheSameCommandAreReplaced) {
  const TemporaryFolder folder;
  for (const std::string text : {"old", "new"}) write_results(folder.path() / "out", "audit", text);
  EXPECT_EQ(read_file(folder.path() / "out" / "plot.bin"), "new");
}

TEST(OwnResults, FilesOfTheUserAreRefusedByName) {
  for (const std::string name : {"summary.json", "steps.csv", "plot.bin"}) {
    const TemporaryFolder folder;
    write_as_user(folder.path() / name, "{\"schema\": \"mine/1\"}, mine");
    EXPECT_ERROR(write_results(folder.path(), "audit", "new"),
                 name + ": exists and is not a result of this command; choose another name, or move it away");
    EXPECT_EQ(read_file(folder.path() / name), "{\"schema\": \"mine/1\"}, mine");
    EXPECT_EQ(folder.entries(), 1U);
  }
}

TEST(OwnResults, AFileOfTheUserAmongResultsOfAnotherCommandIsRefused) {
  const TemporaryFolder folder;
  FileSet files(folder.path());
  files.add("summary.json", Json::object().set("schema", "antaeus.check/1").dump());
  files.add("report.txt", "of check");
  files.commit();
  write_as_user(folder.path() / "plot.bin", "mine");
  EXPECT_ERROR(write_results(folder.path(), "audit", "new"), "plot.bin: exists and is not a result");
  fs::remove(folder.path() / "plot.bin");
  write_results(folder.path(), "audit", "new");
  EXPECT_EQ(read_file(folder.path() / "report.txt"), "of check");
}

TEST(OwnResults, LinksAreNeitherFollowedNorReplaced) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  write_results(out, "audit", "old");
  fs::rename(out / "steps.csv", folder.path() / "moved.csv");
  fs::create_symlink("../moved.csv", out / "steps.csv");
  EXPECT_ERROR(write_results(out, "audit", "new"), "steps.csv: is a link, which is neither followed nor replaced");
  EXPECT_EQ(fs::read_symlink(out / "steps.csv"), "../moved.csv");
  EXPECT_EQ(read_file(folder.path() / "moved.csv"), "step,force\nold\n");
  fs::create_symlink("nowhere.csv", folder.path() / "lone.csv");
  EXPECT_ERROR(write_file(folder.path() / "lone.csv", "new", Existing::own), "lone.csv: is a link");
}

TEST(OwnResults, AHardLinkKeepsItsBytes) {
  const TemporaryFolder folder;
  write_results(folder.path() / "out", "audit", "old");
  fs::create_hard_link(folder.path() / "out" / "plot.bin", folder.path() / "kept.bin");
  write_results(folder.path() / "out", "audit", "new");
  EXPECT_EQ(read_file(folder.path() / "kept.bin"), "old");
}

TEST(OwnResults, AFileWithoutRoomForAMarkIsRecognisedAndItsCopyIsNot) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "tau.npy", moved = folder.path() / "moved.npy";
  write_file(file, "old", Existing::own);
  if (::getxattr(file.c_str(), "user.antaeus.result", nullptr, 0) < 0)
    ANTAEUS_SKIP("no extended attributes", "TMPDIR=FOLDER make test");
  write_file(file, "new", Existing::own);
  EXPECT_EQ(read_file(file), "new");
  fs::rename(file, moved);
  write_file(moved, "newer", Existing::own);
  std::array<char, 32> mark{};
  const ssize_t size = ::getxattr(moved.c_str(), "user.antaeus.result", mark.data(), mark.size());
  ASSERT_GT(size, 0);
  write_file(file, "copied with its attributes");
  ASSERT_EQ(::setxattr(file.c_str(), "user.antaeus.result", mark.data(), static_cast<std::size_t>(size), 0), 0);
  EXPECT_ERROR(write_file(file, "newest", Existing::own), "tau.npy: exists and is not a result of this command");
}

TEST(FileSet, ALinkToAFolderStaysALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "real");
  fs::create_directory_symlink("real", folder.path() / "link");
  FileSet files(folder.path() / "link" / "");
  files.add("a", "1");
  files.add("b", "2");
  files.commit();
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "real" / "b"), "2");
  EXPECT_EQ(folder.entries(), 4U);
}

TEST(ScratchFolder, WhatADeadOwnerLeftGoesAndALivingOnesStays) {
  const TemporaryFolder folder;
  const fs::path dead = folder.path() / ".antaeus-0123456789abcdef";
  const fs::path alike = folder.path() / ".antaeus-notes";
  fs::create_directories(dead / "deep");
  fs::create_directory(alike);
  const ScratchFolder living(folder.path());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alike)) << "no name of ours";
  {
    const ScratchFolder other(folder.path());
    EXPECT_TRUE(fs::exists(living.path()));
    EXPECT_NE(other.path(), living.path());
  }
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(FileSet, AFileInThePlaceOfItsFolderIsNamed) {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "");
  EXPECT_ERROR(write_file(folder.path() / "file" / "x", ""), "file");
  EXPECT_EQ(read_file(folder.path() / "file"), "");
}

TEST(FileSet, AnUnwritableFolderIsNamed) {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  const uid_t user = ::geteuid();
  constexpr uid_t kNobody = 65534;
  // Root may write anywhere, so it steps down for the attempt.
  if (user == 0 && ::seteuid(kNobody) != 0)
    ANTAEUS_SKIP("root cannot become another user", "setpriv --reuid=65534 build/bin/io_tests");
  const std::string message = test::message_of([&] { write_file(folder.path() / "x", "1"); });
  ASSERT_TRUE(user != 0 || ::seteuid(user) == 0);
  EXPECT_NE(message.find("choose a folder that you may write to"), std::string::npos) << message;
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(FileSet, ADeviceIsNotReplaced) {
  EXPECT_ERROR(write_file("/dev/null", "x"), "not a regular file");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(FileSet, ANameTooLongLeavesNothing) {
  const TemporaryFolder folder;
  FileSet files(folder.path());
  files.add("a", "1");
  files.add(std::string(300, 'n'), "2");
  EXPECT_THROW(files.commit(), Error);
  EXPECT_EQ(folder.entries(), 0U);
}

}  // namespace antaeus
