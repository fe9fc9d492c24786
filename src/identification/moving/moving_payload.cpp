#include "antaeus/identification/moving/moving_payload.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"
#include "identification/moving/moving_gram.hpp"

namespace antaeus {

namespace detail {

namespace {

using Ten = Eigen::Matrix<double, 10, 1>;
using TenByTen = Eigen::Matrix<double, 10, 10>;

/// m, m c, inertia about the frame's origin: RobotModel::inertial_parameters' order.
Ten parameters_of(const Inertial& body) {
  const Vector3& c = body.center_of_mass;
  const Matrix3 about_origin = body.inertia + body.mass * (c.dot(c) * Matrix3::Identity() - c * c.transpose());
  Ten result;
  result << body.mass, body.mass * c, about_origin(0, 0), about_origin(0, 1), about_origin(1, 1), about_origin(0, 2),
      about_origin(1, 2), about_origin(2, 2);
  return result;
}

struct Carrier {
  int body = -1;
  TenByTen map;  ///< parameters in the frame → those of the body that carries it
};

/// The map is linear; ten bodies that can exist, hung on the frame one after the other, give it.
Carrier carrier_of(const RobotModel& model, const std::string& frame) {
  const VectorX bare = model.inertial_parameters();
  TenByTen in_frame, in_body;
  Carrier carrier;
  for (int k = 0; k < 10; ++k) {
    Payload load{frame, {}};
    load.inertial.mass = 1.0;
    load.inertial.inertia = 0.1 * Matrix3::Identity();
    if (k == 0) load.inertial.mass = 2.0;
    if (k >= 1 && k <= 3) load.inertial.center_of_mass[k - 1] = 0.1;
    static constexpr int kRows[] = {0, 0, 1, 0, 1, 2}, kColumns[] = {0, 1, 1, 2, 2, 2};
    if (k >= 4) {
      load.inertial.inertia(kRows[k - 4], kColumns[k - 4]) += 0.02;
      if (kRows[k - 4] != kColumns[k - 4]) load.inertial.inertia(kColumns[k - 4], kRows[k - 4]) += 0.02;
    }
    ModelOptions options = model.options();
    options.payloads.push_back(load);
    const VectorX added = RobotModel(model.description(), options).inertial_parameters() - bare;
    if (k == 0) {
      for (int body = 0; body < model.body_count(); ++body) {
        if (added[10 * body] > 1.0) carrier.body = body;
      }
    }
    if (carrier.body < 0) return carrier;  // the frame is fixed to the world
    in_frame.col(k) = parameters_of(load.inertial);
    in_body.col(k) = added.segment<10>(10 * carrier.body);
  }
  carrier.map = in_body * in_frame.inverse();
  return carrier;
}

}  // namespace

}  // namespace detail

PayloadFit fit_payload(const Robot& robot, const std::vector<MovingLog>& unloaded, const std::vector<MovingLog>& loaded,
                       const std::string& frame, const MovingFitOptions& options, const Pulse& pulse) {
  PayloadFit result;
  robot.model.frame(frame);  // throws for one that does not exist
  const MovingFit bare = fit_moving(robot, unloaded, options, pulse);
  const MovingFit with = fit_moving(robot, loaded, options, pulse);  // its σ and T: a load changes friction
  for (const std::string& text : bare.missing) result.missing.push_back("without payload: " + text);
  for (const std::string& text : with.missing) result.missing.push_back("with payload: " + text);
  const detail::Carrier carrier = detail::carrier_of(robot.model, frame);
  if (carrier.body < 0) result.missing.push_back(frame + " does not move: no torque depends on a load there");
  if (options.effort_units) result.missing.emplace_back("a mass needs torques in N·m");
  if (!result.missing.empty()) return result;

  const detail::MovingRows rows = [&] {
    detail::MovingRows all = detail::moving_rows(robot, loaded, options, pulse);
    detail::examine_channels(robot, all, options);
    return all;
  }();
  const TorqueParameters at = rows.at;
  const MatrixX& L = bare.noise.factor;
  const int parameters = static_cast<int>(L.cols()), load = parameters, offset = load + 10;
  const int count = offset + detail::kOfLog * at.motors;
  constexpr double kMass = 10.0;  // [kg] prior sd: wide for what an arm carries
  detail::Ten prior;
  prior << kMass, 0.1 * kMass * Vector3::Ones(), 0.01 * kMass * Vector6::Ones();
  // In units of the prior, as the fit itself: θ = θ̂ + L z, payload, change of friction and offsets.
  MatrixX A = MatrixX::Identity(count, count);
  VectorX b = VectorX::Zero(count), x = VectorX::Zero(count);
  for (int j = 0; j < at.motors; ++j) {
    const double sd = std::max(bare.channels[j].white_sd, with.channels[j].white_sd);
    const double period = std::max(bare.channels[j].integral_time, with.channels[j].integral_time);
    if (bare.channels[j].use != ChannelUse::used || with.channels[j].use != ChannelUse::used) continue;
    const double weight = rows.step / (period * sd * sd);
    const detail::JointRows& joint = rows.joints[j];
    const MatrixX own = detail::factor_of_joint(rows, j, L);
    const auto found = std::ranges::find(joint.columns, 10 * carrier.body);
    const bool feels = found != joint.columns.end();  // what hangs there
    const Eigen::Index place = found - joint.columns.begin();
    for (Eigen::Index t = 0; t < rows.samples(); ++t) {
      if (!joint.use[t]) continue;
      if (t % 1024 == 0) detail::beat(rows);
      x.setZero();
      x.head(parameters) = detail::predicted_deviation(rows, j, t, own);
      const double mean = detail::predicted(rows, j, t, bare.noise.parameters);
      if (feels) {
        x.segment<10>(load) =
            prior.cwiseProduct(carrier.map.transpose() * joint.X.row(t).segment<10>(place).transpose());
      }
      // The loaded log has its own friction and offset; a drive need not rest where it rested.
      const detail::OfLog own_day = detail::columns_of_log(rows, j, t);
      x.segment<detail::kOfLog>(offset + detail::kOfLog * j) =
          own_day.cwiseProduct(detail::OfLog(bare.noise.coulomb_sd[j], bare.noise.viscous_sd[j], sd));
      A.selfadjointView<Eigen::Lower>().rankUpdate(x, weight);
      b += weight * (joint.reading[t] - joint.expected[t] - mean) * x;
    }
  }
  const Eigen::LLT<MatrixX> cholesky(A);
  const VectorX solution = cholesky.solve(b);
  const MatrixX covariance = cholesky.solve(MatrixX::Identity(count, count));
  const detail::Ten estimate = prior.cwiseProduct(solution.segment<10>(load));
  const detail::TenByTen C = prior.asDiagonal() * covariance.block<10, 10>(load, load) * prior.asDiagonal();
  result.mass = estimate[0];
  result.mass_sd = std::sqrt(C(0, 0));
  if (C(0, 0) > 0.5 * kMass * kMass) {
    result.missing.emplace_back("the motion does not show the payload's mass: move joints that gravity loads");
    result.mass = result.mass_sd = kNaN;
    return result;
  }
  constexpr double kSure = 2.0;  // sds
  if (result.mass < -kSure * result.mass_sd) {
    result.missing.push_back("the payload's mass would be " + detail::rounded(result.mass) + " ± " +
                             detail::rounded(result.mass_sd) +
                             " kg, which no body has: are the logs with and without it exchanged, gravity taken out of "
                             "one, or a gain wrong?");
    result.mass = result.mass_sd = kNaN;
    return result;
  }
  result.mass = std::max(0.0, result.mass);
  result.identified = true;
  if (result.mass <= 2.0 * result.mass_sd) return result;  // the centre of nothing
  result.center = estimate.segment<3>(1) / result.mass;
  for (int axis = 0; axis < 3; ++axis) {
    const double c = result.center[axis];
    const double variance = C(1 + axis, 1 + axis) - 2.0 * c * C(0, 1 + axis) + c * c * C(0, 0);
    result.center_sd[axis] = std::sqrt(std::max(0.0, variance)) / result.mass;
  }
  return result;
}

}  // namespace antaeus
