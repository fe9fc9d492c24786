#include "antaeus/contact/contact_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "contact/motion_members.hpp"
#include "contact/motion_stretch.hpp"

namespace antaeus {

namespace {

/// A member of a file: rows, columns and where it came from.
using Members = std::map<std::string, NumpyArray>;

std::string in_a_row(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// One row for all, where all are the same. `scalar`: one number; else one that changes stays as it is, a number a row.
void keep_first_row(NumpyArray& array, bool scalar) {
  const std::size_t columns = array.columns();
  for (std::size_t i = columns; i < array.values.size(); ++i) {
    if (array.values[i] != array.values[i - columns]) return;
  }
  array.values.resize(std::min(array.values.size(), columns));
  array.shape = scalar ? std::vector<std::size_t>{array.values.size()} : std::vector<std::size_t>{1, columns};
}

void take_logged_positions(Members& members) {
  if (members.contains("q") || !members.contains(detail::kLoggedPositions)) return;
  auto positions = members.extract(detail::kLoggedPositions);
  positions.key() = "q";
  members.insert(std::move(positions));
}

Members members_of(const Table& table, const std::string& file) {
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  Members members;
  for (const auto& [stem, columns] : detail::motion_columns(names, file)) {
    NumpyArray array;
    array.stored_type = "float64";
    array.shape = {table.rows(), columns.size()};
    if (columns.size() == 1 && (stem == "time" || stem == "dt")) array.shape = {table.rows()};
    array.values.resize(table.rows() * columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& column = table.columns()[columns[c]];
      if (std::holds_alternative<TextColumn>(column.data)) {
        throw EpisodeError(file + " [" + column.name + "]", "holds text", "give numbers");
      }
      const std::vector<double> values = table.numbers(column.name);
      for (std::size_t row = 0; row < values.size(); ++row) array.values[row * columns.size() + c] = values[row];
    }
    if (detail::holds_throughout(stem)) keep_first_row(array, stem == "dt");
    members[stem] = std::move(array);
  }
  take_logged_positions(members);
  return members;
}

Members read_archive(const std::filesystem::path& path) {
  std::vector<std::string> left_out;
  Members members = read_npz(path, &left_out);
  for (const std::string& message : left_out) {
    for (const std::string& member : detail::motion_members()) {
      if (message.find("[" + member + "]") != std::string::npos) return read_npz(path);  // throws
    }
  }
  take_logged_positions(members);
  return members;
}

Members read_members(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (std::filesystem::is_directory(path)) {
    Members members;
    for (const std::string& member : detail::motion_members()) {
      const std::filesystem::path file = path / (member + ".npy");
      if (std::filesystem::exists(file)) members[member] = read_npy(file);
    }
    const std::filesystem::path logged = path / (std::string(detail::kLoggedPositions) + ".npy");
    if (!members.contains("q") && std::filesystem::exists(logged)) members["q"] = read_npy(logged);
    return members;
  }
  if (!std::filesystem::exists(path)) throw EpisodeError(name, "does not exist", detail::kMotionForms);
  const std::string ending = path.extension().string();
  if (ending == ".npz") return read_archive(path);
  if (ending == ".csv") return members_of(read_csv(path), name);
  if (ending == ".parquet") return members_of(read_parquet(path), name);
  throw EpisodeError(name, "is not a motion", detail::kMotionForms);
}

}  // namespace

ContactMotion load_contact_motion(const std::filesystem::path& path) {
  const Members members = read_members(path);
  const std::string file = path.string();
  ContactMotion motion;
  motion.file = file;
  motion.name = printable((path.has_stem() ? path.stem() : path.parent_path().filename()).string());
  const auto find = [&](const char* member) -> const NumpyArray* {
    const auto found = members.find(member);
    if (found == members.end()) return nullptr;
    if (found->second.values.empty() && std::string(member) != "q") {
      throw EpisodeError(file + " [" + member + "]", "is empty", "leave it out, or fill it");
    }
    return &found->second;
  };
  const auto matrix = [&](const char* member, SampleMatrix& to) {
    const NumpyArray* array = find(member);
    if (!array) return;
    const detail::Extents size = detail::matrix_extents(file, member, array->shape);
    to = Eigen::Map<const SampleMatrix>(array->values.data(), size.rows, size.columns);
  };
  const auto vector = [&](const char* member, VectorX& to) {
    const NumpyArray* array = find(member);
    if (!array) return;
    detail::check_vector(file, member, array->shape);
    to = Eigen::Map<const VectorX>(array->values.data(), static_cast<Eigen::Index>(array->values.size()));
  };
  if (!find("q") || find("q")->values.empty()) {
    throw EpisodeError(file, "holds no positions",
                       "give q, N × nq (" + in_a_row(detail::motion_members()) + " are read)");
  }
  matrix("q", motion.q);
  matrix("v", motion.v);
  matrix("a", motion.a);
  matrix("v_next", motion.v_next);
  matrix("guess", motion.guess);
  matrix("previous", motion.previous);
  matrix("magnitude", motion.magnitude);
  matrix("active", motion.active);
  matrix("external", motion.external);
  matrix("root_euler", motion.root_euler);
  vector("time", motion.time);
  vector("dt", motion.dt);
  vector("damping", motion.damping);
  vector("spring", motion.spring);
  vector("rest", motion.rest);
  return motion;
}

namespace {

class Checker {
 public:
  Checker(ContactMotion& motion, const RobotModel& model, int contacts, bool over_time,
          const detail::MotionStretch& part)
      : motion_(motion),
        model_(model),
        contacts_(contacts),
        over_time_(over_time),
        frames_(motion.frames()),
        part_(part) {}

