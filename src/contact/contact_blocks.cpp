#include "antaeus/contact/contact_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "antaeus/contact/contact_stream.hpp"
#include "antaeus/core/error.hpp"
#include "contact/contact_names.hpp"
#include "contact/contact_parts.hpp"
#include "contact/contact_reading.hpp"
#include "contact/motion_stretch.hpp"
#include "contact/null_space.hpp"

namespace antaeus {

using Eigen::Index;

namespace {

constexpr Index kFramesOfABlock = 16384;
/// What the end of a stretch leaves of a block before it: below the last digit, and so far that the digits before it
/// have met, too.
constexpr double kFaded = 1e-24;
constexpr std::size_t kMostViolations = 2000;

template <class Matrix>
void keep_columns(Matrix& matrix, Index first, Index count) {
  if (matrix.cols() > 0) matrix = Matrix(matrix.middleCols(first, count));
}
void keep_rows(SampleMatrix& matrix, Index first, Index count) {
  matrix = SampleMatrix(matrix.middleRows(first, count));
}
template <class Item>
void keep_items(std::vector<Item>& items, Index first, Index count) {
  if (items.empty()) return;
  items.erase(items.begin() + first + count, items.end());
  items.erase(items.begin(), items.begin() + first);
}

/// Leaves frames [first, first + count) of what was computed for them.
void keep_frames(ContactResult& result, Index first, Index count) {
  MotionDynamics& dynamics = result.dynamics;
  ContactDemand& demand = dynamics.demand;
  if (first == 0 && count == demand.frames()) return;
  const Index k = demand.contact_count();
  for (SampleMatrix* rows : {&dynamics.q, &dynamics.v, &dynamics.a, &dynamics.total}) keep_rows(*rows, first, count);
  keep_columns(dynamics.center_of_mass, first, count);
  keep_items(dynamics.base, first, count);
  for (std::size_t c = 0; c < dynamics.jacobians.size(); ++c) {
    const Index rows = std::ssize(dynamics.carriers[c]);
    keep_columns(dynamics.jacobians[c], first * rows, count * rows);
  }
  demand.time = VectorX(demand.time.segment(first, count));
  keep_columns(demand.total, first, count);
  keep_columns(demand.about, first, count);
  keep_columns(demand.speeds, first * k, count * k);
  keep_columns(demand.guess, first * k, count * k);
  keep_columns(demand.magnitude, first, count);
  keep_items(demand.places, first * k, count * k);
  keep_items(demand.active, first * k, count * k);
  keep_columns(result.solution.wrench, first * k, count * k);
  keep_columns(result.solution.residual, first, count);
  keep_items(result.solution.status, first, count);
}

}  // namespace

struct ContactBlocks::Impl {
  Impl(const Robot& of, ContactMotionReader reader, ContactRequest asked, ContactOptions chosen, SplitOptions split_by,
       TimingOptions timed_by)
      : robot(of),
        motion(std::move(reader)),
        request(detail::with_frames(of, std::move(asked))),
        options(chosen),
        split(split_by),
        timing(timed_by),
        head(detail::begin_result(robot, motion.about(), request, options)),
        figures(std::make_shared<detail::ContactFigures>()) {
    const ContactMotion& about = motion.about();
    frames = detail::frames_told(motion.frames(), about.is_states(), options);
    if (frames <= kFramesOfABlock || needs_all()) return;
    size = kFramesOfABlock;
    head.figures = figures;
    head.torque.resize(0, robot.model.nv());  // its columns are known
    head.sd_because = request.inverse_dynamics ? "inverse dynamics alone has no sd of masses and motion"
                                               : detail::why_no_sd(head, has_clock());
    if (request.over_time) look_at_contacts();
  }

  bool has_clock() const {
    const ContactMotion& about = motion.about();
    return (about.time.size() > 0 || about.dt.size() == 1) && (!about.is_states() || request.over_time);
  }

  /// Whether the answer hangs on all frames at once; finds the lag.
  bool needs_all() {
    if (request.inverse_dynamics) return false;
    if (options.detect && motion.about().active.size() == 0) return true;
    if (request.over_time && request.limits != LimitSet::none) return true;
    if (detail::why_no_sd(head, has_clock()).empty()) return true;
    if (!request.over_time) return false;
    if (!(options.least_torque > 0.0)) return true;
    const ContactMotion& about = motion.about();
    const bool stamped = !std::isnan(motion.time_begin());
    const double step = stamped ? (motion.time_end() - motion.time_begin()) / static_cast<double>(motion.frames() - 1)
                        : about.dt.size() > 0 ? about.dt[0]
                                              : kNaN;
    if (!(step > 0.0)) return true;  // it is refused there
    const double frames_of_lag =
        -std::log(kFaded) / -std::log(1e-12) * static_cast<double>(ContactStream::lag_for(options, step, 1e-12));
    if (frames_of_lag > static_cast<double>(kFramesOfABlock)) return true;
    lag = static_cast<Index>(std::ceil(frames_of_lag));
    return false;
  }

