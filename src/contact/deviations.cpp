#include "contact/deviations.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/stances.hpp"

namespace antaeus {

namespace {

constexpr int kTotalRows = 6, kContactRows = 6, kPairRows = 2, kHiddenRows = 7;
constexpr int kForward = 0, kSideways = 1, kAlong = 2, kAcross = 3;  ///< among a contact's rows
constexpr int kFootConstants = 5, kBodyConstants = 2;

int deviations(const KnownBody& body) {
  return kTotalRows + kContactRows * body.feet + kPairRows * (body.feet * (body.feet - 1) / 2) +
         (body.hidden ? kHiddenRows : 0);
}

/// f⁺ and its derivative with f_z.
struct Positive {
  double value, slope;
};
Positive positive(double f, double floor) {
  const double root = std::sqrt(f * f + 4.0 * floor * floor);
  // For f ≪ 0 the difference cancels; its other form does not.
  const double value = f > 0 ? 0.5 * (f + root) : 2.0 * floor * floor / (root - f);
  return {value, value / root};
}

/// One after the other fills the rows of e and of the gradient.
class Rows {
 public:
  Rows(const ConstVectorRef& w, VectorX& e, MatrixX* gradient) : w_(w), e_(e), gradient_(gradient) {}

  void total(const KnownRow& row, const Vector6& sds) {
    const Vector3 right = row.forward.cross(Vector3::UnitZ());
    const Vector3 axes[3] = {row.forward, right, Vector3::UnitZ()};
    Vector6 sum = -row.total;
    for (std::size_t i = 0; i < row.contacts.size(); ++i) {
      const Vector3 f = force(i), arm = row.contacts[i].c - row.ground;
      sum.head<3>() += f;
      sum.tail<3>() += moment(i) + arm.cross(f);
    }
    for (int k = 0; k < 6; ++k) {
      const Vector3& axis = axes[k % 3];
      const double sd = sds[k];
      e_[next_] = axis.dot(k < 3 ? sum.head<3>() : sum.tail<3>()) / sd;
      for (std::size_t i = 0; gradient_ && i < row.contacts.size(); ++i) {
        const Vector3 arm = row.contacts[i].c - row.ground;
        // a·(arm × f) = (a × arm)·f
        at(i).head<3>() = (k < 3 ? axis : Vector3(axis.cross(arm))).transpose() / sd;
        if (k >= 3) at(i).tail<3>() = axis.transpose() / sd;
      }
      ++next_;
    }
  }

  /// The horizontal force along u against its expected share of the vertical one: (f·u − expected f_z)/f⁺. A raised
  /// foot, f_z = 0, is thus expected to exert none at all.
  void direction(std::size_t i, const Positive& up, const Vector3& u, double expected, double sd) {
    const Vector3 off = u - expected * Vector3::UnitZ();
    const double along = force(i).dot(off);
    e_[next_] = along / (up.value * sd);
    if (gradient_) {
      at(i).head<3>() = off.transpose() / (up.value * sd);
      at(i)[2] -= along * up.slope / (up.value * up.value * sd);
    }
    ++next_;
  }

  /// The centre of pressure along u: m·(u × z)/f⁺.
  void pressure(std::size_t i, const Positive& up, const Vector3& u, double sd) {
    const Vector3 turned = u.cross(Vector3::UnitZ());
    const double along = moment(i).dot(turned);
    e_[next_] = along / (up.value * sd);
    if (gradient_) {
      at(i).tail<3>() = turned.transpose() / (up.value * sd);
      at(i)[2] -= along * up.slope / (up.value * up.value * sd);
    }
    ++next_;
  }

  /// m·(f_x, f_y, f⁺)/f⁺²: the moment about the force's own line, over the vertical force.
  void free_moment(std::size_t i, const Positive& up, double sd) {
    const Vector3 f(force(i).x(), force(i).y(), up.value), m = moment(i);
    const double square = up.value * up.value, work = m.dot(f);
    e_[next_] = work / (square * sd);
    if (gradient_) {
      at(i).head<2>() = m.head<2>().transpose() / (square * sd);
      at(i)[2] = (m.z() - 2.0 * work / up.value) * up.slope / (square * sd);
      at(i).tail<3>() = f.transpose() / (square * sd);
    }
    ++next_;
  }

