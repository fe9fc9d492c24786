#pragma once
/// \file
/// What force control on torques alone needs beside its estimate: friction fed forward, a rocking motion that keeps
/// every joint moving, and a gain that trusts as far as the sd allows. Small parts, each one call a cycle, noexcept and
/// free of allocation (contact_force_realtime_test).

#include "antaeus/control/contact_force.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/core/types.hpp"

namespace antaeus {

/// G = gate² / (gate² + sd²): the share of the force's gains that an estimate deserves, 0 … 1. NaN: 0.
/// \param gate  sd at which gains are halved [N]
ANTAEUS_API double trusted_gain(double sd, double gate = 0.7) noexcept;

/// How friction answers a small motion.
enum class FrictionShape : std::uint8_t {
  elastic,  ///< gives way like a spring up to a range, then slides: gears and seals
  sign,     ///< at once
};
constexpr auto enum_names(FrictionShape) noexcept { return name_list<FrictionShape>("elastic", "sign"); }

struct FrictionForwardOptions {
  FrictionShape friction_shape = FrictionShape::elastic;
  double stick_range = 1e-4;    ///< of `elastic`: way from rest to sliding [rad]
  double forward_speed = 1e-3;  ///< of `sign`: tanh(v / this) [rad/s]
};
ANTAEUS_API const OptionTable& options_of(const FrictionForwardOptions&);

/// Torque that overcomes friction on the way that is wanted, not on the way that is measured: that would tremble.
class ANTAEUS_API FrictionForward {
 public:
  /// \throws OptionsError
  FrictionForward(int joints, double time_step, const FrictionForwardOptions& options = {});
  /// \param v  wanted of the joints [n] \param coulomb  [n] \return for the motors, beside all else [n];
  /// NaN on bad input \realtime
  const VectorX& update(ConstVectorRef v, ConstVectorRef coulomb) noexcept;
  void reset() noexcept;

 private:
  double time_step_;
  FrictionForwardOptions options_;
  VectorX stretch_, torque_;
};

struct RockOptions {
  double rock_amplitude = 1e-3;  ///< [rad]
  double rock_frequency = 2.0;   ///< [Hz]
  double rock_onset = 1.0;       ///< over which the amplitude rises [s]
};
ANTAEUS_API const OptionTable& options_of(const RockOptions&);

/// A turn of the tool about an axis, and how it changes.
struct Rock {
  double angle = 0.0;         ///< [rad]
  double rate = 0.0;          ///< [rad/s]
  double acceleration = 0.0;  ///< [rad/s²]
};
/// \param time  since it began [s]; before: at rest. NaN: NaN
ANTAEUS_API Rock rock(double time, const RockOptions& options) noexcept;

/// The axis along the surface about which a turn of the tool moves every joint that feels a force along the normal.
struct RockAxis {
  Status status = Status::not_computed;
  Vector3 axis{kNaN, kNaN, kNaN};  ///< world axes, of unit length
  /// Rate of the slowest joint among those that feel more than a tenth of what the most loaded one does, per rate of
  /// the tool [1].
  double least = kNaN;
};
ANTAEUS_API RockAxis rock_axis(const ToolState& now, const Vector3& normal) noexcept;

}  // namespace antaeus
