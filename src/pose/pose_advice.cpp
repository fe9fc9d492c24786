#include "antaeus/pose/pose_advice.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/replay/replay.hpp"
#include "core/in_blocks.hpp"
#include "pose/pose_batch.hpp"

namespace antaeus {

namespace {

constexpr int kBisections = 24;
/// Moves smaller than this are taken back where the limits allow it: advice is read by people.
constexpr double kSmallMove = 0.02;
constexpr double kFirstStep = 0.3;
/// What a step of the local search must gain, as a share: else rounding would keep it going.
constexpr double kGain = 5e-4;
/// Moves that are judged together where most of the answers will be wanted.
constexpr int kTogether = 16;
/// Levels of a bisection that are judged together: both halves of each.
constexpr int kLevels = 3;
/// Of a compass: all of 28 joints, by themselves and in pairs. Of more joints, only near ones are paired: else the work
/// would grow with the cube of their number, and an audit of 100 of them take ten seconds for its advice.
constexpr Eigen::Index kMostDirections = 1600;
/// So near to its limit, as a share, a number may lie on the other side of it when it is computed in another order.
constexpr double kNearItsLimit = 1e-7;

/// Joints that are searched together, and the endpoints that they move.
struct Component {
  std::vector<int> motors;
  std::vector<std::size_t> endpoints;
};

/// i-th number of the van der Corput sequence: evenly spread in (0, 1).
double radical_inverse(int i, int base) {
  double value = 0.0, share = 1.0 / base;
  for (; i > 0; i /= base, share /= base) value += share * (i % base);
  return value;
}

/// Evenly spread direction in n dimensions: pairs of the sequence through Box and Muller.
VectorX spread_direction(int i, Eigen::Index n) {
  constexpr int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  constexpr int kCount = static_cast<int>(std::size(kPrimes));
  VectorX direction(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int pair = static_cast<int>(k) / 2 * 2;
    // Beyond the table the sequence is taken further along: dimensions must not repeat each other.
    const int at = i + 1 + 409 * (pair / kCount);
    const double u = radical_inverse(at, kPrimes[pair % kCount]), v = radical_inverse(at, kPrimes[(pair + 1) % kCount]);
    const double radius = std::sqrt(-2.0 * std::log(u)), angle = 2.0 * std::numbers::pi * v;
    direction[k] = radius * (k % 2 ? std::sin(angle) : std::cos(angle));
  }
  return direction.normalized();
}

/// Search of one component. Points are moves in scaled joints, u = √weight (q − q₀): their norm is the distance.
class Search {
 public:
  Search(PoseQuality& quality, const PoseLimits& limits, const PoseAdviceOptions& options, const VectorX& q,
         const std::vector<Vector3>& hands, Component component)
      : quality_(&quality),
        samples_(hands.size() * kTogether),
        limits_(limits),
        options_(options),
        start_(q),
        q_(q),
        hands_(hands),
        component_(std::move(component)) {
    parts_ = parts_of(limits);
    asked_.resize(limits.limits.size() * hands.size());
    for (std::size_t k = 0; k < hands.size(); ++k) {
      for (std::size_t l = 0; l < limits.limits.size(); ++l) {
        asked_[l * hands.size() + k] = limits.limits[l].is_asked_of(quality.results()[k].endpoint);
      }
    }
    const auto n = static_cast<Eigen::Index>(component_.motors.size());
    scale_.setOnes(n);
    lower_.resize(n);
    upper_.resize(n);
    const RobotModel& model = quality.model();
    for (Eigen::Index i = 0; i < n; ++i) {
      const int motor = component_.motors[i];
      if (options.weights.size() > 0) scale_[i] = std::sqrt(options.weights[motor]);
      const auto bound = [&](double limit, double fallback) {
        return scale_[i] * ((std::isfinite(limit) ? limit : start_[motor] + fallback) - start_[motor]);
      };
      lower_[i] = bound(model.lower_limits()[motor], -std::numbers::pi);
      upper_[i] = bound(model.upper_limits()[motor], std::numbers::pi);
    }
  }

  /// What the limits ask for.
  static PoseParts parts_of(const PoseLimits& limits) {
    PoseParts parts{false, false, false, false};
    for (const PoseLimit& limit : limits.limits) parts = parts | PoseParts::needed_by(limit.quantity);
    return parts;
  }

  int evaluations() const { return evaluations_; }

