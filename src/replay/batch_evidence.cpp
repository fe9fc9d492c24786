#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/gaussian_posterior.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/signal/chi_squared.hpp"
#include "core/decompositions.hpp"
#include "replay/batch_tree.hpp"
#include "robot/standing_friction.hpp"

namespace antaeus::detail {

namespace {

void check(const BatchPosteriorOptions& options, const BatchTree& tree) {
  const BatchNumbers& numbers = tree.numbers;
  if (std::ssize(options.rows) != numbers.frame_count) {
    throw OptionsError(
        "posterior.rows",
        std::to_string(options.rows.size()) + " lists for " + std::to_string(numbers.frame_count) + " endpoints",
        "give one an endpoint, which may be empty");
  }
  if (!(options.force_prior > 0.0) || !std::isfinite(options.force_prior)) {
    throw OptionsError("posterior.force_prior", "not a positive number", "give its sd in newtons");
  }
  if (!(options.moment_prior >= 0.0) || !std::isfinite(options.moment_prior)) {
    throw OptionsError("posterior.moment_prior", "negative or no number",
                       "give its sd in newton metres, or 0 for contacts without moment");
  }
  if (options.reference_motor < -1 || options.reference_motor >= numbers.motor_count) {
    throw OptionsError("posterior.reference_motor",
                       "motor " + std::to_string(options.reference_motor) + " does not exist",
                       "give a motor, or −1 for none");
  }
  if (!(options.contact_shown > 0.0 && options.contact_shown < 1.0)) {
    throw OptionsError("posterior.contact_shown", "no probability between 0 and 1", "give one, such as 0.001");
  }
  std::vector<int> owner(static_cast<std::size_t>(numbers.motor_count), -1);
  for (std::size_t e = 0; e < options.rows.size(); ++e) {
    for (const int motor : options.rows[e]) {
      const std::string place = "posterior.rows of endpoint " + std::to_string(e);
      const auto carries = [&](int joint) { return tree.joints[static_cast<std::size_t>(joint)].motor == motor; };
      if (std::none_of(tree.supports[e].begin(), tree.supports[e].end(), carries)) {
        throw OptionsError(place, "motor " + std::to_string(motor) + " does not move it",
                           "name motors of BatchModel::supporting_motors()");
      }
      if (motor == options.reference_motor) {
        throw OptionsError(place, "motor " + std::to_string(motor) + " is the reference motor, whose row only tests",
                           "leave it out, or name another reference motor");
      }
      int& before = owner[static_cast<std::size_t>(motor)];
      if (before >= 0) {
        throw OptionsError(
            place, "motor " + std::to_string(motor) + " is a row of endpoint " + std::to_string(before) + " too",
            "give each motor to one endpoint: those that share rows have no posterior of their own");
      }
      before = static_cast<int>(e);
    }
  }
}

/// A column of the regressor that is in doubt: of a part of a model's body, or of a number of a motor.
struct Doubt {
  int parameter = 0;
  std::vector<int> rows;  ///< of the block, that hang on it
  int body = -1, part = 0;
  BatchDoubtedNumber::Kind kind = BatchDoubtedNumber::Kind::offset;
};

/// Rows of a block whose motors stand between the root and a body of the tree.
std::vector<int> rows_that_carry(const BatchBlock& block, const std::vector<bool>& known, int body,
                                 const BatchTree& tree) {
  std::vector<int> rows;
  for (int at = body; at > 0; at = tree.joints[static_cast<std::size_t>(at) - 1].before) {
    const int motor = tree.joints[static_cast<std::size_t>(at) - 1].motor;
    for (int row = 0; row < block.rows; ++row) {
      if (block.motor[row] == motor && known[static_cast<std::size_t>(motor)]) rows.push_back(row);
    }
  }
  return rows;
}

/// Those that a block's rows hang on, the most used first.
std::vector<Doubt> doubts_of(const NoiseModel& noise, const BatchBlock& block, const std::vector<bool>& known,
                             const BatchTree& tree, bool moving) {
  const int bodies = static_cast<int>(tree.places.size());
  const TorqueParameters at{bodies, tree.numbers.motor_count};
  const auto in_doubt = [&](int p) { return noise.factor.size() > 0 && !noise.factor.row(p).isZero(0.0); };
  std::vector<Doubt> doubts;
  for (int b = 0; b < bodies; ++b) {
    const std::vector<int> rows = rows_that_carry(block, known, tree.places[static_cast<std::size_t>(b)].body, tree);
    for (int part = 0; part < (moving ? 10 : 4) && !rows.empty(); ++part) {
      if (in_doubt(at.inertial(b) + part)) doubts.push_back({at.inertial(b) + part, rows, b, part, {}});
    }
  }
  for (int row = 0; row < block.rows; ++row) {
    using enum BatchDoubtedNumber::Kind;
    const int m = block.motor[row];
    const std::pair<int, BatchDoubtedNumber::Kind> numbers[] = {
        {at.offset(m), offset}, {at.rotor(m), acceleration}, {at.coulomb(m), coulomb}, {at.viscous(m), speed}};
    for (const auto& [p, kind] : numbers) {
      if (known[static_cast<std::size_t>(m)] && (moving || kind == offset) && in_doubt(p)) {
        doubts.push_back({p, {row}, -1, 0, kind});
      }
    }
  }
  std::stable_sort(doubts.begin(), doubts.end(),
                   [](const Doubt& a, const Doubt& b) { return a.rows.size() > b.rows.size(); });
  return doubts;
}

double square(double value) { return value * value; }
double entry(const VectorX& values, int motor) { return values.size() > 0 ? values[motor] : 0.0; }

}  // namespace

BatchEvidence::BatchEvidence(const RobotModel& model, const BatchPosteriorOptions& options, BatchTree& tree) {
  if (options.rows.empty()) {
    if (options.noise)
      throw OptionsError("posterior.noise", "there are no rows that it could be of", "give posterior.rows");
    return;
  }
  check(options, tree);
  BatchNumbers& numbers = tree.numbers;
  numbers.reference = options.reference_motor;
  numbers.force_prior = options.force_prior;
  numbers.moment_prior = options.moment_prior;
  numbers.felt = GaussianPosterior::kFelt;
  int rows = 0;
  for (int e = 0; e < numbers.frame_count; ++e) {
    blocks_.push_back(block_of(e, options, tree));
    blocks_.back().first = rows;
    rows += blocks_.back().rows;
    numbers.most_rows = std::max(numbers.most_rows, blocks_.back().rows);
  }
  if (options.noise) {
    flatten(model, *options.noise, tree);
    noise_.mean_counts = options.mean_counts;
    const bool joint = options.reference_motor >= 0;
    if (joint) {
      reference_ = reference_row(options.reference_motor, rows, tree);
      noise_.reference = &reference_;
      noise_.rows = rows + 1;
    }
    std::vector<MatrixX> still, moving;
    for (int b = 0; b < numbers.frame_count + (joint ? 1 : 0); ++b) {
      BatchBlock& block = b < numbers.frame_count ? blocks_[static_cast<std::size_t>(b)] : reference_;
      block.still = shared_errors(*options.noise, block, tree, false, still.emplace_back());
      block.moving = shared_errors(*options.noise, block, tree, true, moving.emplace_back());
      const int depth = std::max(block.still.depth, block.moving.depth);
      // What is joined later is kept till then.
      block.errors = joint ? numbers.most_errors : 0;
      numbers.most_errors = std::max(numbers.most_errors, block.errors + block.rows * depth);
      noise_.most_depth = std::max(noise_.most_depth, depth);
    }
    if (joint) {
      noise_.still = couplings(still);
      noise_.moving = couplings(moving);
    }
    numbers.noise = &noise_;
  }
  numbers.blocks = blocks_.data();
}

BatchBlock BatchEvidence::block_of(int endpoint, const BatchPosteriorOptions& options, const BatchTree& tree) {
  const std::vector<int>& supports = tree.supports[static_cast<std::size_t>(endpoint)];
  std::vector<int> motors = options.rows[static_cast<std::size_t>(endpoint)], places, joints;
  const auto place_of = [&](int motor) {
    for (std::size_t i = 0; i < supports.size(); ++i) {
      if (tree.joints[static_cast<std::size_t>(supports[i])].motor == motor) return static_cast<int>(i);
    }
    return -1;
  };
  std::sort(motors.begin(), motors.end());
  for (const int motor : motors) {
    places.push_back(place_of(motor));
    joints.push_back(supports[static_cast<std::size_t>(places.back())]);
  }
  BatchBlock block;
  block.rows = static_cast<int>(motors.size());
  block.shown = block.rows > 0 ? chi_squared_threshold(options.contact_shown, block.rows) : kInfinity;
  block.reference = options.reference_motor >= 0 ? place_of(options.reference_motor) : -1;
  block.motor = keep(ints_, std::move(motors));
  block.support = keep(ints_, std::move(places));
  block.joint = keep(ints_, std::move(joints));
  return block;
}

BatchBlock BatchEvidence::reference_row(int motor, int first, const BatchTree& tree) {
  const auto carries = [&](const BatchJoint& joint) { return joint.motor == motor; };
  const auto joint = std::find_if(tree.joints.begin(), tree.joints.end(), carries) - tree.joints.begin();
  BatchBlock row;
  row.rows = 1;
  row.first = first;
  row.motor = keep(ints_, {motor});
  row.joint = keep(ints_, {static_cast<int>(joint)});
  return row;
}

/// X_a C X_bᵀ = (X_a F_a) (Q_aᵀ Q_b) (X_b F_b)ᵀ: what the errors of two blocks have in common. \param bases  Q of each
const double* const* BatchEvidence::couplings(const std::vector<MatrixX>& bases) {
  const std::size_t blocks = bases.size() - 1;
  std::vector<const double*> all(bases.size() * blocks, nullptr);
  for (std::size_t a = 0; a < bases.size(); ++a) {
    for (std::size_t b = 0; b < std::min(a, blocks); ++b) {
      if (bases[a].size() == 0 || bases[b].size() == 0) continue;  // nothing is in doubt
      const MatrixX columns = bases[b].transpose() * bases[a];
      all[a * blocks + b] = keep(doubles_, std::vector<double>(columns.data(), columns.data() + columns.size()));
    }
  }
  return couplings_.emplace_back(std::move(all)).data();
}

/// What each motor has for itself, and a robot that consists of the mean's parameters alone.
void BatchEvidence::flatten(const RobotModel& model, const NoiseModel& noise, const BatchTree& tree) {
  const TorqueNoise checked(model, noise);  // for what it throws
  const TorqueParameters at = torque_parameters(model);
  const bool mean = noise.parameters.size() > 0 && !noise.parameters.isZero(0.0);
  for (int m = 0; m < at.motors; ++m) {
    BatchMotorNoise motor;
    motor.known = !std::isnan(noise.white_sd[m]);
    motor.variance = square(noise.white_sd[m]) + square(entry(noise.offset_sd, m)) + square(entry(noise.slow_sd, m));
    motor.standing = square(standing_friction(noise, at, m));
    motor.motion = square(entry(noise.motion_sd, m));
    motor.dry = motor.standing > 0.0 || entry(noise.coulomb_sd, m) > 0.0;
    // Of another day: σ_c² tanh² is σ_c² less what it lacks while the joint stands.
    motor.variance += square(entry(noise.coulomb_sd, m));
    motor.standing -= square(entry(noise.coulomb_sd, m));
    motor.speed = square(entry(noise.viscous_sd, m));
    if (mean) {
      motor.offset = noise.parameters[at.offset(m)];
      motor.viscous = noise.parameters[at.viscous(m)];
      motor.coulomb = noise.parameters[at.coulomb(m)];
    }
    motors_.push_back(motor);
  }
  noise_.motors = motors_.data();
  noise_.coulomb_speed = kCoulombSpeed;
  if (!mean) return;
  mean_ = tree.numbers;
  mean_joints_ = tree.joints;
  for (BatchJoint& joint : mean_joints_) joint.armature = noise.parameters[at.rotor(joint.motor)];
  write_bodies(noise.parameters.head(10 * at.bodies), tree.places, tree.numbers.floating, mean_joints_, mean_);
  mean_.joints = mean_joints_.data();
  const bool bodies = !noise.parameters.head(10 * at.bodies).isZero(0.0);
  const bool rotors = !noise.parameters.segment(at.rotor(0), at.motors).isZero(0.0);
  if (bodies || rotors) noise_.bodies = &mean_;
}

/// As TorqueNoise: C = F Fᵀ of the parameters in doubt that these rows hang on. Those that many rows depend on stand
/// first, where the rows of F are short: F is the L of an LQ decomposition of theirs.
/// \param basis  Q of that decomposition: what the errors are of those that noise.factor speaks of
BatchSharedErrors BatchEvidence::shared_errors(const NoiseModel& noise, const BatchBlock& block, const BatchTree& tree,
                                               bool moving, MatrixX& basis) {
  std::vector<bool> known;
  for (const BatchMotorNoise& motor : motors_) known.push_back(motor.known);
  const std::vector<Doubt> doubts = doubts_of(noise, block, known, tree, moving);
  std::vector<int> order;
  for (const Doubt& doubt : doubts) order.push_back(doubt.parameter);
  BatchSharedErrors shared;
  MatrixX errors;  // Fᵀ, a column a doubt, upper triangular
  if (!order.empty()) {
    const MatrixX rows = noise.factor(order, Eigen::all).transpose();
    const Eigen::Index depth = std::min(rows.rows(), rows.cols());
    const Eigen::HouseholderQR<MatrixX> decomposed(rows);
    errors = decomposed.matrixQR().topRows(depth).triangularView<Eigen::Upper>();
    basis = decomposed.householderQ() * MatrixX::Identity(rows.rows(), depth);
    shared.depth = static_cast<int>(depth);
  }
  std::vector<BatchDoubtedBody> bodies;
  std::vector<BatchDoubtedNumber> numbers;
  std::vector<int> lengths(static_cast<std::size_t>(block.rows), 0);
  for (std::size_t first = 0, last = 0; first < doubts.size(); first = last) {
    // Parts of a body stand side by side: they have the same rows.
    const Doubt& doubt = doubts[first];
    last = first + 1;
    while (doubt.body >= 0 && last < doubts.size() && doubts[last].body == doubt.body) ++last;
    const auto count = static_cast<int>(last - first);
    const int reach = std::min(static_cast<int>(last), shared.depth);
    const MatrixX part = errors.block(0, static_cast<Eigen::Index>(first), reach, count).transpose();
    const double* const factor = keep(doubles_, std::vector<double>(part.data(), part.data() + part.size()));
    for (const int row : doubt.rows) {
      int& length = lengths[static_cast<std::size_t>(row)];
      length = std::max(length, reach);
    }
    if (doubt.body < 0) {
      numbers.push_back({doubt.kind, doubt.rows.front(), factor, reach});
      continue;
    }
    BatchDoubtedBody body;
    body.frame = frame_at(tree.places[static_cast<std::size_t>(doubt.body)]);
    body.parts = count;
    for (int i = 0; i < count; ++i) body.part[i] = doubts[first + static_cast<std::size_t>(i)].part;
    body.factor = factor;
    body.reach = reach;
    body.rows = keep(ints_, doubt.rows);
    body.row_count = static_cast<int>(doubt.rows.size());
    bodies.push_back(body);
  }
  shared.body_count = static_cast<int>(bodies.size());
  shared.number_count = static_cast<int>(numbers.size());
  shared.bodies = keep(doubted_bodies_, std::move(bodies));
  shared.numbers = keep(doubted_numbers_, std::move(numbers));
  shared.lengths = keep(ints_, std::move(lengths));
  return shared;
}

}  // namespace antaeus::detail
