#include "antaeus/ik/ik_trace.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "antaeus/core/error.hpp"
#include "ik/plain_options.hpp"
#include "ik/reach_model.hpp"

namespace antaeus {

namespace {

constexpr int kLastSteps = 10;

/// The angle between two orientations [rad], precise near zero.
double angle_between(const Matrix3& a, const Matrix3& b) {
  const Matrix3 R = a.transpose() * b;
  const Vector3 twice_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  return std::atan2(twice_sine.norm(), R.trace() - 1.0);
}

class Tracer {
 public:
  explicit Tracer(const IkResult& result) : result_(result), chain_(result.model.chain()) {
    ReachOptions options = result.model.options();
    options.deadline = 0.0;  // the clock decides nothing in a trace
    // The plain methods' model is without a table worth its name.
    if (result.request.method != IkMethod::reach) options.table_samples = ReachOptions{}.table_samples;
    const ReachModel own(chain_, options);
    auto watched = std::make_shared<ReachModel::Impl>(own.impl());
    watched->task.onlooker = &within_;
    watched->free_task.onlooker = &without_;
    reach_ = std::make_unique<ReachSolver>(ReachModel(std::shared_ptr<const ReachModel::Impl>(std::move(watched))));
  }

  IkTrace trace() {
    const int count = std::min(result_.size(), kMostTraced);
    trace_.left_out = result_.size() - count;
    const VectorX start = result_.request.start.size() > 0 ? result_.request.start : chain_.middle();
    for (int target = 0; target < count; ++target) {
      if (result_.status(target) == ReachStatus::bad_input) continue;
      X_WF_ = &result_.request.targets.poses[static_cast<std::size_t>(target)];
      for (const IkMethod method : {IkMethod::pinv, IkMethod::dls}) {
        PlainSolver solver(chain_, detail::plain_options(method, result_.model.options()));
        follow(method, target, [&]() -> const ReachSolution& { return solver.solve(*X_WF_, start, &within_); });
      }
      follow(IkMethod::reach, target, [&]() -> const ReachSolution& {
        return result_.request.start.size() > 0 ? reach_->solve(*X_WF_, result_.request.start) : reach_->solve(*X_WF_);
      });
    }
    return std::move(trace_);
  }

 private:
  template <class Solve>
  void follow(IkMethod method, int target, Solve solve) {
    IkWay way{.method = method, .target = target, .first = trace_.size()};
    start_ = -1;
    const ReachSolution& answer = solve();
    way.status = answer.status;
    way.position_error = answer.position_error;
    way.rotation_error = answer.rotation_error;
    way.rows = trace_.size() - way.first;
    if (method != IkMethod::reach && way.rows > 1) {
      const int moves = std::min(kLastSteps, way.rows - 1);
      double sum = 0.0;
      for (int k = 0; k < moves; ++k) sum += trace_.step[trace_.step.size() - 1 - static_cast<std::size_t>(k)];
      way.last_steps = sum / moves;
    }
    trace_.ways.push_back(way);
  }

  void see(IkStage stage, detail::Onlooker::Sight sight, const double* numbers) {
    const Eigen::Map<const VectorX> q(numbers, chain_.size());
    if (sight.begins) {
      ++start_;
      iteration_ = 0;
    }
    Pose X;
    chain_.pose(q, X);
    trace_.start.push_back(start_);
    trace_.iteration.push_back(iteration_++);
    trace_.stage.push_back(sight.descent ? IkStage::descent : stage);
    trace_.kept.push_back(sight.kept);
    trace_.position_error.push_back((X.translation - X_WF_->translation).norm());
    trace_.rotation_error.push_back(result_.model.options().position_only ? 0.0
                                                                          : angle_between(X.rotation, X_WF_->rotation));
    trace_.step.push_back(sight.begins ? kNaN : (q - held_).norm());
    trace_.q.emplace_back(q);
    if (sight.begins || sight.kept) held_ = q;
  }

  static void see_within(void* who, detail::Onlooker::Sight sight, const double* q) {
    static_cast<Tracer*>(who)->see(IkStage::attempt, sight, q);
  }
  static void see_without(void* who, detail::Onlooker::Sight sight, const double* q) {
    static_cast<Tracer*>(who)->see(IkStage::without_limits, sight, q);
  }

  const IkResult& result_;
  const KinematicChain& chain_;
  const Pose* X_WF_ = nullptr;
  int start_ = -1, iteration_ = 0;
  VectorX held_;
  IkTrace trace_;
  const detail::Onlooker within_{see_within, this}, without_{see_without, this};
  std::unique_ptr<ReachSolver> reach_;
};

}  // namespace

IkTrace trace_ik(const IkResult& result) {
  if (result.request.path) {
    throw OptionsError("trace", "the answers of a path hang on each other: they are not traced",
                       "leave one of the two");
  }
  for (const ChainJoint& joint : result.model.chain().joints()) {
    for (const char* const column : {"method", "iteration", "stage", "start", "iteration_of_start", "kept", "step"}) {
      if (joint.name == column) {
        throw ModelError("joint '" + joint.name + "'", "a column of trace.csv has its name", "rename the joint");
      }
    }
  }
  return Tracer(result).trace();
}

Table trace_table(const IkResult& result, const IkTrace& trace) {
  const std::vector<ChainJoint>& joints = result.model.chain().joints();
  TextColumn method, stage;
  std::vector<std::int64_t> target, iteration, start, of_start, kept;
  std::vector<double> rotation;
  std::vector<std::vector<double>> q(joints.size());
  for (const IkWay& way : trace.ways) {
    for (int row = way.first; row < way.first + way.rows; ++row) {
      const auto k = static_cast<std::size_t>(row);
      method.push_back(to_string(way.method));
      target.push_back(way.target);
      iteration.push_back(row - way.first);
      stage.push_back(to_string(trace.stage[k]));
      start.push_back(trace.start[k]);
      of_start.push_back(trace.iteration[k]);
      kept.push_back(trace.kept[k] ? 1 : 0);
      rotation.push_back(result.model.options().position_only ? kNaN : trace.rotation_error[k]);
      for (std::size_t j = 0; j < joints.size(); ++j) q[j].push_back(trace.q[k][static_cast<Eigen::Index>(j)] + 0.0);
    }
  }
  Table table;
  table.add({"method", "", "pinv, dls or default", std::move(method)});
  table.add({"target", "1", "number of the target, from 0", std::move(target)});
  table.add(
      {"iteration", "1", "evaluations of the chain before, of this method for this target", std::move(iteration)});
  table.add({"stage", "", "attempt to reach, descent to the closest pose, attempt without_limits", std::move(stage)});
  table.add({"start", "1", "number of the attempt or descent, from 0", std::move(start)});
  table.add({"iteration_of_start", "1", "evaluations before, of this attempt or descent", std::move(of_start)});
  table.add({"kept", "1", "1 where it is nearer than what came before; else it is given up again", std::move(kept)});
  table.add({"position_error", "m", "distance of the frame's origin from the target", trace.position_error});
  table.add({"rotation_error", "rad", "angle to the target's orientation; empty where only the position was requested",
             std::move(rotation)});
  table.add({"step", "rad",
             "length of the move from the configuration held before (m of sliding joints); empty where "
             "one begins",
             trace.step});
  for (std::size_t j = 0; j < joints.size(); ++j) {
    table.add({joints[j].name, joints[j].prismatic ? "m" : "rad", "position of the joint", std::move(q[j])});
  }
  return table;
}

}  // namespace antaeus
