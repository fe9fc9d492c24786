#pragma once
/// \file
/// The noise of a block's torque rows, over lanes: what antaeus::TorqueNoise makes of an identified noise.
///
///     R = diag(own variances) + (X F)(X F)ᵀ,  C = F Fᵀ,  and X θ̂ taken out of the residual
///
/// X F is what parameters that are in doubt make of the rows: a row of independent errors of unit variance for each. X
/// is TorqueNoise's (Atkeson, An & Hollerbach, IJRR 5 (1986) for its inertial part). Only the rows of a block are
/// formed, and only the parameters that they hang on are among F's.

#include <numbers>

#include "antaeus/core/lanes.hpp"
#include "replay/batch_dynamics.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

/// eˣ for x in 0 … 700, to 2 ε: Cody and Waite's reduction by ln 2, then the rational approximation of Cephes.
template <class D>
ANTAEUS_LANES_INLINE D exponential(const D& x) {
  constexpr double kShift = 6755399441055744.0;  // as in sine_cosine()
  const D shifted = x * std::numbers::log2e + kShift;
  const D k = shifted - kShift;
  // ln 2 in two parts, the first of few bits. NOLINTNEXTLINE(modernize-use-std-numbers)
  const D r = (x - k * 6.93145751953125e-1) - k * 1.42860682030941723212e-6;
  const D z = r * r;
  const D p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z + 9.99999999999999999910e-1);
  const D q = ((3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z + 2.27265548208155028766e-1) * z + 2.0;
  return (1.0 + 2.0 * p / (q - p)) * from_bits((bits(shifted) + 1023) << 52);
}

/// Hyperbolic tangent to 2 ε; Cephes' rational approximation where the exponential would cancel.
template <class D>
ANTAEUS_LANES_INLINE D hyperbolic_tangent(const D& x) {
  const D z = x * x;
  const D p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3;
  const D q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3;
  const D near = x + x * z * (p / q);
  const D size = select(x < 0.0, D(-x), x);
  const D far = 1.0 - 2.0 / (exponential(D(2.0 * smaller(size, all_lanes<D>(22.0)))) + 1.0);
  return select(size < 0.625, near, select(x < 0.0, D(-far), far));
}

// Rows by what is in doubt of the model -------------------------------------------------------------------------------

using detail::BatchBlock;
using detail::BatchDoubtedBody;
using detail::BatchDoubtedNumber;
using detail::BatchSharedErrors;

/// A body as its parameters see it: its frame, and how that moves; in its own axes where a name ends in _b.
template <class D>
struct SeenBody {
  Turn<D> R;
  Vec3<D> p, acceleration, w, alpha, w_b, alpha_b;
};

template <class D>
ANTAEUS_LANES_INLINE SeenBody<D> seen(const BatchFrame& frame, bool dynamic, const BatchLanes<D>& lanes) {
  SeenBody<D> body;
  const Place<D>& place = lanes.places[frame.body];
  const Vec3<D> lever = turned(place.R, frame.p);
  body.R = axes_of(frame, lanes);
  body.p = place.p + lever;
  body.acceleration = lanes.field;
  if (!dynamic) return body;
  const Motion<D>& motion = lanes.motions[frame.body];
  body.w = motion.w;
  body.alpha = motion.alpha;
  body.acceleration = lanes.field + motion.a + cross(motion.alpha, lever) + cross(motion.w, cross(motion.w, lever));
  body.w_b = turned_back(body.R, motion.w);
  body.alpha_b = turned_back(body.R, motion.alpha);
  return body;
}

/// What each of the body's first four parameters makes of a joint's torque at rest. \param lean  cross(field, axis) of
/// a revolute joint
template <class D>
ANTAEUS_LANES_INLINE void still_entries(const SeenBody<D>& body, const BatchJoint& joint, const Place<D>& place,
                                        const Vec3<D>& lean, D* entry) {
  if (joint.prismatic) {
    entry[0] = dot(axis_of(joint, place), body.acceleration);
    entry[1] = entry[2] = entry[3] = all_lanes<D>(0.0);
    return;
  }
  entry[0] = dot(body.p - place.p, lean);
  spread(turned_back(body.R, lean), entry + 1);
}

