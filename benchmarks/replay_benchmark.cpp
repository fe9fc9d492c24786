// Many states at a time, as one table: each row's work beside other work on the same states, both timed in turn by the
// thread's own clock, so that other processes cost neither. A ratio is the median over rounds of the ratio within a
// round; states stay in the cache. Before the clock runs both sides' answers are compared: a ratio to other work would
// say nothing.
//
// The kernel is that of wanted_instruction_set(): ANTAEUS_INSTRUCTION_SET=avx2 build/bin/replay_benchmark
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "plain_replay.hpp"

namespace {

using namespace antaeus;

constexpr std::ptrdiff_t kStates = 1024;
constexpr int kRounds = 21;

/// What a posterior's rows are wrong by. `own`: a variance a row. `shared`: R is full, by what hangs on no pose.
/// `rank_8` and `dense`: by masses and first moments that are in doubt, through the gravity regressor.
enum class Noise { none, own, shared, rank_8, dense };

NoiseModel noise_of(const RobotModel& model, Noise kind) {
  const TorqueParameters at = torque_parameters(model);
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal(0.0, kind == Noise::dense ? 0.01 : 0.05);
  NoiseModel noise;
  noise.white_sd = VectorX::Constant(at.motors, 0.3);
  noise.factor.setZero(at.count(), kind == Noise::dense ? at.count() : 8);
  for (int p = 0; p < at.count(); ++p) {
    const bool first_four = p < at.inertial(at.bodies) && p % 10 < 4;
    if (kind == Noise::shared ? p < at.offset(0) : !first_four) continue;
    for (double& number : noise.factor.row(p)) number = normal(random);
  }
  return noise;
}

/// The kernel with its states and its results.
class Replayed {
 public:
  struct Work {
    Noise noise = Noise::none;
    bool dynamic = false;
  };
  Replayed(const Subject& subject, const Work& work)
      : subject_(subject),
        work_(work),
        states_(subject.robot.model, kStates),
        variance_(states_.q.size(), 0.5),
        workspace_(model(), wanted_instruction_set()) {
    const auto room = [](std::vector<double>& channel, int each) {
      channel.resize(static_cast<std::size_t>(each * kStates));
      return BatchRowsOf<double>(channel);
    };
    const int endpoints = static_cast<int>(subject.endpoints.size());
    in_ = states_.input(work.dynamic);
    out_.residual = room(residual_, subject.robot.model.motor_count());
    out_.wrench = room(wrench_, 6 * endpoints);
    out_.sigma = room(sigma_, 6 * endpoints);
    if (work.noise != Noise::none) {
      if (work.noise == Noise::own) in_.variance = {variance_};
      out_.posterior = room(mean_, 6 * endpoints);
      out_.covariance = room(covariance_, 21 * endpoints);
      out_.force_sd = room(sd_, 3 * endpoints);
      out_.force_directions = room(directions_, 9 * endpoints);
      out_.nis = room(nis_, endpoints);
    }
    check_block(workspace_.model(), in_, out_);
  }
  Replayed(const Replayed&) = delete;
  Replayed& operator=(const Replayed&) = delete;

  void run() { benchmark::DoNotOptimize(workspace_.replay(in_, out_)); }
  const RandomStates& states() const { return states_; }

  /// The same work in plain Pinocchio.
  std::unique_ptr<PlainReplay> plain() {
    std::vector<PlainNoise> noise;
    if (work_.noise != Noise::none) {
      TorqueNoise errors(subject_.robot.model, noise_of(subject_.robot.model, work_.noise));
      const VectorX zero = VectorX::Zero(subject_.robot.model.nv());
      errors.evaluate(subject_.robot.model.neutral(), zero, zero);
      for (const std::vector<int>& rows : rows_) noise.push_back({rows, errors.covariance()(rows, rows)});
    }
    auto made = std::make_unique<PlainReplay>(subject_, std::move(noise));
    made->set(states_, turns());
    return made;
  }