  /// Judges moves by \p batch from now on: by the kernel where there are several and \p together allows it.
  void judge_by(PoseBatch& batch, bool together) {
    quality_ = &batch.quality();
    batch_ = together && batch.is_batched() ? &batch : nullptr;
    rows_.resize(static_cast<std::size_t>(q_.size() * kTogether));
  }
  VectorX clamped(const VectorX& u) const { return u.cwiseMax(lower_).cwiseMin(upper_); }
  /// Motor positions of a move.
  const VectorX& positions(const VectorX& u) {
    for (std::size_t i = 0; i < component_.motors.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      q_[component_.motors[i]] = start_[component_.motors[i]] + u[at] / scale_[at];
    }
    return q_;
  }

  /// A pose to start from besides what the search finds itself; one that is not permitted is not taken.
  void also_try(const VectorX& there) {
    VectorX u(scale_.size());
    for (std::size_t i = 0; i < component_.motors.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      u[at] = scale_[at] * (there[component_.motors[i]] - start_[component_.motors[i]]);
    }
    if (permitted(clamped(u))) candidates_.push_back(clamped(u));
  }

  bool permitted(const VectorX& u) {
    ++evaluations_;
    const std::vector<PoseConditioning>& poses = quality_->evaluate(positions(u), parts_);
    for (const std::size_t k : component_.endpoints) {
      if (poses[k].status != Status::ok) return false;
      for (std::size_t l = 0; l < limits_.limits.size(); ++l) {
        const PoseLimit& limit = limits_.limits[l];
        if (is_asked(l, k) && !(quality_->value(poses[k], limit.quantity) < limit.limit)) return false;
      }
      if (options_.keep_hand > 0 && !((poses[k].position - hands_[k]).norm() <= options_.keep_hand)) return false;
    }
    return true;
  }

  SingleJointMove alone(std::size_t joint) {
    const auto i = static_cast<Eigen::Index>(joint);
    const int motor = component_.motors[joint];
    const double step = options_.scan_step * scale_[i];
    SingleJointMove answer{quality_->model().motor_names()[motor], motor, start_[motor], {}, {}};
    VectorX u = VectorX::Zero(scale_.size());
    for (const double sign : {-1.0, 1.0}) {
      const double reach = sign < 0 ? -lower_[i] : upper_[i];
      if (!(reach > 0)) continue;
      const auto count = static_cast<int>(std::ceil(reach / step));
      const auto place = [&](int n) { return std::min(n * step, reach); };
      const auto move = [&](double distance) {
        u[i] = sign * distance;
        return u;
      };
      const auto moved = [&](int n) { return move(place(n)); };
      const int hit = first(1, count, true, moved);
      if (hit > count) continue;
      const int out = first(hit + 1, count, false, moved);
      const double edge = bisect(place(hit - 1), place(hit), kBisections, move);
      const double end = out > count ? reach : bisect(place(out), place(out - 1), kBisections, move);
      Opening& side = sign < 0 ? answer.below : answer.above;
      side = {true, start_[motor] + sign * edge / scale_[i], start_[motor] + sign * end / scale_[i]};
      candidates_.emplace_back(VectorX::Zero(scale_.size()));
      candidates_.back()[i] = sign * edge;
    }
    return answer;
  }

  /// The nearest permitted move found from all directions.
  /// \param make_batch  makes what another thread judges by \param threads  that refine candidates at a time
  template <class MakeBatch>
  std::optional<VectorX> nearest(int threads, const MakeBatch& make_batch) {
    double best = kInfinity;
    for (const VectorX& candidate : candidates_) best = std::min(best, candidate.norm());
    const Eigen::Index n = scale_.size();
    if (n > 1) {
      const double reach = lower_.cwiseAbs().cwiseMax(upper_.cwiseAbs()).norm();
      for (int d = 0; d < options_.directions; ++d) {
        const VectorX direction = spread_direction(d, n);
        // Twice the scan's step: the refinement finds the border again.
        const double step = 2.0 * options_.scan_step;
        // A ray may end farther than the best so far and still refine to something nearer.
        std::vector<double> places;
        // NOLINTNEXTLINE(bugprone-float-loop-counter): rounding can only add or drop the last place
        for (double r = step; r <= std::min(reach, 1.5 * best); r += step) places.push_back(r);
        const auto move = [&](double place) { return clamped(place * direction); };
        const int last = static_cast<int>(places.size()) - 1;
        const int hit = first(0, last, true, [&](int i) { return move(places[static_cast<std::size_t>(i)]); });
        if (hit > last) continue;
        const double r = places[static_cast<std::size_t>(hit)];
        candidates_.push_back(move(bisect(r - step, r, kBisections, move)));
        best = std::min(best, candidates_.back().norm());
      }
    }
    if (candidates_.empty()) return std::nullopt;
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const VectorX& a, const VectorX& b) { return a.norm() < b.norm(); });
    candidates_.resize(std::min(candidates_.size(), static_cast<std::size_t>(std::max(1, options_.starts))));
    std::optional<VectorX> answer;
    for (const VectorX& refined : n > 1 ? refine_all(threads, make_batch) : candidates_) {
      if (!answer || refined.norm() < answer->norm()) answer = refined;
    }
    answer = tidy(*answer);
    for (const VectorX& candidate : candidates_) {
      if (candidate.norm() < answer->norm()) answer = candidate;
    }
    return answer;
  }

