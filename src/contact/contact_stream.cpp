#include "antaeus/contact/contact_stream.hpp"

#include <cmath>

#include "antaeus/core/error.hpp"
#include "contact/null_space.hpp"

namespace antaeus {

namespace {

constexpr double kSameStep = 1e-6;

template <class Matrix>
void append(Matrix& to, const Matrix& more) {
  if (more.size() == 0) return;
  const Eigen::Index before = to.cols();
  to.conservativeResize(more.rows(), before + more.cols());
  to.rightCols(more.cols()) = more;
}
template <class Matrix>
void keep_last(Matrix& matrix, Eigen::Index columns) {
  if (matrix.size() > 0) matrix = matrix.rightCols(columns).eval();
}

}  // namespace

ContactStream::ContactStream(const ContactOptions& options, Eigen::Index lag) : options_(options), lag_(lag) {
  check_options(options);
  if (lag < 1) throw OptionsError("lag", "is " + std::to_string(lag), "give one frame or more");
}

Eigen::Index ContactStream::lag_for(const ContactOptions& options, double dt, double accuracy) {
  // Nimble's weights count frames, and its force weight is 0.01; else T is a time.
  const double frames = options.compatibility == Compatibility::nimble
                            ? std::sqrt(options.smoothing / (0.01 * options.least_torque))
                            : options.smoothing_time / dt * std::sqrt(options.smoothing / options.least_torque);
  if (!std::isfinite(frames)) throw OptionsError("contact.least_torque", "is zero", "without it no frame ever settles");
  return static_cast<Eigen::Index>(std::ceil(-std::log(accuracy) * frames)) + 2;
}

SettledFrames ContactStream::push(const ContactDemand& frames) {
  // Before anything is kept: a frame that cannot be solved would stop all that come after it too.
  const Eigen::Index count = frames.frames(), contacts = frames.contact_count();
  if (frames.about.cols() != count || std::ssize(frames.places) != count * contacts) {
    throw OptionsError("stream", "these frames do not have one place per contact",
                       "give `about` and `places` of every frame");
  }
  for (Eigen::Index t = 0; t < count; ++t) {
    if (!detail::is_finite(frames, t)) throw detail::unfit_frame(begin_ + held_.frames() + t);
  }
  if (held_.contacts.empty()) {
    held_ = frames;
  } else {
    const auto differs = [](const auto& one, const auto& other) { return (one.size() > 0) != (other.size() > 0); };
    // The time step of a stretch is a quotient of its stamps, which are rounded.
    if (frames.contacts != held_.contacts || !(std::abs(frames.dt - held_.dt) <= kSameStep * held_.dt) ||
        differs(frames.active, held_.active) || differs(frames.guess, held_.guess) ||
        differs(frames.speeds, held_.speeds) || differs(frames.magnitude, held_.magnitude)) {
      throw OptionsError("stream", "these frames are of other contacts or another time step", "begin a new stream");
    }
    const Eigen::Index before = held_.time.size();
    held_.time.conservativeResize(before + frames.time.size());
    held_.time.tail(frames.time.size()) = frames.time;
    append(held_.total, frames.total);
    append(held_.about, frames.about);
    append(held_.speeds, frames.speeds);
    append(held_.guess, frames.guess);
    append(held_.magnitude, frames.magnitude);
    held_.places.insert(held_.places.end(), frames.places.begin(), frames.places.end());
    held_.active.insert(held_.active.end(), frames.active.begin(), frames.active.end());
  }
  const Eigen::Index end = begin_ + held_.frames();
  // As many frames settle at once as are held beside them: each is solved about three times.
  return end - done_ >= 2 * lag_ ? settle(end - lag_) : SettledFrames{done_, {}};
}

SettledFrames ContactStream::finish() {
  return held_.frames() > 0 && begin_ + held_.frames() > done_ ? settle(begin_ + held_.frames())
                                                               : SettledFrames{done_, {}};
}

SettledFrames ContactStream::settle(Eigen::Index until) {
  const ContactSolution all = solve_over_time(held_, options_);
  const int k = held_.contact_count();
  const Eigen::Index from = done_ - begin_, count = until - done_;
  SettledFrames settled{done_, {}};
  settled.solution.wrench = all.wrench.middleCols(from * k, count * k);
  settled.solution.residual = all.residual.middleCols(from, count);
  settled.solution.status.assign(all.status.begin() + from, all.status.begin() + from + count);
  done_ = until;
  const Eigen::Index kept = std::min(held_.frames(), begin_ + held_.frames() - until + lag_);
  const Eigen::Index dropped = held_.frames() - kept;
  if (dropped == 0) return settled;
  held_.time = held_.time.tail(kept).eval();
  keep_last(held_.total, kept);
  keep_last(held_.about, kept);
  keep_last(held_.speeds, kept * k);
  keep_last(held_.guess, kept * k);
  keep_last(held_.magnitude, kept);
  held_.places.erase(held_.places.begin(), held_.places.begin() + dropped * k);
  if (!held_.active.empty()) held_.active.erase(held_.active.begin(), held_.active.begin() + dropped * k);
  held_.previous.resize(6, 0);  // it stood before the stream's first frame
  begin_ += dropped;
  return settled;
}

}  // namespace antaeus