  /// How far the plain answers are from ours: the median over states, for Cholesky of a Gram matrix loses the square's
  /// digits where the pose is bad. \throws Error beyond rounding
  void compare(PlainReplay& plain, bool naive) {
    run();
    std::vector<double> wrench, posterior;
    const std::size_t endpoints = subject_.endpoints.size();
    for (std::ptrdiff_t i = 0; i < kStates; ++i) {
      naive ? plain.naive(work_.dynamic, i, i + 1) : plain.best(work_.dynamic, i, i + 1);
      for (std::size_t e = 0; e < endpoints; ++e) {
        const std::size_t at = static_cast<std::size_t>(i) * endpoints + e;
        const PlainAnswer& answer = plain.answers()[e];
        const auto off = [](const auto& ours, const auto& theirs) { return (ours - theirs).norm() / theirs.norm(); };
        wrench.push_back(off(Eigen::Map<const Vector6>(&wrench_[6 * at]), answer.wrench));
        if (work_.noise == Noise::none) continue;
        Matrix6 C;
        for (int row = 0, k = 0; row < 6; ++row) {
          for (int column = row; column < 6; ++column) C(row, column) = C(column, row) = covariance_[21 * at + k++];
        }
        posterior.push_back(off(Eigen::Map<const Vector6>(&mean_[6 * at]), answer.mean));
        posterior.push_back(off(C, answer.covariance));
        posterior.push_back(std::abs(nis_[at] / answer.nis - 1.0));
      }
    }
    for (std::vector<double>* errors : {&wrench, &posterior}) {
      if (errors->empty() || median(*errors) < 1e-9) continue;
      throw Error(subject_.name,
                  std::string("plain Pinocchio's ") + (errors == &wrench ? "wrenches" : "posteriors") +
                      " differ from the kernel's by " + shortest_text(median(*errors)) + " of their size",
                  "make the two do the same work before you compare their times");
    }
  }

 private:
  BatchModel model() {
    const Robot& robot = subject_.robot;
    BatchOptions options{.imu_frame = robot.profile.imu.frame};
    if (work_.noise != Noise::none) {
      const PosteriorEstimator estimator(InstantReader(robot, subject_.endpoints));
      for (int e = 0; e < static_cast<int>(subject_.endpoints.size()); ++e) rows_.push_back(estimator.rows(e));
      options.posterior.rows = rows_;
      if (work_.noise != Noise::own) options.posterior.noise = noise_of(robot.model, work_.noise);
    }
    return {robot.model, subject_.endpoints, options};
  }
  /// Of the base, from the orientations that the sensor reads; empty of a fixed one.
  std::vector<double> turns() {
    std::vector<double> all;
    if (in_.imu_quaternion_xyzw.values.empty()) return all;
    all.resize(9 * kStates);
    BatchOutput out;
    out.base_rotation = {all};
    workspace_.replay(in_, out);
    return all;
  }

  const Subject& subject_;
  Work work_;
  std::vector<std::vector<int>> rows_;
  RandomStates states_;
  std::vector<double> variance_, residual_, wrench_, sigma_, mean_, covariance_, sd_, directions_, nis_;
  BatchWorkspace workspace_;
  BatchInput in_;
  BatchOutput out_;
};

/// What a row's ratio should be, by instruction set. `faster`: how many times the other work's time is ours; `longer`:
/// how many times ours is the other's.
struct Target {
  enum class Kind { faster, longer } kind = Kind::faster;
  std::optional<std::array<double, 3>> of = {};  ///< portable, AVX2, AVX-512; empty: none is set

  std::optional<double> wanted() const {
    return of ? std::optional((*of)[static_cast<std::size_t>(wanted_instruction_set())]) : std::nullopt;
  }
};
Target at_most(double ratio) { return {Target::Kind::longer, std::array{ratio, ratio, ratio}}; }

struct Row {
  std::string name;
  Target target;
  std::function<void()> ours, theirs;
};

double timed(const std::function<void()>& work) {
  const double begin = thread_seconds();
  work();
  return (thread_seconds() - begin) / static_cast<double>(kStates) * 1e9;
}

void run_row(benchmark::State& state, const Row& row) {
  std::vector<double> ours, theirs, ratios;
  for (auto _ : state) {
    row.ours(), row.theirs();
    for (int round = 0; round < kRounds; ++round) {
      theirs.push_back(timed(row.theirs));
      ours.push_back(timed(row.ours));
      const double faster = theirs.back() / ours.back();
      ratios.push_back(row.target.kind == Target::Kind::faster ? faster : 1.0 / faster);
    }
  }
  state.counters["ns"] = median(ours);
  state.counters["other_ns"] = median(theirs);
  state.counters["ratio"] = median(ratios);
}

/// All rows in their order, when the last one has run.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  explicit TableReporter(const std::vector<Row>& rows) : rows_(rows) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      // Of repetitions the median.
      if (run.repetitions > 1 && run.aggregate_name != "median") continue;
      measured_[run.run_name.function_name] = run.counters;
    }
  }
  void Finalize() override {
    std::printf("| %-58s | ns a state | beside | ratio | target | %-11s |\n", "replay: instruction set",
                std::string(to_string(wanted_instruction_set())).c_str());
    std::printf("|%s|-----------:|-------:|------:|-------:|-------------|\n", std::string(60, '-').c_str());
    for (const Row& row : rows_) {
      const auto found = measured_.find(row.name);
      if (found == measured_.end()) continue;
      auto counters = found->second;
      const double ratio = counters["ratio"];
      const std::optional<double> wanted = row.target.wanted();
      const bool faster = row.target.kind == Target::Kind::faster;
      std::string target, verdict;
      if (wanted) {
        target = (faster ? ">= " : "<= ") + fixed_text(*wanted, 1);
        verdict = (faster ? ratio >= *wanted : ratio <= *wanted) ? "met" : "missed";
      }
      std::printf("| %-58s | %10.0f | %6.0f | %5.2f | %6s | %-11s |\n", row.name.c_str(), counters["ns"].value,
                  counters["other_ns"].value, ratio, target.c_str(), verdict.c_str());
    }
  }

 private:
  const std::vector<Row>& rows_;
  std::map<std::string, benchmark::UserCounters> measured_;
};