 private:
  /// Each candidate refined for itself.
  template <class MakeBatch>
  std::vector<VectorX> refine_all(int threads, const MakeBatch& make_batch) {
    std::vector<VectorX> refined(candidates_.size());
    std::vector<int> evaluations(candidates_.size());
    const Search initial = *this;
    const bool together = batch_ != nullptr;
    detail::in_blocks(std::ssize(candidates_), 1, threads, {}, [&](int thread) {
      // The calling thread works with this object, the others with copies that judge by themselves.
      std::unique_ptr<PoseBatch> batch;
      std::unique_ptr<Search> other;
      if (thread > 0) {
        batch = make_batch();
        other = std::make_unique<Search>(initial);
        other->judge_by(*batch, together);
      }
      return [&, batch = std::move(batch), other = std::move(other)](std::ptrdiff_t first, std::ptrdiff_t last) {
        Search& search = other ? *other : *this;
        for (auto at = static_cast<std::size_t>(first); at < static_cast<std::size_t>(last); ++at) {
          const int before = search.evaluations_;
          refined[at] = search.refine(initial.candidates_[at]);
          evaluations[at] = search.evaluations_ - before;
        }
      };
    });
    evaluations_ = std::accumulate(evaluations.begin(), evaluations.end(), initial.evaluations_);
    return refined;
  }

