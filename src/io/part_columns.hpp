#pragma once
// Whether the parts of a table belong together. Private to src/io.

#include <string>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

inline std::vector<std::string> column_names(const Table& part) {
  std::vector<std::string> names;
  for (const Column& column : part.columns()) names.push_back(column.name);
  return names;
}

/// \throws Error
inline void check_same_columns(const std::vector<std::string>& names, const Table& part) {
  if (column_names(part) != names) {
    throw Error("table", "a part has other columns than the first",
                "give every part the same columns in the same order");
  }
}

}  // namespace antaeus
