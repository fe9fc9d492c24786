#pragma once
/// \file
/// Cycles of a loop object whose inputs go wrong at random: what a driver, a bus or another program may hand over. One
/// generator and one judge for the soaks of all rooms: `make soak` runs a million cycles each, the tests a sample.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "antaeus/core/pose.hpp"
#include "antaeus/core/types.hpp"
#include "support/soak.hpp"

namespace antaeus::test {

/// Faults come in bursts of a few cycles, with calm between them. In a burst each argument that is passed through
/// spoil() goes wrong with a chance of one in three; some cycles have the inputs of the one before, time included.
class Faults {
 public:
  explicit Faults(unsigned seed, int longest_calm) : longest_calm_(longest_calm), engine_(seed) {}

  /// Begins a cycle. \return whether its inputs are to be made; else those of the last cycle come again (frozen)
  bool begin_cycle() {
    if (left_ == 0) {
      burst_ = !burst_;
      left_ = burst_ ? 1 + below(8) : 1 + below(longest_calm_);
      if (!burst_) calm_for_ = 0;
    }
    --left_;
    if (burst_) {
      calm_for_ = 0;
      if (below(8) == 0) return false;
    } else {
      ++calm_for_;
    }
    unusable_ = false;
    return true;
  }

  bool burst() const { return burst_; }
  /// Cycles without a fault, this one included; 0 in a burst.
  int calm_for() const { return calm_for_; }
  /// Whether some argument of this cycle holds NaN or infinity, or has a size that does not fit: never `ok` then.
  bool unusable() const { return unusable_; }
  /// Arguments that were spoilt so far in this cycle are such as the object passes over, as it documents.
  void pass_over() { unusable_ = false; }
  /// How many arguments were spoilt so far.
  long long count() const { return count_; }

  int below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }
  /// Uniform in ± bound.
  double number(double bound) { return bound * (2.0 * (static_cast<double>(engine_() >> 11) * 0x1p-53) - 1.0); }
  void fill(Eigen::Ref<VectorX> x, double bound) {
    for (double& one : x) one = number(bound);
  }

  void spoil(double& x) {
    if (strikes()) x = wrong_number();
  }
  /// An entry, or the size.
  void spoil(VectorX& x) {
    if (!strikes()) return;
    const Eigen::Index size = x.size();
    switch (below(5)) {
      case 0: x.conservativeResize(size - 1), unusable_ = true; break;
      case 1: {
        const VectorX longer = VectorX::Zero(size + 1);
        x = longer, unusable_ = true;
        break;
      }
      default: x[below(static_cast<int>(size))] = wrong_number();
    }
  }
  /// An entry of what cannot change its size.
  void spoil_entry(Eigen::Ref<VectorX> x) {
    if (strikes()) x[below(static_cast<int>(x.size()))] = wrong_number();
  }
  /// A stamp that comes again, goes back, leaps, or is none.
  void spoil_time(double& time, double last) {
    if (!strikes()) return;
    switch (below(6)) {
      case 0: time = last; break;
      case 1: time -= 0.05; break;
      case 2: time += 1e12; break;
      case 3: time = -time; break;
      default: time = wrong_number();
    }
  }
  /// A step of time that is none, goes back, or lasts for ages.
  void spoil_step(double& dt) {
    if (!strikes()) return;
    switch (below(5)) {
      case 0: dt = 0.0; break;
      case 1: dt = -dt; break;
      case 2: dt = 1e9; break;
      default: dt = wrong_number();
    }
  }
  /// A quaternion of no length, of another length, or with a number that is none.
  void spoil_quaternion(Eigen::Ref<Eigen::Vector4d> x) {
    if (!strikes()) return;
    switch (below(4)) {
      case 0: x.setZero(); break;
      case 1: x *= 1e-300; break;
      case 2: x *= 1.1; break;
      default: x[below(4)] = wrong_number();
    }
  }

 private:
  bool strikes() {
    if (!burst_ || below(3) != 0) return false;
    ++count_;
    return true;
  }
  double wrong_number() {
    switch (below(8)) {
      case 0: unusable_ = true; return kNaN;
      case 1: unusable_ = true; return kInfinity;
      case 2: unusable_ = true; return -kInfinity;
      case 3: return 1e300;
      case 4: return -1e300;
      case 5: return 5e-324;
      case 6: return -0.0;
      default: return 1.7e308;
    }
  }

  int longest_calm_;
  std::mt19937_64 engine_;
  bool burst_ = true, unusable_ = false;
  int left_ = 1, calm_for_ = 0;
  long long count_ = 0;
};

/// Whether all of a pose are numbers.
inline bool is_finite(const Pose& pose) { return pose.translation.allFinite() && pose.rotation.allFinite(); }

/// What loop objects say of one cycle.
class Told {
 public:
  Told() = default;
  Told(bool ok, bool finite) { add(ok, finite); }
  /// What one of them says. \param ok  that its numbers may be used \param finite  whether all of them are numbers
  void add(bool ok, bool finite) {
    ok_ = ok_ && ok;
    honest_ = honest_ && (finite || !ok);
  }
  bool ok() const { return ok_; }          ///< all of them
  bool honest() const { return honest_; }  ///< none says ok beside a number that is none

 private:
  bool ok_ = true, honest_ = true;
};

/// How a loop object is tried.
struct FaultySoak {
  unsigned seed;
  /// Cycles without a fault after which it says `ok` at the latest; −1: it may stay as it is (a latch, a state).
  int recovers_within = 1;
  int longest_calm = 0;  ///< cycles without a fault; 0: twice as many as it takes to recover, and ten
  int sample = 20000;
};

/// Each cycle: \p prepare makes its inputs, \p call is the loop function alone and may not allocate, \p judge says what
/// came of it.
void soak_faulty_cycles(const std::string& name, const FaultySoak& plan, const std::function<void(Faults&)>& prepare,
                        const std::function<void()>& call, const std::function<Told()>& judge);

}  // namespace antaeus::test