  /// Takes moves whose permission will be asked for one after the other, and judges them together.
  template <class Move>
  void foresee(int count, const Move& move) {
    foreseen_.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) foreseen_[static_cast<std::size_t>(i)] = {move(i), Answer::unknown};
    if (!batch_ || count < 2) return;
    for (int i = 0; i < count; ++i) {
      const VectorX& q = positions(foreseen_[static_cast<std::size_t>(i)].move);
      std::copy(q.begin(), q.end(), rows_.begin() + i * q.size());
    }
    std::vector<PoseSample*> into;
    for (std::size_t k = 0; k < hands_.size(); ++k) into.push_back(&samples_[k * kTogether]);
    batch_->evaluate(rows_.data(), count, into.data());
    for (int i = 0; i < count; ++i) foreseen_[static_cast<std::size_t>(i)].answer = judged(i);
  }
  /// permitted() of one of them.
  bool foreseen(int i) {
    const Foreseen& one = foreseen_[static_cast<std::size_t>(i)];
    if (one.answer == Answer::unknown) return permitted(one.move);
    ++evaluations_;
    return one.answer == Answer::yes;
  }

  /// What a number says that must stay below its limit.
  enum class Answer : std::uint8_t { unknown, no, yes };
  static Answer below(double value, double limit) {
    if (std::abs(value - limit) <= kNearItsLimit * limit) return Answer::unknown;
    return value < limit ? Answer::yes : Answer::no;
  }
  /// As permitted() of the i-th pose of the batch, unless rounding could decide.
  Answer judged(int i) const {
    Answer all = Answer::yes;
    const auto take = [&](Answer one) {
      if (all != Answer::no && one != Answer::yes) all = one;
    };
    for (const std::size_t k : component_.endpoints) {
      const PoseSample& sample = samples_[k * kTogether + static_cast<std::size_t>(i)];
      if (sample.status != Status::ok) return Answer::no;
      for (std::size_t l = 0; l < limits_.limits.size(); ++l) {
        const PoseLimit& limit = limits_.limits[l];
        if (is_asked(l, k)) take(below(sample.value(limit.quantity), limit.limit));
      }
      if (options_.keep_hand > 0) take(below((sample.position - hands_[k]).norm(), options_.keep_hand));
    }
    return all;
  }

  /// The first number of \p from … \p last whose move is permitted, or not, as \p wanted; last + 1 without one.
  template <class Move>
  int first(int from, int last, bool wanted, const Move& move) {
    for (int begin = from; begin <= last; begin += kTogether) {
      const int count = std::min(kTogether, last + 1 - begin);
      foresee(count, [&](int i) { return move(begin + i); });
      for (int i = 0; i < count; ++i) {
        if (foreseen(i) == wanted) return begin + i;
      }
    }
    return last + 1;
  }

  /// The permitted end of the border between a place that is not and one that is permitted.
  template <class Move>
  double bisect(double outside, double inside, int count, const Move& move) {
    struct Interval {
      double outside, inside;
      double middle() const { return 0.5 * (outside + inside); }
    };
    for (; count > 0; count -= kLevels) {
      // Below each interval the one of a middle that is not permitted, then the one of a middle that is.
      const int levels = std::min(kLevels, count), size = (1 << levels) - 1;
      Interval intervals[1 << (kLevels + 1)] = {{outside, inside}};
      for (int i = 0; i < size; ++i) {
        const Interval& all = intervals[i];
        intervals[2 * i + 1] = {all.middle(), all.inside};
        intervals[2 * i + 2] = {all.outside, all.middle()};
      }
      foresee(size, [&](int i) { return move(intervals[i].middle()); });
      int at = 0;
      for (int level = 0; level < levels; ++level) at = 2 * at + (foreseen(at) ? 2 : 1);
      outside = intervals[at].outside;
      inside = intervals[at].inside;
    }
    return inside;
  }

  /// How far apart in the chain two joints of a pair may be, so that kMostDirections suffice; 1 at least.
  static Eigen::Index pairs_apart(Eigen::Index joints) {
    Eigen::Index apart = 1, directions = 2 * joints + 4 * (joints - 1);
    while (apart < joints - 1 && directions + 4 * (joints - apart - 1) <= kMostDirections) {
      ++apart;
      directions += 4 * (joints - apart);
    }
    return apart;
  }

  /// Compass search for a nearer point of the border.
  VectorX refine(VectorX u) {
    const Eigen::Index n = u.size();
    struct Direction {
      Eigen::Index i, j;
      int signs;
    };
    std::vector<Direction> compass;
    // j = i: along the joint itself; others: between two joints, where a crease of the border holds the rest up.
    const Eigen::Index apart = pairs_apart(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = i; j <= std::min(n - 1, i + apart); ++j) {
        for (int signs = 0; signs < (i == j ? 2 : 4); ++signs) compass.push_back({i, j, signs});
      }
    }
    const int directions = static_cast<int>(compass.size());
    // NOLINTNEXTLINE(bugprone-float-loop-counter): halving is exact
    for (double step = std::min(kFirstStep, u.norm()); step > options_.final_step; step *= 0.5) {
      const auto trial = [&](int number) {
        const auto [i, j, signs] = compass[static_cast<std::size_t>(number)];
        const double length = i == j ? step : step * std::numbers::sqrt2 / 2;
        VectorX moved = u;
        moved[i] += signs & 1 ? -length : length;
        if (i != j) moved[j] += signs & 2 ? -length : length;
        return nearer(u, moved);
      };
      bool improved = true;
      while (improved) {
        improved = false;
        for (int begin = 0; begin < directions;) {
          const int count = std::min(kTogether, directions - begin);
          foresee(count, [&](int i) { return trial(begin + i); });
          int i = 0;
          // One that is no nearer is none: from a pose outside its joints' limits the way back cannot be shortened.
          while (i < count && !(is_nearer(foreseen_[static_cast<std::size_t>(i)].move, u) && foreseen(i))) ++i;
          begin += std::min(i + 1, count);
          if (i == count) continue;
          u = shortened(foreseen_[static_cast<std::size_t>(i)].move);
          improved = true;
        }
      }
    }
    return u;
  }

  /// The point in \p trial's direction that is just near enough to be worth a step from \p u; \p u without one.
  VectorX nearer(const VectorX& u, const VectorX& trial) const {
    const double length = trial.norm(), goal = u.norm() * (1.0 - kGain);
    if (length < 1e-9) return u;
    const VectorX direction = trial / length;
    return clamped(goal * direction);
  }
  static bool is_nearer(const VectorX& point, const VectorX& u) {
    return point.norm() < u.norm() * (1.0 - 0.5 * kGain);
  }

  /// A permitted point's direction, as near as it is permitted.
  VectorX shortened(VectorX point) {
    constexpr double kShrink = 0.95;
    const auto move = [&](double share) { return clamped(share * point); };
    std::vector<double> shares = {1.0};
    while (shares.back() > 1e-3) shares.push_back(shares.back() * kShrink);
    const int last = static_cast<int>(shares.size()) - 1;
    const auto share = [&](int i) { return shares[static_cast<std::size_t>(i)]; };
    const int refused = first(1, last, false, [&](int i) { return move(share(i)); });
    const double inside = share(refused - 1);
    return move(bisect(inside * kShrink, inside, kBisections / 3, move));
  }

  /// Takes small moves back, if the others need not grow by more than 2 % for it.
  VectorX tidy(VectorX u) {
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      if (u[i] == 0 || std::abs(u[i] / scale_[i]) > kSmallMove) continue;
      VectorX without = u;
      without[i] = 0;
      for (int step = 0; step <= 10; ++step) {
        const VectorX grown = clamped((1.0 + 0.002 * step) * without);
        if (!permitted(grown)) continue;
        u = grown;
        break;
      }
    }
    return u;
  }

  bool is_asked(std::size_t limit, std::size_t endpoint) const { return asked_[limit * hands_.size() + endpoint]; }

  struct Foreseen {
    VectorX move;
    Answer answer;
  };

  PoseQuality* quality_;
  PoseBatch* batch_ = nullptr;  ///< null: pose by pose
  std::vector<Foreseen> foreseen_;
  std::vector<double> rows_;         ///< of the poses in foreseen_
  std::vector<PoseSample> samples_;  ///< kTogether an endpoint
  PoseParts parts_;                  ///< that the limits ask for
  std::vector<bool> asked_;          ///< of each limit, endpoint by endpoint
  const PoseLimits& limits_;
  const PoseAdviceOptions& options_;
  VectorX start_, q_;
  const std::vector<Vector3>& hands_;
  Component component_;
  int evaluations_ = 0;
  VectorX scale_, lower_, upper_;
  std::vector<VectorX> candidates_;
};

