#pragma once
// The problem over time in its null space: blocks of a quadratic cost, and the way back to wrenches. Private.
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/numerics/block_tridiagonal.hpp"
#include "contact/frame_algebra.hpp"

namespace antaeus::detail {

/// w = w₀ + N z: all wrenches of one frame that make its total. Rows: force and moment of each contact, world axes.
template <int wrenches, int unknowns>
struct Basis {
  Eigen::Matrix<double, wrenches, 1> origin;       ///< w₀, 6 k
  Eigen::Matrix<double, wrenches, unknowns> free;  ///< N, 6 k × n
};
using FrameBasis = Basis<Eigen::Dynamic, Eigen::Dynamic>;

/// Minimise Σ ½ zᵀH z + gᵀz over time; H block-tridiagonal.
struct NullSpaceProblem {
  std::vector<FrameBasis> frames;
  BlockTridiagonal hessian;
  Eigen::VectorXd gradient;
};

/// Sets it all up: the general form, any contacts, any active sets.
/// \param over_time  false: the frames have nothing to do with each other
NullSpaceProblem null_space_problem(const ContactDemand& demand, const ContactOptions& options, bool over_time = true);
/// Two contacts that exert moments and always touch: what people have two feet for. It has its own fast form.
inline bool is_pair(const ContactDemand& demand) noexcept {
  bool pair = demand.contact_count() == 2;
  for (const ContactType type : demand.kinds) pair = pair && type == ContactType::wrench;
  for (const bool active : demand.active) pair = pair && active;
  return pair;
}
/// What is thrown where a frame of a motion over time holds NaN or infinity.
OptionsError unfit_frame(Eigen::Index frame);
/// False where the weights leave the wrenches undetermined.
bool solve_pairs(const ContactDemand& demand, const ContactOptions& options, ContactSolution& solution);
/// The frame's wrenches from its free parameters.
void recover(const ContactDemand& demand, const NullSpaceProblem& problem, const Eigen::VectorXd& z,
             ContactSolution& solution);

}  // namespace antaeus::detail