  void load(std::size_t i, double sd) {
    e_[next_] = force(i).z() / sd;
    if (gradient_) at(i)[2] = 1.0 / sd;
    ++next_;
  }

  /// f⁺ − f_z: 0 where the contact pushes, −f_z where it pulls.
  void pull(std::size_t i, const Positive& up, double sd) {
    e_[next_] = (up.value - force(i).z()) / sd;
    if (gradient_) at(i)[2] = (up.slope - 1.0) / sd;
    ++next_;
  }

  void difference(std::size_t a, std::size_t b, double sd) {
    e_[next_] = (force(a).z() - force(b).z()) / sd;
    if (gradient_) {
      at(a)[2] = 1.0 / sd;
      at(b)[2] = -1.0 / sd;
    }
    ++next_;
  }

  Vector3 force(std::size_t i) const { return w_.segment<3>(6 * static_cast<Eigen::Index>(i)); }
  Vector3 moment(std::size_t i) const { return w_.segment<3>(6 * static_cast<Eigen::Index>(i) + 3); }

 private:
  Eigen::Block<MatrixX, 1, 6> at(std::size_t i) {
    return gradient_->block<1, 6>(next_, 6 * static_cast<Eigen::Index>(i));
  }

  const ConstVectorRef& w_;
  VectorX& e_;
  MatrixX* gradient_;
  Eigen::Index next_ = 0;
};

/// Of a foot's deviations that are ratios.
struct FootSds {
  FootSds(const KnownBody& body, const KnownContact& contact) {
    const SplitOptions& o = body.options;
    const double wider = 1.0 + (body.steps ? o.step_spread * contact.step : 0.0),
                 direction = wider + std::abs(contact.turn);
    lean_forward = o.lean_sd_forward * direction;
    lean_sideways = o.lean_sd_sideways * direction;
    // A foot on its heel has its pressure there; one that rolls over its ball anywhere from the ball to the toes.
    along = body.sole.along_sd * (1.0 + 0.5 * std::min(contact.turn, 0.0)) * wider;
    across = body.sole.across_sd * wider;
    free_moment = o.free_moment_sd * wider;
  }
  double lean_forward, lean_sideways, along, across, free_moment;
};

/// Of the total. What the low pass of a motion takes away is gone from its rates as well: near a step it is stated, not
/// read off.
Vector6 total_sds(const KnownBody& body, const KnownRow& row) {
  Vector6 sds = row.total_sd;
  const double step = body.steps ? row.step() : 0.0;
  if (step == 0.0) return sds;
  const SplitOptions& o = body.options;
  const double share[3] = {o.step_share_forward, o.step_share_sideways, o.step_share_up};
  for (int k = 0; k < 3; ++k) sds[k] = std::hypot(sds[k], share[k] * body.weight * step);
  return sds;
}

}  // namespace

double KnownRow::step() const noexcept {
  double nearest = 0.0;
  for (const KnownContact& one : contacts) nearest = std::max(nearest, one.step);
  return nearest;
}

std::vector<Memory> memories(const KnownBody& body) {
  const SplitOptions& o = body.options;
  std::vector<Memory> result(kTotalRows, {o.total_correlation});
  const auto add = [&](int count, Memory memory) {
    result.insert(result.end(), static_cast<std::size_t>(count), memory);
  };
  for (int f = 0; f < body.feet; ++f) {
    add(kContactRows - 1, {.correlation = o.foot_correlation, .steps_of = body.steps ? f : -1});
    add(1, {o.load_correlation});
  }
  for (int pair = 0; pair < body.feet * (body.feet - 1) / 2; ++pair) {
    add(1, {o.difference_correlation});
    add(1, {o.difference_correlation, true});
  }
  if (body.hidden) {
    add(kHiddenRows - 1, {o.hidden_correlation});
    add(1, {o.load_correlation});
  }
  return result;
}

void evaluate(const KnownBody& body, const KnownRow& row, const ConstVectorRef& w, VectorX& e, MatrixX* gradient) {
  const SplitOptions& o = body.options;
  const int feet = body.feet, count = deviations(body);
  e.resize(count);
  if (gradient) gradient->setZero(count, body.unknowns());
  Rows rows(w, e, gradient);
  rows.total(row, total_sds(body, row));
  const Vector3 right = row.forward.cross(Vector3::UnitZ());
  const double floor = o.force_floor * body.weight;
  for (std::size_t i = 0; i < static_cast<std::size_t>(feet); ++i) {
    const KnownContact& contact = row.contacts[i];
    const Positive up = positive(rows.force(i).z(), floor);
    const Vector3 lean = (row.com - contact.c) / body.com_height;
    const FootSds sds(body, contact);
    rows.direction(i, up, row.forward, o.lean_forward * lean.dot(row.forward), sds.lean_forward);
    rows.direction(i, up, right, o.lean_sideways * lean.dot(right), sds.lean_sideways);
    rows.pressure(i, up, contact.forward, sds.along);
    rows.pressure(i, up, contact.forward.cross(Vector3::UnitZ()), sds.across);
    rows.free_moment(i, up, sds.free_moment);
    rows.load(i, contact.load_sd * body.weight);
  }
  // Several pairs say the same several times: k feet have k (k − 1)/2 pairs and k − 1 differences.
  const double repeated = std::sqrt(0.5 * feet);
  for (std::size_t a = 0; a < static_cast<std::size_t>(feet); ++a) {
    for (std::size_t b = a + 1; b < static_cast<std::size_t>(feet); ++b) {
      rows.difference(a, b, o.difference_sd * body.weight * repeated);
      rows.difference(a, b, body.weight * repeated);
    }
  }
  if (!body.hidden) return;
  const auto i = static_cast<std::size_t>(feet);
  const Positive up = positive(rows.force(i).z(), floor);
  rows.direction(i, up, row.forward, 0.0, o.hidden_lean_sd);
  rows.direction(i, up, right, 0.0, o.hidden_lean_sd);
  rows.pressure(i, up, row.forward, o.hidden_location_sd);
  rows.pressure(i, up, right, o.hidden_location_sd);
  rows.free_moment(i, up, o.free_moment_sd);
  rows.load(i, row.contacts[i].load_sd * body.weight);
  rows.pull(i, up, floor);
}

int constants(const KnownBody& body) { return kFootConstants * body.feet + kBodyConstants; }

void shift(const KnownBody& body, const KnownRow& row, int c, VectorX& off) {
  const SplitOptions& o = body.options;
  off.setZero(deviations(body));
  if (c >= kFootConstants * body.feet) {
    // Sideways it is a moment about the axis forward, and forward one about the axis to the right.
    const bool sideways = c == kFootConstants * body.feet;
    const int k = sideways ? 3 : 4;
    off[k] = body.weight * (sideways ? o.com_constant_sideways : o.com_constant_forward) / total_sds(body, row)[k];
    return;
  }
  const int foot = c / kFootConstants, first = kTotalRows + kContactRows * foot;
  const KnownContact& contact = row.contacts[static_cast<std::size_t>(foot)];
  const FootSds sds(body, contact);
  switch (c % kFootConstants) {
    case 0: off[first + kForward] = o.lean_constant_forward / sds.lean_forward; break;
    case 1: off[first + kSideways] = o.lean_constant_sideways / sds.lean_sideways; break;
    case 2: off[first + kAlong] = body.sole.along_constant / sds.along; break;
    case 3: off[first + kAcross] = body.sole.across_constant / sds.across; break;
    default: off[first + kAcross] = body.sole.heading_sd * rolled(body.sole, contact.turn) / sds.across; break;
  }
}

}  // namespace antaeus
