#pragma once
// The memory of a Dynamics. Private to src/robot: parameter_torque.cpp reads what `at` computed.
#include <cstdint>
#include <pinocchio/multibody.hpp>
#include <vector>

#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

struct Dynamics::Workspace {
  Workspace(const pinocchio::Model& model, const pinocchio::Data& blank)
      : data(blank),
        q(model.nq),
        v(model.nv),
        a(model.nv),
        first_moment(static_cast<std::size_t>(model.njoints)),
        field(model.nv) {
    subtree_mass.resize(static_cast<std::size_t>(model.njoints), 0.0);
    for (std::size_t j = model.joints.size() - 1; j > 0; --j) {
      subtree_mass[j] += model.inertias[j].mass();
      subtree_mass[model.parents[j]] += subtree_mass[j];
    }
    for (std::size_t j = 1; j < model.joints.size(); ++j) {
      // Read from the model's lists: to ask a joint instantiates a visitor of all its kinds (seconds).
      // Free flyers and quaternions are the 7-parameter joints of this library's models.
      if (model.nqs[j] == 7) quaternions.push_back(model.idx_qs[j] + 3);
      if (model.nqs[j] == 2) unit_pairs.push_back(model.idx_qs[j]);
      if (model.nqs[j] == 4) unit_pairs.push_back(model.idx_qs[j] + 2);  // planar: x, y, cos, sin
    }
  }

  /// Exactly this type is compiled into libpinocchio; any other would instantiate the algorithms here (80 s).
  ConstVectorRef configuration() const { return q; }

  pinocchio::Data data;
  VectorX q;                          // the last configuration, quaternions normalised
  VectorX v, a;                       // of the regressor alone: libpinocchio has it for vectors, not for Refs
  std::vector<Vector3> first_moment;  // Σ m c of each joint's subtree, world axes, from the world's origin
  std::vector<double> subtree_mass;
  VectorX field;                 // torque of a uniform acceleration
  std::vector<int> quaternions;  // where in q a quaternion begins
  std::vector<int> unit_pairs;   // where in q a (cos, sin) begins
  std::uint64_t generation = 0;
};

}  // namespace antaeus