/// Adds what a search evaluated to a count, however it ends.
class Counted {
 public:
  Counted(const Search& search, int& count) : search_(search), count_(count) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { count_ += search_.evaluations(); }

 private:
  const Search& search_;
  int& count_;
};

/// Motors that may move for an endpoint.
std::vector<int> movable(const Robot& robot, const std::string& endpoint, const std::vector<std::string>& joints) {
  const RobotModel& model = robot.model;
  const std::vector<int> supporting = model.supporting_motors(model.frame(endpoint));
  const std::vector<std::string>* wanted = &joints;
  if (joints.empty()) {
    const JointGroup* group = robot.profile.group_of(endpoint);
    if (!group) return supporting;
    wanted = &group->joints;
  }
  std::vector<int> motors;
  for (const int motor : supporting) {
    const std::string& name = model.motor_names()[motor];
    if (std::find(wanted->begin(), wanted->end(), name) != wanted->end()) motors.push_back(motor);
  }
  return motors;
}

std::vector<Component> components(const Robot& robot, const std::vector<std::string>& endpoints,
                                  const std::vector<std::string>& joints, bool together) {
  std::vector<Component> parts;
  for (std::size_t k = 0; k < endpoints.size(); ++k) {
    Component mine{movable(robot, endpoints[k], joints), {k}};
    const std::vector<int> supporting = robot.model.supporting_motors(robot.model.frame(endpoints[k]));
    for (std::size_t b = parts.size(); b-- > 0;) {
      Component& other = parts[b];
      const auto meets = [](const std::vector<int>& a, const std::vector<int>& c) {
        return std::any_of(a.begin(), a.end(), [&](int m) { return std::find(c.begin(), c.end(), m) != c.end(); });
      };
      // What moves the other may also move this one, without being asked to.
      if (!together && !meets(other.motors, mine.motors) && !meets(other.motors, supporting)) continue;
      mine.motors.insert(mine.motors.end(), other.motors.begin(), other.motors.end());
      mine.endpoints.insert(mine.endpoints.begin(), other.endpoints.begin(), other.endpoints.end());
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(b));
    }
    std::sort(mine.motors.begin(), mine.motors.end());
    mine.motors.erase(std::unique(mine.motors.begin(), mine.motors.end()), mine.motors.end());
    parts.push_back(std::move(mine));
  }
  return parts;
}

