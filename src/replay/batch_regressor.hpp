#pragma once
/// \file
/// What parameters that are in doubt make of a block's torque rows, over lanes: X F, a row of independent errors of
/// unit variance for each torque row. X is TorqueNoise's (Atkeson, An & Hollerbach, IJRR 5 (1986) for its inertial
/// part).

#include "replay/batch_sensed.hpp"

namespace antaeus::lanes {
inline namespace ANTAEUS_LANES {

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

}  // namespace ANTAEUS_LANES
}  // namespace antaeus::lanes