  /// Which form the elimination over time has in all frames.
  void look_at_contacts() {
    bool always = true, alike = true;
    Index touching = -1;
    for (Index row = 0; motion.about().active.size() > 0 && row < motion.frames(); row += kFramesOfABlock) {
      const SampleMatrix part = motion.rows("active", row, std::min(kFramesOfABlock, motion.frames() - row));
      for (Index t = 0; t < part.rows(); ++t) {
        const Index now = (part.row(t).array() != 0.0).count();
        always = always && now == part.cols();
        alike = alike && (touching < 0 || touching == now);
        touching = now;
      }
    }
    pair =
        always && request.contacts.size() == 2 &&
        std::ranges::all_of(head.dynamics.demand.kinds, [](ContactType kind) { return kind == ContactType::wrench; });
    mixed = !alike;
  }

  Index count() const { return size == 0 ? 1 : (frames + size - 1) / size; }

  ContactResult part(Index i, const Progress& progress) {
    const Index first = i * size, last = std::min(frames, first + size);
    // Forces over time go on from the frame before, and are known once those behind have been seen.
    const Index before = request.over_time && i > 0 ? 1 : 0;
    const Index behind = request.over_time ? std::min(frames - last, lag) : 0;
    detail::MotionStretch stretch{.frames = motion.frames(),
                                  .begin = first - before,
                                  .end = last + behind,
                                  .time_begin = motion.time_begin(),
                                  .time_end = motion.time_end()};
    stretch.first = std::max<Index>(0, stretch.begin - detail::kRateMargin);
    const Index end = std::min(motion.frames(), stretch.end + detail::kRateMargin);
    ContactResult result = detail::begin_result(robot, motion.about(), request, options);
    result.first_frame = first;
    result.sd_because = head.sd_because;
    result.dynamics = detail::motion_dynamics(robot, motion.block(stretch.first, end - stretch.first), stretch, request,
                                              options, progress);
    if (request.inverse_dynamics) {
      detail::answer_without_contacts(result);
      return result;
    }
    const detail::LimitSource source = detail::limit_source(robot, result);
    if (request.limits != LimitSet::none) {
      if (std::isnan(unit)) unit = detail::limits_unit(source, false);
      int stopped = 0;
      result.solution = detail::solve_with_limits(source, false, unit, stopped);
      if (i == done) all_stopped += stopped;
    } else if (request.over_time) {
      detail::StretchOverTime over_time{.pair = pair, .mixed = mixed};
      if (i > 0) over_time.carried = carried.at(static_cast<std::size_t>(i - 1));
      if (last < frames) over_time.last = before + size - 1;
      result.solution = detail::solve_over_time(result.dynamics.demand, options, over_time, stretch.begin);
      if (last < frames && i == std::ssize(carried)) carried.push_back(std::move(*over_time.carried));
    } else {
      result.solution = solve_frames(result.dynamics.demand, options);
    }
    keep_frames(result, before, last - first);
    detail::answer(robot, source, result);
    return result;
  }

  /// Adds a block to what is told of all.
  void count_in(const ContactResult& block) {
    figures->take(detail::ContactReading(block, nullptr));
    for (const LimitViolation& one : block.violations) {
      if (head.violations.size() == kMostViolations) {
        ++head.violations_left_out;
        continue;
      }
      head.violations.push_back(one);
      head.violations.back().frame += block.first_frame;
    }
    head.feasible = head.violations.empty();
    if (++done < count()) return;
    head.residual_share = figures->left_force.rms() / head.weight;
    head.residual_fine =
        request.inverse_dynamics || options.reduce_residual || head.residual_share <= options.residual_limit;
    detail::tell_stopped(all_stopped, false, head.remarks);
    if (!request.inverse_dynamics) detail::tell_few_points(head);
  }

  const Robot robot;
  ContactMotionReader motion;
  ContactRequest request;
  ContactOptions options;
  SplitOptions split;
  TimingOptions timing;
  ContactResult head;
  std::shared_ptr<detail::ContactFigures> figures;
  Index frames = 0, size = 0;  ///< size 0: one block
  Index lag = 0, done = 0;
  bool pair = false, mixed = false;
  double unit = kNaN;
  int all_stopped = 0;
  std::vector<detail::Eliminated> carried;  ///< behind each block
};

ContactBlocks::ContactBlocks(const Robot& robot, ContactMotionReader motion, const ContactRequest& request,
                             const ContactOptions& options, const SplitOptions& split, const TimingOptions& timing)
    : impl_(std::make_unique<Impl>(robot, std::move(motion), request, options, split, timing)) {}
ContactBlocks::ContactBlocks(ContactBlocks&&) noexcept = default;
ContactBlocks& ContactBlocks::operator=(ContactBlocks&&) noexcept = default;
ContactBlocks::~ContactBlocks() = default;

Index ContactBlocks::frames() const noexcept { return impl_->frames; }
Index ContactBlocks::count() const noexcept { return impl_->count(); }
Index ContactBlocks::block_of(Index frame) const noexcept { return impl_->size == 0 ? 0 : frame / impl_->size; }
const ContactResult& ContactBlocks::whole() const noexcept { return impl_->head; }

ContactResult ContactBlocks::block(Index i, const Progress& progress) {
  Impl& my = *impl_;
  if (my.size == 0) {
    return contact_inverse_dynamics(my.robot, std::move(my.motion).load(), my.request, my.options, my.split, my.timing,
                                    progress);
  }
  ContactResult block = my.part(i, progress);
  if (i == my.done) my.count_in(block);
  return block;
}

}  // namespace antaeus
