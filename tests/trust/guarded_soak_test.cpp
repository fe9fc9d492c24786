// The guarded chain with identified noise while a robot moves and its channels fail at random. `make soak` runs a
// million cycles of each case, the tests a sample: ANTAEUS_SOAK.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "antaeus/robot/noise_model.hpp"
#include "antaeus/trust/guarded_estimator.hpp"
#include "robot/test_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/made_up_noise.hpp"
#include "support/soak.hpp"
#include "support/static_residual.hpp"

namespace antaeus {
namespace {

using test::AllocationCounter;
using test::RandomStates;

constexpr double kCycle = 0.002;       // [s]
constexpr double kKnownSpeed = 0.8;    // [rad/s] that the noise was identified at
constexpr double kOneFaultIn = 500.0;  // cycles
constexpr int kFirstOfArms = 13;       // legs and torso stand still

int cycles() { return test::in_soak(1000000, 25000); }

enum class Fault {
  nan,
  infinite,
  wrong_size,
  time_back,
  gap,
  no_time,
  saturation,
  too_fast,
  frozen,
  jump,
  push,
  count
};
constexpr int kFaults = static_cast<int>(Fault::count);

/// How many cycles a fault lasts.
constexpr std::array<int, kFaults> kLasts = {1, 1, 1, 1, 1, 3, 50, 150, 60, 1, 40};

/// What the guard must call it, sooner or later; what a single sample shows is refused at once.
struct Named {
  Reason reason;
  bool at_once;
};
Named name_of(Fault fault) {
  switch (fault) {
    case Fault::nan:
    case Fault::infinite:
    case Fault::wrong_size: return {Reason::invalid_input, true};
    case Fault::time_back: return {Reason::time_back, true};
    case Fault::gap: return {Reason::gap, false};
    case Fault::no_time: return {Reason::no_clock, true};
    case Fault::saturation: return {Reason::saturated, false};
    case Fault::too_fast: return {Reason::outside_identified, false};
    case Fault::frozen: return {Reason::dead_torque, false};
    case Fault::jump: return {Reason::position_jump, true};
    case Fault::push:
    case Fault::count: break;
  }
  return {Reason::torque_rate, false};
}

/// Swings its arms about a pose; torques are those of its motion with the noise's mean and white noise.
class SwingingArms {
 public:
  SwingingArms(const Robot& robot, const NoiseModel& noise, unsigned seed)
      : random_(seed), dynamics_(robot.model), noise_(robot.model, noise), centre_(robot.pose("zero")) {
    const int motors = robot.model.motor_count();
    white_ = noise.white_sd.unaryExpr([](double sd) { return std::isfinite(sd) ? sd : 0.2; });
    phase_ = random_.vector(motors, 3.0);
    pace_ = random_.vector(motors, 0.5).array() + 1.5;
    full_v_.setZero(robot.model.nv());
    full_a_ = tau_ = full_v_;
    q_.resize(robot.model.nq());
    o_.q = o_.v = o_.tau = VectorX::Zero(motors);
    o_.has_imu = o_.has_gyro = o_.has_accelerometer = true;
  }

  const Observation& at(double time) {
    const RobotModel& model = dynamics_.model();
    o_.time = time;
    for (int m = 0; m < model.motor_count(); ++m) {
      const double swing = m < kFirstOfArms ? 0.0 : 0.1, angle = pace_[m] * time + phase_[m];
      const int row = model.motor_rows()[m];
      o_.q[m] = centre_[m] + swing * std::sin(angle);
      o_.v[m] = full_v_[row] = swing * pace_[m] * std::cos(angle);
      full_a_[row] = -swing * pace_[m] * pace_[m] * std::sin(angle);
    }
    const Eigen::Vector4d upright(0.0, 0.0, 0.0, 1.0);
    EXPECT_EQ(model.position_from_motors(o_.q, upright, q_), Status::ok);
    EXPECT_EQ(dynamics_.inverse_dynamics(q_, full_v_, full_a_, tau_), Status::ok);
    EXPECT_EQ(noise_.evaluate_mean(q_, full_v_, full_a_), Status::ok);
    EXPECT_EQ(model.select_motor_rows(tau_, o_.tau), Status::ok);
    o_.tau += noise_.mean() + white_.cwiseProduct(random_.vector(model.motor_count(), 1.7));
    o_.v += random_.vector(model.motor_count(), 0.005);
    o_.imu_angular_velocity = random_.vector(3, 0.002);
    o_.imu_specific_force = Vector3(0.0, 0.0, 9.81) + random_.vector(3, 0.05);
    return o_;
  }

