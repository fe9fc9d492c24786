#pragma once
/// Where the reference data live, and how a test says that they are absent.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace antaeus::test {

/// Folder named by ANTAEUS_SHARED, else ../shared beside the project.
inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("ANTAEUS_SHARED")) return named;
  return std::filesystem::path(ANTAEUS_SOURCE_DIR) / ".." / "shared";
}

/// Folder of our own robots.
inline std::filesystem::path robots_folder() { return std::filesystem::path(ANTAEUS_SOURCE_DIR) / "robots"; }

}  // namespace antaeus::test

/// Skips the running test, with the reason, where the reference data are absent.
#define ANTAEUS_REQUIRE_SHARED(relative)                                                                \
  do {                                                                                                  \
    const auto needed = antaeus::test::shared_folder() / (relative);                                    \
    if (!std::filesystem::exists(needed)) GTEST_SKIP() << "reference data absent: " << needed.string(); \
  } while (false)