/// The same of all ten while it moves.
template <class D>
ANTAEUS_LANES_INLINE void moving_entries(const SeenBody<D>& body, const BatchJoint& joint, const Place<D>& place,
                                         D* entry) {
  const Vec3<D> axis = axis_of(joint, place);
  const Vec3<D> turn = joint.prismatic ? nothing<D>() : axis;
  const Vec3<D> shift = joint.prismatic ? axis : cross(axis, body.p - place.p);
  entry[0] = dot(shift, body.acceleration);
  const D along = dot(body.w, shift), size = dot(body.w, body.w);
  const Vec3<D> first = cross(body.acceleration, turn) + cross(shift, body.alpha) + along * body.w - size * shift;
  spread(turned_back(body.R, first), entry + 1);
  const Vec3<D> x = turned_back(body.R, turn), &y = body.alpha_b, &w = body.w_b, u = cross(x, w);
  entry[4] = x.x * y.x + u.x * w.x;
  entry[5] = x.x * y.y + x.y * y.x + u.x * w.y + u.y * w.x;
  entry[6] = x.y * y.y + u.y * w.y;
  entry[7] = x.x * y.z + x.z * y.x + u.x * w.z + u.z * w.x;
  entry[8] = x.y * y.z + x.z * y.y + u.y * w.z + u.z * w.y;
  entry[9] = x.z * y.z + u.z * w.z;
}

/// sum += F entry: what a body's parameters in doubt add to the independent errors of a row.
template <class D>
ANTAEUS_LANES_INLINE void add_errors(const BatchDoubtedBody& doubted, const D* entry, D* sum) {
  const double* factor = doubted.factor;
  if (doubted.parts == 4) {  // mass and first moment, as nearly always
    const D a = entry[doubted.part[0]], b = entry[doubted.part[1]], c = entry[doubted.part[2]],
            d = entry[doubted.part[3]];
    for (int k = 0; k < doubted.reach; ++k, factor += 4) {
      sum[k] = sum[k] + ((factor[0] * a + factor[1] * b) + (factor[2] * c + factor[3] * d));
    }
    return;
  }
  for (int k = 0; k < doubted.reach; ++k, factor += doubted.parts) {
    D more = factor[0] * entry[doubted.part[0]];
    for (int i = 1; i < doubted.parts; ++i) more = more + factor[i] * entry[doubted.part[i]];
    sum[k] = sum[k] + more;
  }
}

/// (X F) of a block's rows.
template <class D>
void shared_errors(const BatchNumbers& model, const BatchBlock& block, const BatchSharedErrors& shared, bool dynamic,
                   BatchLanes<D>& lanes) {
  const int depth = shared.depth;
  D* const errors = lanes.errors + block.errors;
  for (int i = 0; i < block.rows; ++i) {
    const int j = block.joint[i];
    if (!dynamic && shared.body_count > 0) {
      lanes.lean[i] = cross(lanes.field, axis_of(model.joints[j], lanes.places[j + 1]));
    }
    for (int k = 0; k < shared.lengths[i]; ++k) errors[depth * i + k] = all_lanes<D>(0.0);
  }
  for (int b = 0; b < shared.body_count; ++b) {
    const BatchDoubtedBody& doubted = shared.bodies[b];
    const SeenBody<D> body = seen(doubted.frame, dynamic, lanes);
    for (int n = 0; n < doubted.row_count; ++n) {
      const int row = doubted.rows[n], j = block.joint[row];
      D entry[10];
      if (dynamic) {
        moving_entries(body, model.joints[j], lanes.places[j + 1], entry);
      } else {
        still_entries(body, model.joints[j], lanes.places[j + 1], lanes.lean[row], entry);
      }
      add_errors(doubted, entry, errors + depth * row);
    }
  }
  for (int n = 0; n < shared.number_count; ++n) {
    const BatchDoubtedNumber& number = shared.numbers[n];
    const int m = block.motor[number.row];
    const D value = number.kind == BatchDoubtedNumber::Kind::offset         ? all_lanes<D>(1.0)
                    : number.kind == BatchDoubtedNumber::Kind::speed        ? lanes.v[m]
                    : number.kind == BatchDoubtedNumber::Kind::acceleration ? lanes.a[m]
                                                                            : lanes.tangent[m];
    D* sum = errors + depth * number.row;
    for (int k = 0; k < number.reach; ++k) sum[k] = sum[k] + number.factor[k] * value;
  }
}

// The noise of rows ---------------------------------------------------------------------------------------------------

using detail::BatchMotorNoise;

