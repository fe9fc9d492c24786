#pragma once
/// \file
/// A pack of states in lanes, one state in each: its scratch memory, and the kinematics of a flattened tree. All
/// vectors are in base axes from the base's origin, so that the base's orientation enters through the direction of
/// gravity alone.

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

// Kinematics ----------------------------------------------------------------------------------------------------------

template <class D>
ANTAEUS_LANES_INLINE Vec3<D> constant(const double* x) {
  return {all_lanes<D>(x[0]), all_lanes<D>(x[1]), all_lanes<D>(x[2])};
}
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> nothing() {
  return {all_lanes<D>(0.0), all_lanes<D>(0.0), all_lanes<D>(0.0)};
}
/// R x.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> turned(const Turn<D>& R, const Vec3<D>& x) {
  return x.x * R.x + x.y * R.y + x.z * R.z;
}
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> turned(const Turn<D>& R, const double* x) {
  return turned(R, constant<D>(x));
}
/// Rᵀ x.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> turned_back(const Turn<D>& R, const Vec3<D>& x) {
  return {dot(R.x, x), dot(R.y, x), dot(R.z, x)};
}
/// R times a constant rotation, given row by row.
template <class D>
ANTAEUS_LANES_INLINE Turn<D> turned_by(const Turn<D>& R, const double* rows) {
  const double columns[9] = {rows[0], rows[3], rows[6], rows[1], rows[4], rows[7], rows[2], rows[5], rows[8]};
  return {turned(R, columns), turned(R, columns + 3), turned(R, columns + 6)};
}
template <class D>
ANTAEUS_LANES_INLINE Turn<D> constant_turn(const double* rows) {
  return {{all_lanes<D>(rows[0]), all_lanes<D>(rows[3]), all_lanes<D>(rows[6])},
          {all_lanes<D>(rows[1]), all_lanes<D>(rows[4]), all_lanes<D>(rows[7])},
          {all_lanes<D>(rows[2]), all_lanes<D>(rows[5]), all_lanes<D>(rows[8])}};
}
template <class D>
ANTAEUS_LANES_INLINE Turn<D> identity() {
  const D zero = all_lanes<D>(0.0), one = all_lanes<D>(1.0);
  return {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
}
/// Copies number by number: a whole struct goes through memory, and by GCC 12 in pieces that no load can be served
/// from.
template <class D>
ANTAEUS_LANES_INLINE void copy(const Vec3<D>& from, Vec3<D>& to) {
  to.x = from.x;
  to.y = from.y;
  to.z = from.z;
}
template <class D>
ANTAEUS_LANES_INLINE void copy(const Turn<D>& from, Turn<D>& to) {
  copy(from.x, to.x);
  copy(from.y, to.y);
  copy(from.z, to.z);
}

/// The rotation of a unit quaternion x y z w.
template <class D>
ANTAEUS_LANES_INLINE Turn<D> rotation_of(const D* q) {
  const D one = all_lanes<D>(1.0);
  const D x = 2.0 * q[0], y = 2.0 * q[1], z = 2.0 * q[2];
  const D xx = x * q[0], yy = y * q[1], zz = z * q[2];
  const D xy = y * q[0], xz = z * q[0], yz = z * q[1];
  const D wx = x * q[3], wy = y * q[3], wz = z * q[3];
  return {
      {one - (yy + zz), xy + wz, xz - wy}, {xy - wz, one - (xx + zz), yz + wx}, {xz + wy, yz - wx, one - (xx + yy)}};
}

/// The joint's axis in base axes: a column of its body's rotation, which turning about it leaves as it is.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> axis_of(const BatchJoint& joint, const Place<D>& body) {
  const Vec3<D>& axis = joint.axis == 0 ? body.R.x : joint.axis == 1 ? body.R.y : body.R.z;
  return joint.sign < 0.0 ? Vec3<D>{-axis.x, -axis.y, -axis.z} : axis;
}

/// Beyond this angle the mathematics library takes over, lane by lane: sine_cosine() would lose digits.
inline constexpr double kLargestAngle = 1e5;