void check(const Robot& robot, ConstVectorRef q, const PoseLimits& limits, const std::vector<std::string>& joints,
           const PoseAdviceOptions& options) {
  const Eigen::Index motors = robot.model.motor_count();
  if (q.size() != motors) {
    throw OptionsError("advise.q", std::to_string(q.size()) + " values for " + std::to_string(motors) + " motors",
                       "give one a motor");
  }
  if (!q.allFinite()) throw OptionsError("advise.q", "NaN or infinity among the values", "give finite numbers");
  if (limits.limits.empty()) throw OptionsError("limits", "none given", "name a set, or give quantity=limit");
  for (const PoseLimit& limit : limits.limits) {
    if (!(limit.limit > 0)) throw OptionsError("limits", "a limit that is not positive", "give a number above zero");
    const bool unknown = (limit.quantity == PoseQuantity::gain && robot.gain_motors().empty()) ||
                         (limit.quantity == PoseQuantity::force_gain && robot.reference_motor() < 0);
    if (unknown) {
      throw OptionsError("limits", "'" + std::string(to_string(limit.quantity)) + "' needs a reference joint",
                         "name one in the robot's profile, or limit sd, kappa or error_force");
    }
  }
  if (options.weights.size() > 0 && (options.weights.size() != motors || !(options.weights.minCoeff() > 0))) {
    throw OptionsError("advice.weights", "not one positive number a motor", "give none, or " + std::to_string(motors));
  }
  if (!(options.scan_step > 0) || !(options.final_step > 0)) {
    throw OptionsError("advice.scan_step", "steps must be more than zero", "give radians");
  }
  for (const std::string& joint : joints) motor_named(robot.model, joint, "advise.joints");
}

/// Poses that are tried for each limit by itself, all over the limb's range.
constexpr int kScannedPoses = 4096;
/// What is asked in place of a set's last limit, where no pose passes it: so many times the least that was found.
constexpr double kNearTheBest = 1.25;

/// A limb's whole range, looked at where the search found nothing.
class RangeScan {
 public:
  RangeScan(PoseQuality& quality, const std::vector<std::string>& endpoints, const Component& part, const VectorX& q,
            PoseBatch* batch, const PoseLimits& limits)
      : model_(quality.model()), endpoints_(endpoints), part_(part), start_(q), count_(limits.limits.size()) {
    // All that carry the endpoints move, whichever joints the advice may use: a limit is out of reach of the robot.
    std::set<int> motors(part.motors.begin(), part.motors.end());
    for (const std::size_t k : part.endpoints) {
      for (const int motor : model_.supporting_motors(model_.frame(endpoints[k]))) motors.insert(motor);
    }
    is_all_movable_ = motors.size() == part.motors.size();
    rows_.resize(q.size(), kScannedPoses);
    rows_.colwise() = q;
    std::uint64_t state = 1;
    for (Eigen::Index i = 0; i < rows_.cols(); ++i) {
      for (const int motor : motors) {
        state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's, MMIX
        const double lower = model_.lower_limits()[motor], upper = model_.upper_limits()[motor];
        const double from = std::isfinite(lower) ? lower : q[motor] - std::numbers::pi;
        const double to = std::isfinite(upper) ? upper : q[motor] + std::numbers::pi;
        rows_(motor, i) = from + static_cast<double>(state >> 11) * 0x1p-53 * (to - from);
      }
    }
    values_.resize(static_cast<Eigen::Index>(count_ * endpoints.size()), kScannedPoses);
    std::vector<PoseSample> samples(endpoints.size() * PoseBatch::kPoses);
    std::vector<PoseSample*> into;
    for (std::size_t k = 0; k < endpoints.size(); ++k) into.push_back(&samples[k * PoseBatch::kPoses]);
    for (Eigen::Index first = 0; first < rows_.cols(); first += PoseBatch::kPoses) {
      if (batch) batch->evaluate(rows_.col(first).data(), PoseBatch::kPoses, into.data());
      for (int i = 0; i < PoseBatch::kPoses; ++i) {
        const auto* poses = batch ? nullptr : &quality.evaluate(rows_.col(first + i), Search::parts_of(limits));
        for (const std::size_t k : part.endpoints) {
          for (std::size_t l = 0; l < count_; ++l) {
            const PoseQuantity of = limits.limits[l].quantity;
            values_(at(l, k), first + i) = poses ? quality.value((*poses)[k], of) : into[k][i].value(of);
          }
        }
      }
    }
  }

