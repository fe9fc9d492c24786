#pragma once
// The problem over time in its null space: blocks of a quadratic cost, and the way back to wrenches. Private.
#include <vector>

#include "antaeus/constraints/block_tridiagonal.hpp"
#include "contact/frame_algebra.hpp"

namespace antaeus::contact_parts {

/// w = w₀ + N z: all wrenches of one frame that make its total. Rows: force and moment of each contact, world axes.
struct FrameBasis {
  Eigen::VectorXd origin;  ///< w₀, 6 k
  Eigen::MatrixXd free;    ///< N, 6 k × n
};

/// Minimise Σ ½ zᵀH z + gᵀz over time; H block-tridiagonal.
struct NullSpaceProblem {
  std::vector<FrameBasis> frames;
  BlockTridiagonal hessian;
  Eigen::VectorXd gradient;
};

/// Sets it all up: the general form, any contacts, any active sets.
/// \param over_time  false: the frames have nothing to do with each other
NullSpaceProblem null_space_problem(const ContactDemand& demand, const ContactOptions& options, bool over_time = true);
/// The frame's wrenches from its free parameters.
void recover(const ContactDemand& demand, const NullSpaceProblem& problem, const Eigen::VectorXd& z,
             ContactSolution& solution);

}  // namespace antaeus::contact_parts