template <class D>
void sine_cosine_of_joints(const BatchNumbers& model, BatchLanes<D>& lanes) {
  for (int j = 0; j < model.joint_count; ++j) {
    const BatchJoint& joint = model.joints[j];
    if (joint.prismatic) continue;
    const D q = joint.sign * lanes.q[joint.motor];
    sine_cosine(q, lanes.sine[j], lanes.cosine[j]);
    const Mask<D> large = (q > kLargestAngle) | (q < -kLargestAngle);
    if (!any(large)) continue;
    for (int k = 0; k < LaneTraits<D>::kLanes; ++k) {
      if (!holds(large, k)) continue;
      set_lane(lanes.sine[j], k, __builtin_sin(lane(q, k)));
      set_lane(lanes.cosine[j], k, __builtin_cos(lane(q, k)));
    }
  }
}

/// Turns two axes about their cross product.
template <class D>
ANTAEUS_LANES_INLINE void turn_pair(const D& s, const D& c, Vec3<D>& e1, Vec3<D>& e2) {
  const Vec3<D> u = e1, v = e2;
  e1 = c * u + s * v;
  e2 = c * v - s * u;
}

/// Places of all bodies.
template <class D>
void forward(const BatchNumbers& model, BatchLanes<D>& lanes) {
  sine_cosine_of_joints(model, lanes);
  lanes.places[0] = {identity<D>(), nothing<D>()};
  for (int j = 0; j < model.joint_count; ++j) {
    const BatchJoint& joint = model.joints[j];
    const Place<D>& before = lanes.places[joint.before];
    Turn<D> R;
    Vec3<D> p;
    if (joint.before == 0) {
      R = constant_turn<D>(joint.R);
      p = constant<D>(joint.p);
    } else {
      p = before.p + turned(before.R, joint.p);
      if (joint.turned) {
        R = turned_by(before.R, joint.R);
      } else {
        copy(before.R, R);
      }
    }
    if (joint.prismatic) {
      const D q = joint.sign * lanes.q[joint.motor];
      p = p + q * (joint.axis == 0 ? R.x : joint.axis == 1 ? R.y : R.z);
    } else if (joint.axis == 0) {
      turn_pair(lanes.sine[j], lanes.cosine[j], R.y, R.z);
    } else if (joint.axis == 1) {
      turn_pair(lanes.sine[j], lanes.cosine[j], R.z, R.x);
    } else {
      turn_pair(lanes.sine[j], lanes.cosine[j], R.x, R.y);
    }
    copy(R, lanes.places[j + 1].R);
    copy(p, lanes.places[j + 1].p);
  }
}

/// Where a frame stands.
template <class D>
ANTAEUS_LANES_INLINE Vec3<D> origin_of(const BatchFrame& frame, const BatchLanes<D>& lanes) {
  const Place<D>& body = lanes.places[frame.body];
  return body.p + turned(body.R, frame.p);
}
template <class D>
ANTAEUS_LANES_INLINE Turn<D> axes_of(const BatchFrame& frame, const BatchLanes<D>& lanes) {
  const Place<D>& body = lanes.places[frame.body];
  return frame.turned ? turned_by(body.R, frame.R) : body.R;
}

/// Jᵀ of a frame, a row for each joint that carries it: angular part first, then linear; base axes.
template <class D>
void jacobian_rows(const BatchNumbers& model, const BatchFrame& frame, const BatchLanes<D>& lanes) {
  const Vec3<D> p = origin_of(frame, lanes);
  for (int i = 0; i < frame.supports; ++i) {
    const int j = frame.support[i];
    const BatchJoint& joint = model.joints[j];
    const Place<D>& body = lanes.places[j + 1];
    const Vec3<D> axis = axis_of(joint, body);
    const Vec3<D> angular = joint.prismatic ? nothing<D>() : axis;
    const Vec3<D> linear = joint.prismatic ? axis : cross(axis, p - body.p);
    D* row = lanes.A + 6 * i;
    row[0] = angular.x;
    row[1] = angular.y;
    row[2] = angular.z;
    row[3] = linear.x;
    row[4] = linear.y;
    row[5] = linear.z;
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
