#include "antaeus/contact/contact_demand.hpp"
#include "antaeus/core/option_table.hpp"

namespace antaeus {

const OptionTable& options_of(const ContactOptions&) {
  using O = ContactOptions;
  static const OptionTable table(
      "contact",
      {
          option("compatibility", "", "none, or every choice of nimblephysics", "docs/concepts/contact.md",
                 &O::compatibility),
          option("kind", "",
                 "what each contact can exert: wrench (force and moment), point (a force alone), or automatic: a point "
                 "where the foot is a ball without a stated sole",
                 "a ball rolls, and a sole does not", &O::kind),
          option("least_torque", "1", "weight of the wrenches' size", "Nimble's documentation", &O::least_torque),
          option("smoothing", "1", "weight of their change over time", "Nimble's documentation", &O::smoothing),
          option("smoothing_time", "s", "changes slower than this cost less than the wrench itself",
                 "a third of a step's double support", &O::smoothing_time, kPositive),
          option("lever", "m", "1 N counts as much as this many N·m", "Nimble's 0.01 m²: half a foot", &O::lever,
                 kPositive),
          option("velocity_penalty", "s²/m²", "weight of the squared speed of the contact's origin", "off, as Nimble",
                 &O::velocity_penalty),
          option("previous_weight", "1", "weight of the first frame's distance to `previous`", "off, as Nimble",
                 &O::previous_weight),
          option("detect", "", "contact times are found in the motion, unless it has `active`", "stated contacts hold",
                 &O::detect),
          option("friction", "1", "coefficient of friction, where the profile states none", "rubber on concrete, dry",
                 &O::friction),
          option("torsion", "m", "moment about the normal per normal force, where the profile states none",
                 "friction 0.7 at the mean distance of a 0.2 × 0.1 m sole's points", &O::torsion),
          option("half_length", "m", "half the sole's length along the frame's x; 0: unknown", "not stated",
                 &O::half_length),
          option("half_width", "m", "half the sole's width; 0: unknown", "not stated", &O::half_width),
          option("force_cap", "N", "largest normal force of one contact; 0: none", "not stated", &O::force_cap),
          option("torque_limits", "", "with limits: those of the motors too", "the model's effort limits",
                 &O::torque_limits),
          option("residual_limit", "1", "root force that no contact explains, as a share of the weight",
                 "OpenSim's guide: residuals under 5 % of the largest external force", &O::residual_limit),
          option("reduce_residual", "", "root accelerations are changed as little as removes the residual",
                 "off: kinematics are data", &O::reduce_residual),
      });
  return table;
}

namespace {
const OptionGroup kContactGroup(ContactOptions{});
}

}  // namespace antaeus
