#include "contact/contact_figures.hpp"

#include <algorithm>

#include "contact/contact_reading.hpp"

namespace antaeus::detail {

void ContactFigures::take(const ContactReading& block) {
  const ContactResult& result = block.result();
  const Eigen::Index first = result.first_frame, N = block.frames();
  const VectorX& time = block.time();
  if (N > 0) {
    clock = clock && time.size() == N && !(frames > 0 && !(time[0] >= time_end));
    if (clock && frames == 0) time_begin = time[0];
    if (clock) time_end = time[N - 1];
  }
  if (frames == 0) dt = block.demand().dt;
  take_contacts(block, first);
  take_torques(block, first);
  take_limits(block, first);
  for (Eigen::Index t = 0; t < N; ++t) {
    residual_force.add(block.residual_force(t), first + t);
    residual_moment.add(block.residual_moment(t), first + t);
    left_force.add(result.solution.residual.col(t).segment<3>(0).norm(), first + t);
    left_moment.add(result.solution.residual.col(t).segment<3>(3).norm(), first + t);
    if (result.request.inverse_dynamics) most_held.add(block.residual_force(t), first + t);
  }
  if (result.root_change.size() > 0) {
    for (Eigen::Index t = 0; t < result.root_change.rows(); ++t) {
      root_change.add(result.root_change.row(t).head<3>().norm(), first + t);
    }
    changed += result.root_change.rows();
    root_change_squares += result.root_change.leftCols(3).squaredNorm();
  }
  bad += std::count_if(result.solution.status.begin(), result.solution.status.end(),
                       [](Status status) { return status != Status::ok; });
  any_wrench = any_wrench || result.solution.wrench.array().isFinite().any();
  frames += N;
  keep_times(block, first);
}

void ContactFigures::take_contacts(const ContactReading& block, Eigen::Index first) {
  const ContactResult& result = block.result();
  const ContactDemand& demand = block.demand();
  const int k = block.contacts();
  const Matrix6X wrench = in_axes(demand, result.solution.wrench, result.request.axes);
  contacts.resize(static_cast<std::size_t>(k));
  if (wrench.cols() < block.frames() * k) return;  // nothing was solved
  for (Eigen::Index t = 0; t < block.frames(); ++t) {
    int now = 0;
    Eigen::Index open = 0;
    for (int c = 0; c < k; ++c) {
      OfContact& all = contacts[static_cast<std::size_t>(c)];
      const double vertical = block.vertical(t, c);
      all.vertical.add(vertical, first + t);
      all.horizontal.add(block.horizontal(t, c), first + t);
      most_vertical.add(vertical, first + t);
      for (int row = 0; row < 6; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const double value = wrench(row, demand.column(t, c));
        all.component[at].add(value, first + t);
        all.size[at].add(std::abs(value), first + t);
        if (all.size[at].at_largest == first + t) all.largest[at] = value;
      }
      if (!block.touches(t, c)) continue;
      ++now, ++all.touching;
      open += block.is_point(c) ? 3 : 6;
      all.pushing.add(vertical, first + t);
      const double sd = block.has_sd() ? block.force_sd(t, c, result.up) : kNaN;
      all.sd.add(sd, first + t);
      if (all.pushing.at_largest == first + t) all.pushing_sd = sd;
    }
    together = std::max(together, now);
    unknowns = std::max(unknowns, open);
  }
  const ContactPosterior* posterior = block.posterior();
  if (!posterior) return;
  pairs.resize(posterior->pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const FootPair& pair = posterior->pairs[i];
    for (Eigen::Index t = 0; t < std::min(block.frames(), pair.squeeze.size()); ++t) {
      if (!block.touches(t, pair.a) || !block.touches(t, pair.b)) continue;
      pairs[i].squeeze.add(pair.squeeze[t], first + t);
      pairs[i].sd.add(pair.squeeze_sd[t], first + t);
    }
  }
}

void ContactFigures::take_torques(const ContactReading& block, Eigen::Index first) {
  const SampleMatrix& torque = block.result().torque;
  joints.resize(static_cast<std::size_t>(block.joints()));
  for (Eigen::Index t = 0; t < torque.rows(); ++t) {
    root_force.add(torque.row(t).head<3>().norm(), first + t);
    root_moment.add(torque.row(t).segment<3>(3).norm(), first + t);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const double value = block.torque(t, static_cast<Eigen::Index>(j));
      joints[j].size.add(std::abs(value), first + t);
      if (joints[j].size.at_largest == first + t) joints[j].largest = value;
    }
  }
}

void ContactFigures::take_limits(const ContactReading& block, Eigen::Index first) {
  const ContactResult& result = block.result();
  for (std::size_t t = 0; t < result.margins.size(); ++t) {
    for (std::size_t m = 0; m < margins.size(); ++m) {
      margins[m].add(result.margins[t].*kMarginFields[m], first + static_cast<Eigen::Index>(t));
    }
  }
  for (const LimitViolation& one : result.violations) {
    auto known = std::find_if(broken.begin(), broken.end(),
                              [&](const BrokenLimit& b) { return b.kind == one.kind && b.subject == one.subject; });
    if (known == broken.end()) known = broken.insert(broken.end(), {one.subject, one.kind, {}});
    known->size.add(one.size, first + one.frame);
    broken_size.add(one.size, first + one.frame);
    if (first + one.frame != last_broken) ++broken_frames;
    last_broken = first + one.frame;
  }
}

void ContactFigures::keep_times(const ContactReading& block, Eigen::Index first) {
  std::map<Eigen::Index, double> named;
  const auto keep = [&](const Spread& spread) {
    for (const Eigen::Index frame : {spread.at_least, spread.at_largest}) {
      if (frame < 0) continue;
      const bool here = frame >= first && frame - first < block.time().size();
      named[frame] = here ? block.time()[frame - first] : time_at(frame);
    }
  };
  for (const OfContact& one : contacts) keep(one.vertical), keep(one.pushing);
  for (const OfJoint& one : joints) keep(one.size);
  for (const Spread& one : margins) keep(one);
  for (const BrokenLimit& one : broken) keep(one.size);
  for (const Spread* one : {&residual_force, &residual_moment, &root_force, &root_moment, &root_change}) keep(*one);
  times_.swap(named);
}

double ContactFigures::time_at(Eigen::Index frame) const {
  const auto found = times_.find(frame);
  return found == times_.end() ? kNaN : found->second;
}

std::shared_ptr<const ContactFigures> figures_of(const ContactResult& result) {
  if (result.figures) return result.figures;
  auto counted = std::make_shared<ContactFigures>();
  counted->take(ContactReading(result, nullptr));
  return counted;
}

}  // namespace antaeus::detail