  void run() {
    euler();
    rows("q", motion_.q, frames_, model_.nq(), false);
    unit_lengths();
    const int nv = model_.nv();
    rows("v", motion_.v, frames_, nv);
    rows("a", motion_.a, frames_, nv);
    rows("v_next", motion_.v_next, frames_, nv);
    rows("guess", motion_.guess, frames_, 6 * contacts_);
    rows("external", motion_.external, frames_, nv);
    rows("magnitude", motion_.magnitude, frames_, contacts_);
    rows("active", motion_.active, frames_, contacts_);
    previous();
    for (auto [name, values] : {std::pair<const char*, VectorX*>{"damping", &motion_.damping},
                                {"spring", &motion_.spring},
                                {"rest", &motion_.rest}}) {
      vector(name, *values, nv);
      const bool of_joints = values == &motion_.rest || values->size() < 6 || model_.base() != Base::free_flyer;
      if (!of_joints && !values->head<6>().isZero(0.0)) {
        fail(name, "acts on the base", "give 0 in its six rows: nothing ties a floating base to the world");
      }
    }
    if (motion_.rest.size() > 0 && motion_.spring.size() == 0) {
      fail("rest", "stands without spring", "give the springs' stiffness, or leave rest out");
    }
    for (double value : motion_.magnitude.reshaped()) not_negative("magnitude", value);
    for (double value : motion_.damping) not_negative("damping", value);
    for (double value : motion_.spring) not_negative("spring", value);
    for (double value : motion_.active.reshaped()) {
      if (value != 0.0 && value != 1.0)
        fail("active", "holds " + text(value), "give 1 where a contact is active, else 0");
    }
    states();
    clock();
  }

 private:
  [[noreturn]] void fail(const std::string& member, const std::string& problem, const std::string& remedy) const {
    throw EpisodeError((motion_.file.empty() ? motion_.name : motion_.file) + " [" + member + "]", problem, remedy);
  }
  /// Of the part's row t, in the whole motion.
  std::string number(Eigen::Index t) const { return std::to_string(part_.first + t); }
  /// With nine digits: differences of time stamps have rounding in their last ones.
  static std::string text(double value) { return shortest_text(rounded_to(value, 9)); }

