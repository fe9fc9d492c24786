#pragma once
// The numbers of one step and series, one row a column: steps.csv, Parquet, docs/reference/schemas.md and the page's
// data are made from this list. Private to audit and report.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "antaeus/audit/reconstruction.hpp"

namespace antaeus::detail {

/// Where a column reads: one step of one series.
struct StepOfSeries {
  const Reconstruction& reconstruction;
  const EstimateSeries& series;
  Eigen::Index row;

  std::size_t at() const noexcept { return static_cast<std::size_t>(row); }
  /// Of the posterior alone, else null.
  const PosteriorTrace* trace() const noexcept { return series.posterior ? &*series.posterior : nullptr; }
};

using StepNumber = std::function<double(const StepOfSeries&)>;  // NaN: empty cell
using StepInteger = std::function<std::int64_t(const StepOfSeries&)>;
using StepText = std::function<std::string(const StepOfSeries&)>;

struct StepColumn {
  const char* name;
  const char* unit;  ///< "" for texts
  std::string meaning;
  std::variant<StepNumber, StepInteger, StepText> value;
};

/// In the order of the file.
const std::vector<StepColumn>& step_columns();
/// One of the columns that hold numbers. \throws Error for another name
const StepNumber& step_number(std::string_view column);

}  // namespace antaeus::detail
