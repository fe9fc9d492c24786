#include "antaeus/trust/reliability.hpp"

#include <algorithm>
#include <cmath>

namespace antaeus {

ReliabilityEstimator::ReliabilityEstimator(const InstantReader& reader, const PosteriorEstimator& posterior) {
  scale_.head<3>().setConstant(posterior.options().prior.force);
  scale_.tail<3>().setConstant(posterior.options().prior.moment);
  const Eigen::Index motors = reader.model().motor_count();
  for (int k = 0; k < reader.endpoint_count(); ++k) {
    const auto frame = reader.model().frame(reader.endpoint_names()[k]);
    const std::vector<int> supporting = reader.model().supporting_motors(frame);
    std::vector<int> rows;
    for (const int motor : supporting) {
      const auto& own = posterior.rows(k);
      const bool used = std::find(own.begin(), own.end(), motor) != own.end();
      if (used || motor == reader.reference_motor()) rows.push_back(motor);
    }
    const int height = static_cast<int>(rows.size());
    rows_.push_back({rows, MatrixX::Zero(height, 6), VectorX::Constant(height, 1.0), Redundancy(height, 6)});
    EndpointReliability result;
    result.reset(motors);
    results_.push_back(std::move(result));
  }
}

const std::vector<EndpointReliability>& ReliabilityEstimator::judge(const PosteriorEstimates& estimates) noexcept {
  const Residual& residual = estimates.residual;
  const Instant& now = estimates.instant;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    EndpointReliability& result = results_[k];
    Rows& rows = rows_[k];
    result.invalidate(residual.current());
    if (k >= estimates.size() || now.endpoint_count() != static_cast<int>(results_.size())) {
      result.status = Status::wrong_size;
    }
    if (result.status != Status::ok) continue;
    for (std::size_t i = 0; i < rows.motors.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      rows.A.row(at) = now.jacobian(static_cast<int>(k)).col(rows.motors[i]).transpose();
      rows.variance[at] = residual.variance[rows.motors[i]];
    }
    result.status = rows.redundancy.compute(rows.A, rows.variance, scale_);
    if (result.status != Status::ok) continue;
    result.prior_free_total = rows.redundancy.total();
    result.condition = rows.redundancy.condition();
    result.sigma_min = rows.redundancy.sigma_min();
    result.total_redundancy = 0.0;
    for (std::size_t i = 0; i < rows.motors.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const int motor = rows.motors[i];
      result.prior_free_redundancy[motor] = rows.redundancy.numbers()[at];
      result.prior_free_bias[motor] = rows.redundancy.minimal_detectable_bias()[at];
      const double precision = estimates.row_precision[motor];
      if (!std::isfinite(precision)) continue;
      result.redundancy[motor] = estimates.row_redundancy[motor];
      result.minimal_detectable_bias[motor] = kBaardaNoncentrality / std::sqrt(precision);
      result.external_force[motor] =
          estimates[k].gain.col(motor).head<3>().norm() * result.minimal_detectable_bias[motor];
      result.total_redundancy += result.redundancy[motor];
    }
  }
  return results_;
}

}  // namespace antaeus