/// X θ̂ of all motors, and the tanh of their speeds; call after the torques, whose scratch memory it uses.
template <class D>
void mean_error(const BatchNumbers& model, const BatchCall& call, BatchLanes<D>& lanes) {
  const detail::BatchNoise& noise = *model.noise;
  const D zero = all_lanes<D>(0.0);
  for (int m = 0; m < model.motor_count; ++m) lanes.mean[m] = lanes.tangent[m] = zero;
  if (noise.bodies) {
    // Inverse dynamics is linear in the parameters: the same pass over a robot of these alone.
    BatchLanes<D> theirs = lanes;
    theirs.torque = lanes.mean;
    Vec3<D> force, moment;
    if (call.moving) {
      dynamic_torques(*noise.bodies, theirs, lanes.field, force, moment);
    } else {
      const Vec3<D> fall{-lanes.field.x, -lanes.field.y, -lanes.field.z};
      gravity_torques(*noise.bodies, theirs, fall, force, moment);
    }
  }
  for (int m = 0; m < model.motor_count; ++m) {
    const BatchMotorNoise& motor = noise.motors[m];
    D& mean = lanes.mean[m];
    if (!motor.known) {
      mean = zero;
      continue;
    }
    mean = mean + motor.offset;
    if (!call.moving) continue;
    mean = mean + motor.viscous * lanes.v[m];
    if (!motor.dry) continue;
    lanes.tangent[m] = hyperbolic_tangent(D(lanes.v[m] / noise.coulomb_speed));
    mean = mean + motor.coulomb * lanes.tangent[m];
  }
}

/// What a row does not share with others.
template <class D>
ANTAEUS_LANES_INLINE D own_variance(const BatchNumbers& model, const BatchCall& call, const BatchLanes<D>& lanes,
                                    int m) {
  const BatchMotorNoise& motor = model.noise->motors[m];
  const D zero = all_lanes<D>(0.0);
  D variance = call.in.variance.data ? lanes.variance[m] : zero;
  if (call.in.variance.data) variance = select(variance >= 0.0, variance, all_lanes<D>(__builtin_nan("")));
  // A row that nobody identified has what is given of it, or nothing that could be used.
  if (!motor.known) return select(variance > 0.0, variance, all_lanes<D>(__builtin_nan("")));
  const D& tangent = lanes.tangent[m];
  variance = variance + motor.variance + motor.standing * (1.0 - tangent * tangent);
  if (call.moving && motor.speed > 0.0) variance = variance + motor.speed * lanes.v[m] * lanes.v[m];
  if (!model.noise->mean_counts) variance = variance + lanes.mean[m] * lanes.mean[m];
  if (!call.in.motion_share.data) return variance;
  const D share = *lanes.share;
  const D moving = select(share > 0.0, D(share * share * motor.motion), zero);
  return select((share >= 0.0) & (share <= 1.0), D(variance + moving), all_lanes<D>(__builtin_nan("")));
}

/// The larger of both; NaN where either is.
template <class D>
ANTAEUS_LANES_INLINE D at_least(const D& least, const D& variance) {
  // NOLINTNEXTLINE(misc-redundant-expression): false for NaN
  return select(least == least, select(least > variance, least, variance), least);
}

/// R of a block's rows: its lower triangle row by row, with infinity on its diagonal for a row that is no evidence.
template <class D>
void noise_covariance(const BatchNumbers& model, const BatchBlock& block, const BatchCall& call, BatchLanes<D>& lanes,
                      D* R) {
  const BatchSharedErrors& shared = call.moving ? block.moving : block.still;
  shared_errors(model, block, shared, call.moving, lanes);
  const int n = block.rows, depth = shared.depth;
  for (int i = 0; i < n; ++i) {
    const D* mine = lanes.errors + block.errors + depth * i;
    for (int j = 0; j <= i; ++j) {
      const D* theirs = lanes.errors + block.errors + depth * j;
      const int length = shared.lengths[i] < shared.lengths[j] ? shared.lengths[i] : shared.lengths[j];
      D sum = all_lanes<D>(0.0);
      for (int k = 0; k < length; ++k) sum = sum + mine[k] * theirs[k];
      R[n * i + j] = sum;
    }
    const int m = block.motor[i];
    D& diagonal = R[n * i + i];
    diagonal = diagonal + own_variance(model, call, lanes, m);
    if (call.in.least_variance.data) diagonal = at_least(lanes.least[m], diagonal);
  }
}

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
