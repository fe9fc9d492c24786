#pragma once
// Pushes against a Cartesian impedance: what impedance.cpp tables and impedance_studies.cpp draws.
#include "antaeus/control/cartesian_impedance.hpp"
#include "studies/arm_run.hpp"

namespace antaeus {

/// Group "impedance".
struct ImpedanceChoice {
  double stiffness = 500.0;            ///< [N/m]
  double force = 40.0;                 ///< of the push, along world x at the fingertip [N]
  double duration = 0.25;              ///< of the short push [s]
  double damping = 0.0;                ///< [N·s/m]; 0: source_damping
  double rotational_stiffness = 50.0;  ///< [N·m/rad]
  double lasting = 10.0;               ///< of the lasting push at most [s]; it ends at rest
  bool compare = true;                 ///< the other stiffnesses, directions, frequencies and laws too
};
const OptionTable& options_of(const ImpedanceChoice&);

/// Damping with which a push of 0.25 s gives the force-control lab's peaks at all of its stiffnesses: 6.2 √K, fitted.
/// For the 5 kg that the tool weighs along x at home it is a damping ratio of 1.4 [N·s/m].
double source_damping(double stiffness);

/// An impedance as the lab has it: D as it is given.
ANTAEUS_API CartesianImpedanceOptions given_impedance(double stiffness, double damping, double rotational_stiffness);

/// What a push did.
struct PushAnswer {
  double peak = 0.0;           ///< of the short push, along it [m]
  double peak_rotation = 0.0;  ///< over both pushes [rad]
  double steady = 0.0;         ///< at the end of the lasting push, along it [m]
  double speed_end = 0.0;      ///< of the joints then, norm [rad/s]
  double overshoot = 0.0;      ///< of the lasting push beyond the steady one [1]
  double settling = 0.0;       ///< until it stays within 2 % of it [s]
  bool is_near_singular = false;
};
/// A push of `choice.duration`, 3 s of rest, then a lasting one. \param log  may be null; columns as push_heads
PushAnswer push_and_watch(ArmRig& rig, const CartesianImpedanceOptions& options, const ImpedanceChoice& choice,
                          const Vector3& direction, SampleLog* log);
std::vector<SampleLog::Head> push_heads();

/// A study with what it found.
struct Study {
  Comparison table;
  NamedFigure figure;
  std::vector<std::string> findings;
};
/// Amplitude of the deflection over that of a push, measured and as K, D, Λ and the joints' damping have it.
ANTAEUS_API Study frequency_study(ArmRig& rig, const CartesianImpedanceOptions& options, double joint_damping);
/// Log map against skew form, 0 to 180°.
ANTAEUS_API Study rotation_study(ArmRig& rig);
/// Joints held stiffly at a place 1 mm under the table, and an impedance that is told the same.
ANTAEUS_API Study stiff_position_study(const SceneChoice& scene, int seed);

}  // namespace antaeus
