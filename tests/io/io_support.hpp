#pragma once
/// What the tests of this module share.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "antaeus/core/error.hpp"

namespace antaeus::test {

/// An empty folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "antaeus-io-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Number of entries, hidden ones included.
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

/// The message of the Error that the work throws; the test fails when it throws none.
template <class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

inline bool contains(const std::string& message, const std::string& text) {
  return message.find(text) != std::string::npos;
}

}  // namespace antaeus::test

/// The statement throws an Error whose message contains the text.
#define EXPECT_ERROR(statement, text)                                                                     \
  EXPECT_PRED2(antaeus::test::contains, antaeus::test::message_of([&] { static_cast<void>(statement); }), \
               std::string(text))
