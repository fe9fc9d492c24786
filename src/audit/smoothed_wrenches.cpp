#include <algorithm>
#include <cmath>

#include "antaeus/audit/estimate.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/episode/episode.hpp"
#include "antaeus/estimation/contact_space_filter.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

Table smoothed_wrenches(const Robot& robot, const Episode& log, const EstimatePlan& plan, const Progress& progress) {
  if (!log.has_time()) {
    throw EpisodeError(log.name, "has no time stamps, so that nothing fades",
                       "record them, or leave " + arg(Input::smooth) + " out");
  }
  const AuditOptions& options = plan.options;
  const double time_constant = plan.smooth.value();
  std::vector<std::string> endpoints;
  for (const std::string& frame : plan.frames) {
    if (robot.kind_of(frame) != EndpointKind::foot) endpoints.push_back(frame);
  }
  InstantReader reader(robot, endpoints, options.equation);
  ResidualEstimator residual(robot, options.residual);
  const PosteriorEstimator posterior(reader, options.posterior);
  ContactSpaceSmoother smoother(reader, posterior, {.time_constant = time_constant, .error_time = time_constant});
  Observation sample;
  const Eigen::Index told = std::max<Eigen::Index>(1, log.steps() / 100);
  for (Eigen::Index step = 0; step < log.steps(); ++step) {
    if (progress && step % told == 0) progress(static_cast<double>(step) / static_cast<double>(log.steps()));
    log.observe(step, sample);
    smoother.add(residual.form(reader.at(sample)), step > 0 ? log.time[step] - log.time[step - 1] : 0.0);
  }

  std::vector<std::int64_t> steps;
  std::vector<double> time, worst_sd;
  TextColumn names, estimators, signs, frames, verdicts, reasons;
  std::vector<std::vector<double>> wrench(6), sd(6);
  Eigen::Index step = 0;
  for (const std::vector<WrenchEstimate>& estimates : smoother.smooth()) {
    for (std::size_t k = 0; k < estimates.size(); ++k) {
      const WrenchEstimate& one = estimates[k];
      const Vector6 w = one.wrench.to_vector();
      steps.push_back(step);
      time.push_back(log.time[step]);
      names.push_back(endpoints[k]);
      estimators.push_back("smoothed");
      signs.push_back(to_string(one.sign));
      frames.push_back("world_aligned");
      for (int row = 0; row < 6; ++row) {
        wrench[static_cast<std::size_t>(row)].push_back(w[row]);
        sd[static_cast<std::size_t>(row)].push_back(std::sqrt(one.uncertainty.covariance(row, row)));
      }
      worst_sd.push_back(one.uncertainty.worst_sd());
      verdicts.push_back(to_string(one.verdict));
      reasons.push_back(one.reasons.text());
    }
    ++step;
  }
  Table table;
  table.add({"step", "1", "index in the log, from 0", std::move(steps)});
  table.add({"time", "s", "time stamp of the log", std::move(time)});
  table.add({"endpoint", "", "the model's name of the frame at whose origin the wrench acts", std::move(names)});
  table.add({"estimator", "", "smoothed: the posterior over time, from the whole log", std::move(estimators)});
  table.add({"sign", "", "on_environment: robot on world; on_robot: world on robot", std::move(signs)});
  table.add({"frame", "", "world_aligned: origin of the endpoint, axes of the world", std::move(frames)});
  constexpr auto kRows = enum_names(WrenchRow{});
  for (std::size_t row = 0; row < 6; ++row) {
    table.add({std::string(kRows[row]), row < 3 ? "N" : "N·m", "of the wrench", std::move(wrench[row])});
  }
  for (std::size_t row = 0; row < 6; ++row) {
    table.add({"sd_" + std::string(kRows[row]), row < 3 ? "N" : "N·m", "its standard deviation", std::move(sd[row])});
  }
  table.add({"worst_sd", "N", "of the force, in its least known direction", std::move(worst_sd)});
  table.add({"verdict", "", "ok, degraded, refused or invalid_input", std::move(verdicts)});
  table.add({"reasons", "", "why the verdict is not ok: words separated by a space", std::move(reasons)});
  return table;
}

}  // namespace antaeus
