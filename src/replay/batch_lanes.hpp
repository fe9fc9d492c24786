#pragma once
/// \file
/// One pack of states in lanes: where bodies are and how they move, and the scratch memory of all that follows.

#include "antaeus/core/lane_vectors.hpp"
#include "replay/batch_numbers.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

using detail::BatchFrame;
using detail::BatchJoint;
using detail::BatchNumbers;

/// A rotation by its columns.
template <class D>
struct Turn {
  Vec3<D> x, y, z;
};
/// A body's axes and origin.
template <class D>
struct Place {
  Turn<D> R;
  Vec3<D> p;
};
/// How a body moves: angular velocity and acceleration, and its origin's acceleration against the root's.
template <class D>
struct Motion {
  Vec3<D> w, alpha, a;
};

/// One pack's scratch memory, in arrays of the model's sizes.
template <class D>
struct BatchLanes {
  D *q, *tau, *v, *a, *torque, *residual;  // motors
  D *sine, *cosine;                        // joints
  Place<D>* places;                        // bodies
  Motion<D>* motions;                      // bodies
  Vec3<D>*moment, *force;                  // bodies: m c, or a subtree's; forces of subtrees
  Vec3<D> field;                           // specific force at the root's origin
  D *A, *r;                                // of an endpoint: rows of Jᵀ (moment first), residuals
  D *variance, *least, *share;             // motors, and 1: what is given of the noise
  D *tangent, *mean;                       // motors: tanh of the speed, mean error
  D *B, *y, *evidence;  // of a block: rows times the prior's sd, residuals, 1 or 0 of a row without evidence
  D *errors, *noise;    // of a block: rows of independent errors; R, then its Cholesky factor
  D* triangles;         // of the endpoints: 6 of each, as principal_deviations() takes them
  Vec3<D>* lean;        // of a block's rows: what turns a unit of mass at a unit's distance
  // For the reference row's test:
  D *expected, *spread;      // of the endpoints: what each makes of that row, and the variance of that
  D *nis, *null_nis;         // of the endpoints
  D *reference, *coupled;    // of the endpoints: its 6 times the prior's sd; a row's errors as another block has them
  D *joint, *picked, *used;  // S of all blocks' rows and that row; of the picked ones, factored; 1 or 0: not picked
  int* chosen;               // the picked rows' places among all
  D* out;                    // a row of the largest output
};

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