  /// Takes limits that no pose passes out of a set, or where one would be the last of an endpoint asks for what is
  /// nearly the best; with a note. Of the caller's own limits and of the pre-flight's none is changed.
  /// \return whether any was
  bool leave_out_impossible(PoseLimits& limits) const {
    const bool changes =
        limits.name == to_string(PoseLimitSet::sd) || limits.name == to_string(PoseLimitSet::published);
    bool any = false;
    for (const std::size_t k : part_.endpoints) {
      bool is_some_possible = false;
      for (std::size_t l = 0; l < count_; ++l) {
        const PoseLimit& limit = limits.limits[l];
        is_some_possible = is_some_possible || (limit.is_asked_of(endpoints_[k]) && least(l, k) < limit.limit);
      }
      for (std::size_t l = 0; l < count_; ++l) {
        const PoseLimit limit = limits.limits[l];
        const double best = least(l, k);
        if (!limit.is_asked_of(endpoints_[k]) || best < limit.limit) continue;
        std::string unit;
        if (unit_of(limit.quantity) != "1") unit.append(" ").append(unit_of(limit.quantity));
        std::string instead;
        if (changes && is_some_possible) {
          instead = "; it is left out";
        } else if (changes && std::isfinite(best)) {
          PoseLimit nearly{limit.quantity, kNearTheBest * best, endpoints_};
          std::erase(nearly.left_out, endpoints_[k]);
          instead = "; requested is less than " + significant_text(nearly.limit, 3) + unit + ", nearly the best";
          limits.limits.push_back(std::move(nearly));
        }
        if (changes && (is_some_possible || std::isfinite(best))) {
          limits.limits[l].left_out.push_back(endpoints_[k]);
          any = true;
        }
        limits.notes.push_back(
            {NoteCode::limit_unreachable,
             endpoints_[k],
             {std::string(to_string(limit.quantity)) + " < " + significant_text(limit.limit, 3) + unit, kScannedPoses,
              NoteValue(best, std::isfinite(best) ? significant_text(best, 3) + unit : "infinite"), instead}});
      }
    }
    return any;
  }

  /// The nearest of these poses that passes all limits, and that the advice may reach.
  std::optional<VectorX> nearest(const PoseLimits& limits) const {
    std::optional<VectorX> found;
    for (Eigen::Index i = 0; i < rows_.cols() && is_all_movable_; ++i) {
      bool passes = true;
      for (const std::size_t k : part_.endpoints) {
        for (const PoseLimit& limit : limits.limits) {
          // One that was added is of the quantity of an earlier one.
          std::size_t l = 0;
          while (l < count_ && limits.limits[l].quantity != limit.quantity) ++l;
          passes = passes && (!limit.is_asked_of(endpoints_[k]) || values_(at(l, k), i) < limit.limit);
        }
      }
      if (passes && (!found || (rows_.col(i) - start_).norm() < (*found - start_).norm())) found = rows_.col(i);
    }
    return found;
  }

 private:
  Eigen::Index at(std::size_t limit, std::size_t endpoint) const {
    return static_cast<Eigen::Index>(limit * endpoints_.size() + endpoint);
  }
  double least(std::size_t limit, std::size_t endpoint) const {
    double smallest = kInfinity;
    for (const double value : values_.row(at(limit, endpoint))) smallest = std::fmin(smallest, value);
    return smallest;
  }

  const RobotModel& model_;
  const std::vector<std::string>& endpoints_;
  const Component& part_;
  const VectorX& start_;
  std::size_t count_;  // of limits
  bool is_all_movable_ = false;
  MatrixX rows_, values_;  // a column a pose
};

}  // namespace

