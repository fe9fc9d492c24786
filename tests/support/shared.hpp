#pragma once
/// \file
/// Folders of the test data, and the one form of a skip: what is missing, and the command that enables the test.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/source_folder.hpp"

namespace antaeus::test {

/// Folder named by ANTAEUS_SHARED, else ../shared next to the project.
inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("ANTAEUS_SHARED")) return named;
  return source_folder() / ".." / "shared";
}

/// Folder of our own robots.
inline std::filesystem::path robots_folder() { return source_folder() / "robots"; }

/// Returns the command that provides reference data. CLONE is a clone of the logs' repository
/// (docs/concepts/incident.md), FOLDER holds the data that CONTRIBUTING.md lists.
inline std::string providing_command(const std::filesystem::path& relative) {
  const std::string first = relative.begin()->string();
  return first == "episodes" || first == "robots" ? "tools/incident_logs.sh CLONE" : "ANTAEUS_SHARED=FOLDER make test";
}

/// Folder `robots` of the package example-robot-data: ANTAEUS_EXAMPLE_ROBOTS, else that of the build's environment.
inline std::filesystem::path example_robots_folder() {
  if (const char* named = std::getenv("ANTAEUS_EXAMPLE_ROBOTS")) return named;
  const char* const packages = std::getenv("ANTAEUS_SITE_PACKAGES");
  return std::filesystem::path(packages ? packages : "") / "cmeel.prefix/share/example-robot-data/robots";
}

inline constexpr const char* kExampleRobotsCommand =
    "build/venv/bin/python -m pip install --no-deps example-robot-data";

}  // namespace antaeus::test

/// Skips the running test. `tools/count_tests.py` reads the command after "run:".
#define ANTAEUS_SKIP(missing, command) GTEST_SKIP() << (missing) << "; run: " << (command)

/// Skips the running test if the reference data at \p relative are missing.
#define ANTAEUS_REQUIRE_SHARED(relative)                                           \
  do {                                                                             \
    const std::filesystem::path needed = relative;                                 \
    if (!std::filesystem::exists(antaeus::test::shared_folder() / needed))         \
      ANTAEUS_SKIP("reference data '" + needed.string() + "' are missing in " +    \
                       antaeus::test::shared_folder().lexically_normal().string(), \
                   antaeus::test::providing_command(needed));                      \
  } while (false)
