#pragma once
/// \file
/// The wrenches of a recorded log, step by step, as one table: what `antaeus estimate` prints and writes.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/audit/reconstruction.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/progress.hpp"
#include "antaeus/episode/episode_reader.hpp"

namespace antaeus {

/// What to estimate of a log.
struct EstimateRequest {
  EstimatorName estimator = EstimatorName::posterior;
  std::vector<std::string> endpoints;  ///< frames or labels; empty: the profile's
  /// [s] The posterior of the whole log, before and after each step: the time after which a force is forgotten to 37 %.
  std::optional<double> smooth;
};

/// A request whose names were looked up: all that can be wrong without the log was refused.
struct EstimatePlan {
  EstimatorName estimator = EstimatorName::posterior;
  std::optional<double> smooth;
  std::vector<std::string> frames;    ///< of the endpoints that are asked for
  std::vector<std::string> left_out;  ///< labels of those that this estimator has no series of
  std::vector<std::string> senses;    ///< of a posterior: what limbs do not sense by their build, in sentences
  AuditOptions options;
};

/// Why an endpoint is left out.
inline constexpr const char* kWhyLeftOut = "a foot carries the robot, and the posterior's prior is that of a push";

/// \throws ModelError for an endpoint (with the nearest name), OptionsError where no endpoint is left, for `smooth` of
///         another estimator than the posterior or of no time above 0, and as the options of the robot's settings
ANTAEUS_API EstimatePlan plan_estimate(const Robot& robot, const EstimateRequest& request);

/// A log's estimates, part after part: neither the log nor what is known of each step is in memory as a whole. Without
/// `smooth`, which wants the whole log; where smooth.zero_phase is set the log, too, is read whole.
class ANTAEUS_API LogEstimates {
 public:
  /// Checks the log: where its set-up is wrong, no step's posterior is `ok`. \throws ModelError, OptionsError
  LogEstimates(const Robot& robot, EpisodeReader log, const EstimatePlan& plan);
  ~LogEstimates();
  LogEstimates(const LogEstimates&) = delete;
  LogEstimates& operator=(const LogEstimates&) = delete;

  /// The next steps; nothing once all were handed over. steps_table() of it has its columns. \throws as
  /// EpisodeReader::next
  std::optional<Reconstruction> next(const Progress& progress = {});
  /// The samples of the steps that next() handed over last; nothing before.
  const std::optional<Episode>& samples() const noexcept;
  Eigen::Index steps() const noexcept;
  /// The log without samples, with what was found at the steps so far: invalid steps, and a note of those whose numbers
  /// are too large.
  const Episode& log() const noexcept;
  /// Why its residuals are static, as why_static() says of the steps that came first.
  const std::string& why() const noexcept;
  /// What check_log says of it.
  const CheckResult& check() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The posterior at every step from the whole log, before and after it. Columns as steps.csv
/// (docs/reference/schemas.md), `estimator` is "smoothed"; sd_Mx … beside sd_Fx …. \throws EpisodeError for a log
/// without a clock
ANTAEUS_API Table smoothed_wrenches(const Robot& robot, const Episode& log, const EstimatePlan& plan,
                                    const Progress& progress = {});

/// Returns the notes on errors of the configuration (set_up_sentences), why residuals are static and what limbs
/// observe, in this order.
ANTAEUS_API std::vector<Note> configuration_notes(const std::vector<std::string>& errors, const std::string& why_static,
                                                  const std::vector<std::string>& senses);

/// The estimates of a whole log.
struct ANTAEUS_API EstimateTable {
  std::string log, robot;
  std::string estimator;  ///< "posterior", "deployed", "stacked" or "smoothed"
  Sign sign = Sign::on_environment;
  Eigen::Index steps = 0;
  /// docs/reference/schemas.md: one row per step and endpoint; frame: endpoint's origin, world axes
  std::shared_ptr<const Table> table;
  std::vector<std::string> left_out;  ///< labels of endpoints that this estimator has no series of
  std::vector<Note> notes;            ///< errors of its set-up, why its residuals are static, what limbs do not sense,
                                      ///< steps that cannot be used, why endpoints are left out
  /// How many rows have which verdict, in the order of Verdict; those that none has are missing.
  std::vector<std::pair<std::string, std::size_t>> verdicts() const;
};

/// What `antaeus estimate` does: the same numbers to the bit. \throws as the parts above
ANTAEUS_API EstimateTable estimate_log(const Robot& robot, Episode log, const EstimatePlan& plan,
                                       const Progress& progress = {});

/// A name must not promise what is not in the file; one without an ending promises nothing, and is CSV.
/// \throws OptionsError at \p place for another ending than .csv and .parquet
ANTAEUS_API void check_table_ending(const std::filesystem::path& file, const std::string& place);
/// Writes the table as the command line writes it, the same bytes, whole or not at all.
/// \throws OptionsError as check_table_ending(), Error for a file that cannot be written
ANTAEUS_API void write_estimates(const EstimateTable& estimates, const std::filesystem::path& file,
                                 const std::string& place);

}  // namespace antaeus
