#pragma once
/// Where the reference data live, and how a test says that they are absent.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/source_folder.hpp"

namespace antaeus::test {

/// Folder named by ANTAEUS_SHARED, else ../shared beside the project.
inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("ANTAEUS_SHARED")) return named;
  return source_folder() / ".." / "shared";
}

/// Folder of our own robots.
inline std::filesystem::path robots_folder() { return source_folder() / "robots"; }

/// What lays reference data where the tests look.
inline std::string remedy(const std::filesystem::path& relative) {
  const std::string first = relative.begin()->string();
  if (first == "episodes" || first == "robots") return "tools/incident_logs.sh CLONE lays it (docs/incident.md)";
  return "CONTRIBUTING.md, \"Data of others\", says where it is from; ANTAEUS_SHARED names the folder";
}

}  // namespace antaeus::test

/// Skips the running test, with the reason, where the reference data are absent.
#define ANTAEUS_REQUIRE_SHARED(relative)                                                                     \
  do {                                                                                                       \
    const std::filesystem::path wanted = relative;                                                           \
    const auto needed = antaeus::test::shared_folder() / wanted;                                             \
    if (!std::filesystem::exists(needed))                                                                    \
      GTEST_SKIP() << "reference data absent: " << needed.string() << ": " << antaeus::test::remedy(wanted); \
  } while (false)