  void rows(const char* member, const SampleMatrix& values, Eigen::Index count, Eigen::Index columns,
            bool optional = true) const {
    if (optional && values.rows() == 0) return;
    if (values.rows() != count || values.cols() != columns) {
      const bool joints_alone = !optional && model_.base() == Base::free_flyer && values.cols() + 7 == columns;
      // Of a part, as many as the whole has.
      const auto told = [&](Eigen::Index n) { return n == frames_ ? std::max(n, part_.frames) : n; };
      fail(member, "is " + std::to_string(told(values.rows())) + " × " + std::to_string(values.cols()),
           "give " + std::to_string(told(count)) + " × " + std::to_string(columns) +
               (joints_alone ? ": the base's position and its quaternion x y z w before the joints, or root_euler"
                             : ""));
    }
    for (Eigen::Index t = 0; t < count; ++t) {
      if (!values.row(t).allFinite()) {
        fail(member, "holds NaN or infinity in frame " + number(t), "cut the motion there, or fill the gap");
      }
    }
  }
  void vector(const char* member, const VectorX& values, Eigen::Index count) const {
    if (values.size() == 0) return;
    if (values.size() != count) {
      fail(member, "has " + std::to_string(values.size()) + " numbers", "give " + std::to_string(count));
    }
    if (!values.allFinite()) fail(member, "holds NaN or infinity", "give numbers");
  }
  void not_negative(const char* member, double value) const {
    if (value < 0.0) fail(member, "holds " + text(value), "give 0 or more");
  }

  /// Quaternions and cosines with their sines are made exactly unit: differences over time see what is off.
  void unit_lengths() {
    constexpr double kSlack = 1e-3;  // as Dynamics::at
    const VectorX& neutral = model_.neutral();
    for (Eigen::Index t = 0; t < frames_; ++t) {
      auto q = motion_.q.row(t);
      if (model_.base() == Base::free_flyer) {
        const double length = q.segment<4>(3).norm();
        if (!(std::abs(length - 1.0) <= kSlack)) {
          fail("q", "the base's quaternion of frame " + number(t) + " has length " + text(length),
               "give unit quaternions, x y z w in columns 3 to 6");
        }
        q.segment<4>(3) /= length;
      }
      for (Eigen::Index i = model_.base() == Base::free_flyer ? 7 : 0; i + 1 < neutral.size(); ++i) {
        if (neutral[i] != 1.0) continue;  // a continuous joint's cosine
        const double length = q.segment<2>(i).norm();
        if (!(std::abs(length - 1.0) <= kSlack)) {
          fail("q",
               "columns " + std::to_string(i) + " and " + std::to_string(i + 1) + " of frame " + number(t) +
                   " have length " + text(length),
               "give the continuous joint's cosine and sine there");
        }
        q.segment<2>(i) /= length;
      }
    }
  }

  void previous() {
    if (motion_.previous.rows() == 0) return;
    // A table has it as one row.
    if (motion_.previous.rows() == 1 && motion_.previous.cols() == 6 * contacts_) {
      motion_.previous = SampleMatrix(Eigen::Map<const SampleMatrix>(motion_.previous.data(), contacts_, 6));
    }
    rows("previous", motion_.previous, contacts_, 6);
  }

  void euler() {
    if (motion_.root_euler.rows() == 0) return;
    if (model_.base() != Base::free_flyer)
      fail("root_euler", "the base is fixed", "leave it out, or give " + arg(Input::base, "floating"));
    rows("root_euler", motion_.root_euler, motion_.root_euler.rows(), 6);
    const Eigen::Index N = motion_.root_euler.rows(), joints = model_.nq() - 7;
    const bool whole = motion_.q.cols() == model_.nq();
    if (motion_.q.rows() != N || (!whole && motion_.q.cols() != joints)) {
      fail("q", "is " + std::to_string(motion_.q.rows()) + " × " + std::to_string(motion_.q.cols()),
           "with root_euler give " + std::to_string(N) + " × " + std::to_string(joints) + ", the joints alone");
    }
    SampleMatrix q(N, model_.nq());
    q.rightCols(joints) = motion_.q.rightCols(joints);
    for (Eigen::Index t = 0; t < N; ++t) {
      const auto e = motion_.root_euler.row(t);
      const Eigen::Quaterniond R = Eigen::AngleAxisd(e[3], Vector3::UnitX()) *
                                   Eigen::AngleAxisd(e[4], Vector3::UnitY()) *
                                   Eigen::AngleAxisd(e[5], Vector3::UnitZ());
      q.row(t).head<3>() = e.head<3>();
      q.row(t).segment<4>(3) = R.coeffs().transpose();
    }
    motion_.q = std::move(q);
    frames_ = N;
  }

