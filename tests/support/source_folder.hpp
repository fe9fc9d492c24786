#pragma once
/// Root of the source tree. Defined in one file, so that the path of the checkout is part of one compile command only
/// and a compiler cache serves every clone.

#include <filesystem>

namespace antaeus::test {

/// Returns the root of the source tree that the tests were built from.
std::filesystem::path source_folder();

}  // namespace antaeus::test
