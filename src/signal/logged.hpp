#pragma once
// What savitzky_golay.cpp and resample.cpp ask of a logged matrix. Private to src/signal.

#include <string>

#include "antaeus/core/error.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// One finite time a row, never going back; else Error with the row.
inline void require_log(const char* place, const ConstVectorRef& time, Eigen::Index rows) {
  if (time.size() != rows)
    throw Error(place, std::to_string(time.size()) + " times for " + std::to_string(rows) + " rows",
                "give one per row");
  for (Eigen::Index row = 0; row < time.size(); ++row) {
    const std::string where = "time of row " + std::to_string(row);
    if (!time.segment<1>(row).allFinite()) throw Error(place, where + " is not finite", "leave the row out");
    if (row > 0 && time[row] < time[row - 1]) throw Error(place, where + " goes back", "sort the rows by time");
  }
}

}  // namespace antaeus