class Rows {
 public:
  Rows() {
    const Target wrist{Target::Kind::faster, {{3.6, 7.5, 13.0}}}, all{Target::Kind::faster, {{3.3, 6.8, 11.5}}};
    const Subject& one = keep(shipped_subject("h1_2", {"left_wrist_yaw_link"}));
    const Subject& both = keep(shipped_subject("h1_2", {"left_wrist_yaw_link", "right_wrist_yaw_link"}));
    over_plain("h1_2: one wrist / best plain Pinocchio", wrist, one, {});
    over_naive("h1_2: one wrist / naive Pinocchio", one);
    over("h1_2: both wrists / one wrist", at_most(1.8), both, {}, one, {});
    over("h1_2: both, posterior, variances of rows / both", at_most(1.4), both, {Noise::own}, both, {});
    over("h1_2: both, posterior, full R / both", at_most(1.4), both, {Noise::shared}, both, {});
    over("h1_2: both, posterior, regressor rank 8 / both", at_most(1.6), both, {Noise::rank_8}, both, {});
    over("h1_2: both, posterior, regressor dense / both", at_most(2.1), both, {Noise::dense}, both, {});
    over("h1_2: one wrist, inverse dynamics / gravity", at_most(1.4), one, {Noise::none, true}, one, {});
    over("h1_2: both wrists, inverse dynamics / gravity", at_most(1.4), both, {Noise::none, true}, both, {});
    over_plain("h1_2: both wrists / best plain Pinocchio", {}, both, {});
    over_plain("h1_2: inverse dynamics, both, full R / best plain", all, both, {Noise::shared, true});
    const Subject& panda = keep(shipped_subject("panda", {"panda_hand"}));
    over_plain("panda: hand / best plain Pinocchio", wrist, panda, {});
    over_naive("panda: hand / naive Pinocchio", panda);
    over_plain("panda: inverse dynamics, hand, full R / best plain", all, panda, {Noise::shared, true});
    Subject feet = quadruped();
    const Subject& foot = keep({feet.name, feet.robot, feet.urdf, {feet.endpoints[0]}});
    over_plain("quadruped: one foot / best plain Pinocchio", wrist, foot, {});
    over_naive("quadruped: one foot / naive Pinocchio", foot);
    over_plain("quadruped: inverse dynamics, foot, full R / best plain", all, foot, {Noise::shared, true});
    over("quadruped: four feet / one foot", {Target::Kind::longer}, keep(std::move(feet)), {}, foot, {});
  }
  const std::vector<Row>& all() const { return rows_; }

 private:
  const Subject& keep(Subject subject) {
    subjects_.push_back(std::make_unique<Subject>(std::move(subject)));
    return *subjects_.back();
  }
  void over_plain(const std::string& name, const Target& target, const Subject& subject, const Replayed::Work& work) {
    const auto ours = std::make_shared<Replayed>(subject, work);
    const std::shared_ptr<PlainReplay> plain = ours->plain();
    ours->compare(*plain, false);
    rows_.push_back(
        {name, target, [ours] { ours->run(); }, [plain, dynamic = work.dynamic] { plain->best(dynamic, 0, kStates); }});
  }
  void over_naive(const std::string& name, const Subject& subject) {
    const auto ours = std::make_shared<Replayed>(subject, Replayed::Work{});
    const std::shared_ptr<PlainReplay> plain = ours->plain();
    ours->compare(*plain, true);
    rows_.push_back({name, {}, [ours] { ours->run(); }, [plain] { plain->naive(false, 0, kStates); }});
  }
  void over(const std::string& name, const Target& target, const Subject& subject, const Replayed::Work& work,
            const Subject& other, const Replayed::Work& other_work) {
    const auto ours = std::make_shared<Replayed>(subject, work), theirs = std::make_shared<Replayed>(other, other_work);
    rows_.push_back({name, target, [ours] { ours->run(); }, [theirs] { theirs->run(); }});
  }

  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    const Rows rows;
    for (const Row& row : rows.all()) {
      benchmark::RegisterBenchmark(row.name.c_str(), [&row](benchmark::State& state) {
        run_row(state, row);
      })->Iterations(1);
    }
    TableReporter table(rows.all());
    benchmark::RunSpecifiedBenchmarks(&table);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "replay_benchmark: %s\n", error.what()), 2;
  }
  benchmark::Shutdown();
  return 0;
}
