#include "support/source_folder.hpp"

namespace antaeus::test {

std::filesystem::path source_folder() { return ANTAEUS_SOURCE_DIR; }

}  // namespace antaeus::test