 private:
  RandomStates random_;
  Dynamics dynamics_;
  TorqueNoise noise_;
  VectorX centre_, white_, phase_, pace_, full_v_, full_a_, tau_, q_;
  Observation o_;
};

/// Everything that two runs must share to the last bit.
class Fingerprint {
 public:
  void take(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ ^= (bits >> (8 * byte)) & 0xff;
      value_ *= 1099511628211ULL;
    }
  }
  void take(const Vector3& vector) {
    for (const double x : vector) take(std::bit_cast<std::uint64_t>(x));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;  // FNV-1a
};

struct Soaked {
  std::uint64_t fingerprint = 0;
  std::array<int, 3> states{};          ///< of the first endpoint
  std::array<int, kFaults> injected{};  ///< cycles
  std::array<int, kFaults> named{};     ///< cycles in which the guard called it by its name
  int refusals = 0, good = 0;
};

void soak(const Robot& robot, ResidualChoice kind, unsigned seed, Soaked& soaked) {
  GuardedEstimator guarded(robot, test::kWrists, {}, ResidualOptions{.kind = kind}, {}, {.recorder_samples = 20});
  SwingingArms arms(robot, *robot.profile.noise, seed);
  RandomStates random(seed + 1);
  Fingerprint fingerprint;
  Fault fault = Fault::nan;
  int left = 0, entered = 0, quiet = 0;
  double time = 0.0, lost = 0.0;
  Observation frozen;
  std::array<Verdict, 2> before = {Verdict::ok, Verdict::ok};
  for (int i = 0; i < cycles(); ++i) {
    if (left > 0) {
      --left;
    } else if (random.vector(1)[0] > 1.0 - 2.0 / kOneFaultIn) {
      fault = static_cast<Fault>(static_cast<int>((0.5 + 0.5 * random.vector(1)[0]) * kFaults) % kFaults);
      left = kLasts[static_cast<std::size_t>(fault)];
      if (fault == Fault::gap) lost += 0.5;
    }
    time = kCycle * (i + 1) + lost;
    Observation o = arms.at(time);
    const bool faulty = left > 0;
    quiet = faulty ? 0 : quiet + 1;
    if (quiet == 0) {
      const auto some = static_cast<Eigen::Index>(kFirstOfArms + i % 14);
      switch (fault) {
        case Fault::nan: (i % 2 ? o.tau : o.q)[some] = kNaN; break;
        case Fault::infinite: (i % 2 ? o.v : o.tau)[some] = kInfinity; break;
        case Fault::wrong_size: (i % 2 ? o.q : o.tau).conservativeResize(i % 3 ? 26 : 28); break;
        case Fault::time_back: o.time -= 0.05; break;
        case Fault::no_time: o.time = i % 2 ? kNaN : kInfinity; break;
        case Fault::saturation: o.tau[14] = robot.model.effort_limits()[14]; break;
        case Fault::too_fast: o.v.tail(14).array() += 4.0; break;
        case Fault::frozen: o.tau = frozen.tau; break;
        case Fault::jump: o.q[some] += 0.4; break;
        case Fault::push: o.tau[13] += 3.0 * (kLasts[static_cast<std::size_t>(fault)] - left); break;
        case Fault::gap:
        case Fault::count: break;
      }
      ++soaked.injected[static_cast<std::size_t>(fault)];
    } else {
      frozen = o;
    }
    AllocationCounter counter;
    const std::vector<ConsumerWrench>& results = guarded.update(o);
    ASSERT_EQ(counter.count(), 0) << "cycle " << i;
    bool entered_now = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
      const ConsumerWrench& read = results[k];
      ASSERT_TRUE(read.wrench.is_finite()) << "cycle " << i;
      const bool refused = read.state == Verdict::refused;
      ASSERT_TRUE(read.state == Verdict::ok || !read.reasons.empty()) << "cycle " << i;
      ASSERT_FALSE(refused && read.because.empty()) << "cycle " << i << ": nobody says why";
      ASSERT_FALSE(refused && (read.reasons.bits() >> enum_names(Reason{}).size()) != 0) << "a reason without a name";
      entered_now = entered_now || (refused && before[k] != Verdict::refused);
      before[k] = read.state;
      fingerprint.take(read.wrench.force);
      fingerprint.take(read.wrench.torque);
      fingerprint.take(read.reasons.bits() ^ (static_cast<std::uint64_t>(read.state) << 60));
    }
    entered += entered_now;
    ASSERT_EQ(guarded.refusals(), entered) << "cycle " << i;
    if (entered_now) {
      ASSERT_FALSE(guarded.last_refusal().reasons.empty());
    }
    if (faulty) {
      const Named named = name_of(fault);
      const bool said = results[0].reasons.has(named.reason);
      soaked.named[static_cast<std::size_t>(fault)] += said;
      if (named.at_once) {
        ASSERT_TRUE(said) << "cycle " << i << ", fault " << static_cast<int>(fault) << ": "
                          << results[0].reasons.text();
        ASSERT_EQ(results[0].state, Verdict::refused);
      }
    }
    ++soaked.states[static_cast<std::size_t>(results[0].state)];
  }
  soaked.refusals = guarded.refusals();
  soaked.fingerprint = fingerprint.value();
}

/// Twice, for the bits.
void expect_soaked(NoiseOrigin origin, ResidualChoice kind, unsigned seed) {
  Robot robot = test::own_robot("h1_2");
  const bool held = origin == NoiseOrigin::held_pose;
  robot.profile.noise =
      std::make_shared<NoiseModel>(test::made_up_noise(robot.model, origin, held ? 12 : 0, kKnownSpeed, seed));
  SCOPED_TRACE(robot.profile.noise->provenance);
  Soaked first, second;
  ASSERT_NO_FATAL_FAILURE(soak(robot, kind, seed, first));
  ASSERT_NO_FATAL_FAILURE(soak(robot, kind, seed, second));
  EXPECT_EQ(first.fingerprint, second.fingerprint) << "the same input, other bits";
  EXPECT_EQ(first.states[0] + first.states[1] + first.states[2], cycles());
  std::printf("%d cycles: ok %d, degraded %d, refused %d, entered %d times; cycles of each fault, named:", cycles(),
              first.states[0], first.states[1], first.states[2], first.refusals);
  for (std::size_t f = 0; f < kFaults; ++f) {
    std::printf(" %d/%d", first.named[f], first.injected[f]);
    EXPECT_GT(first.injected[f], 0) << "fault " << f << " never came";
    // Noise that was identified in motion has no envelope: speeds have no name of their own then.
    if (!held && static_cast<Fault>(f) == Fault::too_fast) continue;
    EXPECT_GT(first.named[f], 0) << "fault " << f << " was never called by its name";
  }
  std::printf("\n");
  EXPECT_GT(first.states[0] + first.states[1], cycles() / 10) << "it recovers between faults";
  EXPECT_GT(first.states[2], 0);
}

TEST(GuardedSoak, OfANoiseThatWasIdentifiedInMotion) {
  expect_soaked(NoiseOrigin::moving, ResidualChoice::automatic, 1601);
}

TEST(GuardedSoak, OfANoiseThatWasIdentifiedInAPose) {
  expect_soaked(NoiseOrigin::held_pose, ResidualChoice::static_gravity, 1602);
}

}  // namespace
}  // namespace antaeus