  void states() {
    const bool v = motion_.v.rows() > 0, a = motion_.a.rows() > 0, v_next = motion_.v_next.rows() > 0;
    if (a && v_next) fail("v_next", "is given with a", "give one of the two");
    if ((a || v_next) && !v) {
      fail("v", std::string("is missing with ") + (a ? "a" : "v_next"),
           "give both, or neither: they are then made from q");
    }
    if (v && !motion_.is_states()) fail("a", "is missing with v", "give both, or neither");
  }

  void clock() {
    constexpr double kSlack = 0.01;  // of a time step: what stamps of a millisecond leave of 100 Hz
    if (motion_.time.size() > 0) {
      vector("time", motion_.time, frames_);
      for (Eigen::Index t = 1; t < frames_; ++t) {
        if (motion_.time[t] > motion_.time[t - 1]) continue;
        fail("time",
             std::string(motion_.time[t] < motion_.time[t - 1] ? "goes back" : "repeats") + " at frame " + number(t),
             "sort the frames, and leave out repeated ones");
      }
    }
    const bool one = motion_.dt.size() == 1;
    if (motion_.dt.size() > 0) {
      if (!one && (motion_.dt.size() != frames_ || !motion_.is_states())) {
        fail("dt", "has " + std::to_string(motion_.dt.size()) + " numbers", "give one");
      }
      for (const double dt : motion_.dt) {
        if (!(dt > 0.0) || !std::isfinite(dt)) fail("dt", "is " + text(dt), "give seconds, more than zero");
      }
    }
    const bool states = motion_.is_states();
    if (states) {
      if (motion_.v_next.rows() > 0 && motion_.dt.size() == 0) fail("dt", "is missing with v_next", "give it");
      if (!over_time_) return;
      if (motion_.time.size() < 2 && !one) {
        fail("dt", motion_.dt.size() == 0 ? "is missing" : "has " + std::to_string(motion_.dt.size()) + " numbers",
             "forces over time need one dt, or time");
      }
    }
    const Eigen::Index whole = std::max(frames_, part_.frames);
    if (!states && whole < 3) {
      fail("q", "has " + std::to_string(whole) + (whole == 1 ? " frame" : " frames"),
           "give three or more: velocities and accelerations are made from them; or give v and a");
    }
    if (motion_.time.size() > 1) {
      const double mean = part_.mean_step();
      for (Eigen::Index t = 1; t < frames_; ++t) {
        const double step = motion_.time[t] - motion_.time[t - 1];
        if (std::abs(step - mean) <= kSlack * mean) continue;
        fail("time", "is uneven: " + text(step) + " s before frame " + number(t) + ", " + text(mean) + " s on average",
             states ? "resample the motion, or leave " + arg(Input::over_time) + " out"
                    : "resample the motion, or give v and a");
      }
      // Beside v_next it is the step from v to v_next, however far frames are apart.
      if (one && motion_.v_next.rows() == 0 && std::abs(motion_.dt[0] - mean) > kSlack * mean) {
        fail("dt", "is " + text(motion_.dt[0]) + " s, but time advances by " + text(mean) + " s a frame",
             "leave one of them out");
      }
      if (!one && !states) motion_.dt = VectorX::Constant(1, mean);
    }
    if (states) return;
    if (motion_.dt.size() == 0)
      fail("dt", "is missing", "give dt or time: accelerations need a clock; or give v and a");
  }

  ContactMotion& motion_;
  const RobotModel& model_;
  int contacts_;
  bool over_time_;
  Eigen::Index frames_;
  detail::MotionStretch part_;
};

}  // namespace

void check_contact_motion(ContactMotion& motion, const RobotModel& model, int contacts, bool over_time,
                          const detail::MotionStretch* part) {
  Checker(motion, model, contacts, over_time, part ? *part : detail::whole_of(motion, {})).run();
}

}  // namespace antaeus
