#pragma once
// What contacts and motors can do, as rows on a frame's wrenches. Private.
#include <string>
#include <vector>

#include "antaeus/contact/contact_result.hpp"
#include "contact/null_space.hpp"

namespace antaeus::detail {

/// Moments count at this lever [m], so that all rows are in newtons.
inline constexpr double kRowLever = 0.1;
/// A limit is broken beyond this [N]: what the solver's stop leaves (constraints/elastic_qp.hpp) and some.
inline constexpr double kBroken = 0.02;

/// C w ≤ h on the stacked wrenches of a frame, 6 k, world axes; cones apart.
struct FrameLimits {
  struct Row {
    LimitKind kind = LimitKind::unilateral;
    int subject = 0;  ///< contact; row of v for a torque limit
  };
  struct Cone {
    int contact = 0;
    double friction = 0.0;
    Eigen::MatrixXd rows;  ///< 3 × 6k: tangential x and y, normal
  };
  Eigen::MatrixXd left;
  Eigen::VectorXd right;
  std::vector<Row> rows;
  std::vector<Cone> cones;
};

/// What every frame shares.
struct LimitSource {
  const MotionDynamics& dynamics;
  const ContactOptions& options;
  LimitSet set = LimitSet::pyramid;
  std::vector<ContactSurface> surfaces;  ///< k, with the options' values where the profile states none
  Vector3 up = Vector3::UnitZ();
  VectorX torque_limits;  ///< nv, infinite where there are none; empty: no robot
  VectorX torque_levers;  ///< nv [m]: what makes a limit newtons: kRowLever, and 1 for a joint that slides
};

/// \param motors  with rows of torque limits
FrameLimits frame_limits(const LimitSource& source, Eigen::Index t, bool motors = true);

/// Weight of a moment's square in the motion's first frame: the price of a newton is stated for a cost in which it
/// is 1.
double limits_unit(const LimitSource& source, bool over_time);
/// The wrenches that keep the limits, or break them least. \param stopped  solves that ended at their iteration budget
/// are added
ContactSolution solve_with_limits(const LimitSource& source, bool over_time, double unit, int& stopped);

/// Margins of a solution, and its broken limits. \param torque  N × nv, or empty
void judge(const LimitSource& source, const std::vector<std::string>& row_names, const SampleMatrix& torque,
           const ContactSolution& solution, std::vector<FrameMargins>& margins, std::vector<LimitViolation>& broken);

}  // namespace antaeus::detail