PoseAdvice advise(const Robot& robot, const std::vector<std::string>& endpoints, ConstVectorRef q,
                  const PoseLimits& limits, const std::vector<std::string>& joints, const PoseAdviceOptions& options) {
  check(robot, q, limits, joints, options);
  PoseQuality quality(robot, endpoints);
  PoseAdvice advice;
  advice.limits = limits;
  advice.q = q;
  advice.before = advice.after = quality.evaluate(q);
  advice.hand_shift.assign(endpoints.size(), 0.0);
  std::vector<Vector3> hands;
  for (const PoseConditioning& pose : advice.before) hands.push_back(pose.position);

  const bool together = quality.posterior_options().rows != PosteriorRows::own;
  const std::vector<Component> parts = components(robot, endpoints, joints, together);
  for (const std::string& joint : joints) {
    const int motor = robot.model.motor(joint);
    const bool used = std::any_of(parts.begin(), parts.end(), [&](const Component& part) {
      return std::find(part.motors.begin(), part.motors.end(), motor) != part.motors.end();
    });
    if (!used)
      throw OptionsError(arg(Input::joint), "'" + joint + "' moves none of the endpoints",
                         "name a joint of their limbs");
  }
  advice.satisfied = advice.found = true;
  // A sample's gain is the reference joint's alone.
  PoseLimits& asked = advice.limits;
  const VectorX from = q;
  const bool sampled = std::none_of(limits.limits.begin(), limits.limits.end(),
                                    [](const PoseLimit& limit) { return limit.quantity == PoseQuantity::gain; }) ||
                       robot.gain_motors() == std::vector{robot.reference_motor()};
  const auto replay = robot.settings(endpoints).get<ReplayOptions>();
  check_options(replay);
  const int threads = thread_count(replay);
  const auto make_batch = [&] { return std::make_unique<PoseBatch>(robot, endpoints, Search::parts_of(limits)); };
  std::unique_ptr<PoseBatch> batch;
  for (const Component& part : parts) {
    // Again with what a look at the whole range tells, where the search found nothing.
    std::optional<VectorX> seed;
    for (bool again = true, scanned = false; again;) {
      again = false;
      Search search(quality, asked, options, q, hands, part);
      const bool stays = search.permitted(VectorX::Zero(static_cast<Eigen::Index>(part.motors.size())));
      const Counted counted(search, advice.evaluations);
      if (stays) continue;
      advice.satisfied = false;
      if (!batch) batch = make_batch();
      search.judge_by(*batch, sampled);
      if (seed) search.also_try(*seed);
      std::vector<SingleJointMove> alone;
      for (std::size_t i = 0; i < part.motors.size(); ++i) alone.push_back(search.alone(i));
      const std::optional<VectorX> move = part.motors.empty() ? std::nullopt : search.nearest(threads, make_batch);
      if (!move && !scanned && !part.motors.empty()) {
        scanned = true;
        const RangeScan scan(quality, endpoints, part, from, sampled ? batch.get() : nullptr, asked);
        again = scan.leave_out_impossible(asked);
        seed = scan.nearest(asked);
        again = again || seed;
        if (again) continue;
      }
      advice.alone.insert(advice.alone.end(), alone.begin(), alone.end());
      if (!move) {
        advice.found = false;
        continue;
      }
      const VectorX& there = search.positions(*move);
      for (const int motor : part.motors) advice.q[motor] = there[motor];
    }
  }
  if (!advice.found) {
    advice.q = q;
    return advice;
  }
  advice.after = quality.evaluate(advice.q);
  for (std::size_t k = 0; k < hands.size(); ++k) advice.hand_shift[k] = (advice.after[k].position - hands[k]).norm();
  for (Eigen::Index m = 0; m < q.size(); ++m) {
    if (advice.q[m] == q[m]) continue;
    advice.moves.push_back({robot.model.motor_names()[m], static_cast<int>(m), q[m], advice.q[m]});
    const double weight = options.weights.size() > 0 ? options.weights[m] : 1.0;
    advice.distance += weight * (advice.q[m] - q[m]) * (advice.q[m] - q[m]);
  }
  advice.distance = std::sqrt(advice.distance);
  std::stable_sort(advice.moves.begin(), advice.moves.end(), [](const JointMove& a, const JointMove& b) {
    return std::abs(a.to - a.from) > std::abs(b.to - b.from);
  });
  return advice;
}

const OptionTable& options_of(const PoseAdviceOptions&) {
  using O = PoseAdviceOptions;
  static const OptionTable table(
      "advice",
      {
          option("keep_hand", "m", "distance that an endpoint may move, in base axes; 0: any", "the user's task",
                 &O::keep_hand),
          option("scan_step", "rad", "step of the scan along a joint or a direction: narrower openings are missed",
                 "the H1-2's gain changes by up to a factor of 1.5 over it", &O::scan_step, kPositive),
          option("final_step", "rad", "step at which the local search stops", "a servo's steady error", &O::final_step,
                 kPositive),
          option("directions", "1", "directions of the coarse search", "8 joints: more change no answer on the H1-2",
                 &O::directions),
          option("starts", "1", "best coarse answers that are refined", "the same", &O::starts),
      });
  return table;
}
const OptionGroup kPoseAdviceOptions(PoseAdviceOptions{});

}  // namespace antaeus
