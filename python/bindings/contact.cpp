// Inverse dynamics through contacts: a motion or a state in, wrenches, torques and what is left out.
#include "contact.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cmath>
#include <memory>
#include <optional>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/io/shell_words.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "pages.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::LimitKind> : EnumerationCaster<antaeus::LimitKind, "antaeus.LimitKind"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// An array of one to three dimensions as rows; one of one dimension is a row.
SampleMatrix rows_of(nb::handle value, const char* name) {
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(value, "dtype"_a = "float64");
  const auto numbers = nb::cast<ArrayArgument>(array).array;
  if (numbers.ndim() < 1 || numbers.ndim() > 3) {
    throw EpisodeError("contact.motion [" + std::string(name) + "]",
                       "has " + std::to_string(numbers.ndim()) + " dimensions", "give two: frames and columns");
  }
  const auto rows = static_cast<Eigen::Index>(numbers.ndim() == 1 ? 1 : numbers.shape(0));
  const auto size = static_cast<Eigen::Index>(numbers.size());
  return Eigen::Map<const SampleMatrix>(numbers.data(), rows, rows > 0 ? size / rows : 0);
}

}  // namespace

ContactMotion contact_motion_of(const nb::dict& arrays) {
  ContactMotion motion;
  motion.name = "motion";
  const std::pair<const char*, SampleMatrix*> matrices[] = {{"q", &motion.q},
                                                            {"v", &motion.v},
                                                            {"a", &motion.a},
                                                            {"v_next", &motion.v_next},
                                                            {"guess", &motion.guess},
                                                            {"previous", &motion.previous},
                                                            {"magnitude", &motion.magnitude},
                                                            {"active", &motion.active},
                                                            {"external", &motion.external},
                                                            {"root_euler", &motion.root_euler}};
  const std::pair<const char*, VectorX*> vectors[] = {{"time", &motion.time},
                                                      {"dt", &motion.dt},
                                                      {"damping", &motion.damping},
                                                      {"spring", &motion.spring},
                                                      {"rest", &motion.rest}};
  std::vector<std::string> names = {"name"};
  for (const auto& [name, to] : matrices) names.emplace_back(name);
  for (const auto& [name, to] : vectors) names.emplace_back(name);
  for (const auto& [key, value] : arrays) {
    const std::string given = text_of(key, "contact.motion: a name");
    if (std::find(names.begin(), names.end(), given) == names.end()) {
      throw_unknown<EpisodeError>("contact.motion", "array", given, names);
    }
    if (value.is_none()) continue;
    if (given == "name") motion.name = text_of(value, "contact.motion: name");
    for (const auto& [name, to] : matrices) {
      if (given == name) *to = rows_of(value, name);
    }
    for (const auto& [name, to] : vectors) {
      if (given != name) continue;
      const nb::object flat = nb::module_::import_("numpy").attr("atleast_1d")(value);
      *to = rows_of(flat, name).reshaped<Eigen::RowMajor>();
    }
  }
  return motion;
}

std::variant<std::filesystem::path, nb::dict> motion_first(nb::handle motion, nb::handle robot, const char* call) {
  if (PyDict_Check(motion.ptr())) return nb::borrow<nb::dict>(motion);
  require_log_first(motion, robot, call);
  return std::get<std::filesystem::path>(log_from(motion, "contact.motion"));
}

namespace {

/// A result with the meshes of its robot, for its page.
struct Solved {
  std::shared_ptr<const ContactResult> result;
  std::shared_ptr<const MeshFiles> meshes;

  const ContactDemand& demand() const { return result->dynamics.demand; }
};
SampleMatrix residual(const ContactResult& result) {
  if (result.torque.size() > 0) return result.torque.leftCols<6>();
  return result.solution.residual.transpose();
}
constexpr void visit_fields(const Solved*, auto&& visit) {
  using S = Solved;
  visit(field("contacts", "", "frames that touch", [](const S& s) -> auto& { return s.demand().contacts; }));
  visit(field("time", "s", "[N]; NaN without a clock", [](const S& s) -> auto& { return s.demand().time; }));
  visit(field("torques", "",
              "[N × nv], what the motors exert; the rows of the base hold the root residual. Empty without a robot",
              [](const S& s) -> auto& { return s.result->torque; }));
  visit(field("joints", "", "of the columns of `torques`", [](const S& s) -> auto& { return s.result->rows; }));
  visit(field("residual", "",
              "[N × 6], force and moment that no contact explains: base axes, or world axes about the world's origin "
              "without a robot",
              [](const S& s) { return residual(*s.result); }));
  visit(field("status", "", "of each step", [](const S& s) -> auto& { return s.result->solution.status; }));
  visit(field("fine", "", "feasible and residual_fine", [](const S& s) { return s.result->fine(); }));
  visit_part<ContactResult>([](const S& s) -> auto& { return *s.result; }, visit);
}
/// One state.
struct ContactState {
  VectorX torques, residual;
  SampleMatrix wrenches;
};
constexpr void visit_fields(const ContactState*, auto&& visit) {
  using S = ContactState;
  visit(field("torques", "", "[nv], what the motors exert; the rows of the base hold `residual`", &S::torques));
  visit(field("wrenches", "", "[contacts × 6], force before moment, on the robot, about the contact's origin",
              &S::wrenches));
  visit(field("residual", "", "[6], root force and moment that no contact explains, base axes", &S::residual));
}

using MotionChoice = std::variant<std::filesystem::path, nb::dict>;

// What goes in -------------------------------------------------------------------------------------------------------

ContactRequest request_of(std::vector<std::string> contacts, bool over_time, std::string_view limits,
                          std::string_view wrench_frame) {
  ContactRequest request;
  request.contacts = std::move(contacts);
  request.over_time = over_time;
  request.limits = parse_enum<LimitSet>(limits, "contact.limits");
  request.axes = parse_enum<WrenchAxes>(wrench_frame, "contact.wrench_frame");
  return request;
}

/// The line that does the same; empty where an object of Python went in.
std::string command_text(const MotionChoice& motion, const std::optional<RobotChoice>& robot,
                         const ContactRequest& request, const std::vector<std::string>& assignments) {
  const auto* file = std::get_if<std::filesystem::path>(&motion);
  const auto* robot_file = robot ? std::get_if<std::filesystem::path>(&*robot) : nullptr;
  if (!file || (robot && !robot_file)) return {};
  const std::filesystem::path folder = folder_of(*file);
  std::string text = "antaeus contact ";
  text += robot ? file_word(*file, folder) + " --robot " + file_word(*robot_file, folder)
                : "--total " + file_word(*file, folder);
  for (const std::string& contact : request.contacts) text += " --contact " + shell_word(contact);
  if (request.over_time) text += " --over-time";
  if (request.limits != LimitSet::none) text += " --with-limits " + std::string(to_string(request.limits));
  if (request.axes != WrenchAxes::world) text += " --wrench-frame " + std::string(to_string(request.axes));
  for (const std::string& assignment : assignments) text += " --set " + shell_word(assignment);
  return text;
}

Solved contact(const MotionChoice& motion, const std::optional<RobotChoice>& robot, std::vector<std::string> contacts,
               bool over_time, const std::string& limits, const std::string& wrench_frame, const nb::dict& settings,
               const nb::kwargs& options) {
  const ContactRequest request = request_of(std::move(contacts), over_time, limits, wrench_frame);
  std::vector<std::string> assignments;
  for (const auto& [key, value] : options) {
    const std::string name = "contact." + nb::cast<std::string>(key);
    assignments.push_back(name + "=" + option_text(name, value));
  }
  for (std::string& assignment : assignments_of(settings, "contact.settings")) {
    assignments.push_back(std::move(assignment));
  }
  const std::string command = command_text(motion, robot, request, assignments);
  const auto* file = std::get_if<std::filesystem::path>(&motion);
  std::optional<ContactMotion> arrays;
  if (!file) arrays = contact_motion_of(std::get<nb::dict>(motion));
  if (!robot && !file) {
    throw OptionsError("contact.robot", "is missing", "arrays need a robot; only a file of total wrenches does not");
  }
  const Progress interrupted = until_interrupted();

  // From here on nothing is Python's: what went in was copied.
  const Unlocked unlocked;
  Solved solved;
  auto result = std::make_shared<ContactResult>();
  const auto set_all = [&](Settings& all) {
    for (const std::string& assignment : assignments) all.set(assignment, "contact");
  };
  if (!robot) {
    Settings all;
    set_all(all);
    *result = contact_split(read_total_motion(*file, request.contacts), request, all.get<ContactOptions>(),
                            all.get<SplitOptions>(), all.get<TimingOptions>());
  } else {
    const auto* robot_file = std::get_if<std::filesystem::path>(&*robot);
    Robot loaded =
        robot_file ? load_robot(robot_file->string(), MeshPolicy::ignored, Base::free_flyer) : std::get<Robot>(*robot);
    if (robot_file) loaded.profile.base_source = BaseSource::caller;
    Settings& all = loaded.profile.settings;
    set_all(all);
    *result = contact_inverse_dynamics(loaded, file ? load_contact_motion(*file) : std::move(*arrays), request,
                                       all.get<ContactOptions>(), all.get<SplitOptions>(), all.get<TimingOptions>(),
                                       interrupted);
    solved.meshes = drawn_meshes(loaded.model.description());
  }
  result->command = command;
  solved.result = std::move(result);
  return solved;
}

Solved contact_given(nb::handle motion, nb::handle robot, std::vector<std::string> contacts, bool over_time,
                     const std::string& limits, const std::string& wrench_frame, const nb::dict& settings,
                     const nb::kwargs& options) {
  const MotionChoice arrays_or_file = motion_first(motion, robot, "contact(motion, robot, contacts)");
  return contact(arrays_or_file, robot_or_none(robot, "contact.robot"), std::move(contacts), over_time, limits,
                 wrench_frame, settings, options);
}

// One call a state ---------------------------------------------------------------------------------------------------

ContactState state_of(const Robot& robot, ContactMotion motion, std::vector<std::string> contacts,
                      const std::string& limits, const std::string& wrench_frame, const nb::kwargs& options) {
  const ContactRequest request = request_of(std::move(contacts), false, limits, wrench_frame);
  const auto chosen = options_from<ContactOptions>(options);
  motion.name = "state";
  // The lock is kept: one state is quick, and the robot is the caller's.
  const ContactResult result = contact_inverse_dynamics(robot, std::move(motion), request, chosen);
  if (result.solution.status.front() != Status::ok) {
    throw StatusError("contact_inverse_dynamics", result.solution.status.front(), "the state has no wrenches");
  }
  ContactState state;
  state.torques = result.torque.row(0).transpose();
  state.residual = state.torques.head<6>();
  state.wrenches = in_axes(result.dynamics.demand, result.solution.wrench, request.axes).transpose();
  return state;
}
/// What the state accelerates to: a, or Nimble's form of the same, the velocity after dt.
struct Change {
  const std::optional<ArrayArgument>& a;
  const std::optional<ArrayArgument>& next_velocity;
  const std::optional<double>& dt;

  /// \throws OptionsError unless one of both is given, and a time step above zero with the second
  void check(const std::string& place) const {
    if (a.has_value() == next_velocity.has_value()) {
      throw OptionsError(place, a ? "both a and next_velocity" : "neither a nor next_velocity",
                         "give a, or next_velocity with dt");
    }
    if (a ? dt.has_value() : !dt || !(*dt > 0.0) || !std::isfinite(*dt)) {
      throw OptionsError(place + " (dt)", a ? "a needs none" : "next_velocity needs a time step above zero",
                         "give next_velocity with dt in s, or a alone");
    }
  }
};
ContactMotion state_motion(const Robot& robot, const char* place, const ArrayArgument& q, const ArrayArgument& v,
                           const Change& change) {
  change.check(place);
  ContactMotion motion;
  motion.q = as_vector(q, place, "q", robot.model.nq()).transpose();
  motion.v = as_vector(v, place, "v", robot.model.nv()).transpose();
  if (change.a) {
    motion.a = as_vector(*change.a, place, "a", robot.model.nv()).transpose();
  } else {
    motion.v_next = as_vector(*change.next_velocity, place, "next_velocity", robot.model.nv()).transpose();
    motion.dt = VectorX::Constant(1, *change.dt);
  }
  return motion;
}

// What comes out -----------------------------------------------------------------------------------------------------

/// N × k × 6 of 6 × N·k, an array of its own.
nb::object per_contact(const Solved& self, const Matrix6X& values) {
  const auto frames = self.demand().frames(), contacts = static_cast<Eigen::Index>(self.demand().contact_count());
  return nb::cast(frozen(SampleMatrix(values.transpose())), kOwned).attr("reshape")(frames, contacts, 6);
}
Matrix6X deviations(const ContactResult& result) {
  const ContactDemand& demand = result.dynamics.demand;
  Matrix6X sd = Matrix6X::Constant(6, result.solution.wrench.cols(), kNaN);
  for (std::size_t i = 0; i < result.error.size(); ++i) {
    Matrix6 error = result.error[i];
    if (result.request.axes == WrenchAxes::link) {
      Matrix6 T = Matrix6::Zero();
      T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = demand.places[i].rotation.transpose();
      error = T * error * T.transpose();
    }
    sd.col(static_cast<Eigen::Index>(i)) = error.diagonal().cwiseSqrt();
  }
  return sd;
}
SavedForms contact_forms(const Solved& self, bool torques) {
  const auto csv = [&self, torques] {
    return to_csv(torques ? torques_table(*self.result) : wrenches_table(*self.result));
  };
  return {{".html", "the page", [&self] { return html_page(contact_page(*self.result, self.meshes)); }},
          {".json", "the summary", [&self] { return contact_summary(*self.result).dump() + "\n"; }},
          {".csv", "a table", csv}};
}
void save_contact(const Solved& self, const std::filesystem::path& path, const std::string& table) {
  if (table != "wrenches" && table != "torques") {
    throw_unknown<OptionsError>("contact.save", "table", table, {"wrenches", "torques"});
  }
  save_form("contact.save", path, contact_forms(self, table == "torques"));
}

void bind_contact_result(nb::module_& module) {
  bind_enumeration<LimitKind>(module, "What a contact or a motor cannot do.");
  bind_struct<LimitViolation>(module, "LimitViolation", "A limit that no wrenches keep, in one step.");
  bind_struct<ContactState>(module, "ContactState", "Contact inverse dynamics of one state.");
  nb::class_<Solved> solved(
      module, "ContactResult",
      "Contact inverse dynamics of a motion. Wrenches are of the contacts on the robot, force before moment, about the "
      "contact's origin, in the axes of `wrench_frame`.");
  bind_fields(solved)
      .def_prop_ro(
          "wrenches",
          [](const Solved& self) {
            return per_contact(self, in_axes(self.demand(), self.result->solution.wrench, self.result->request.axes));
          },
          nb::sig("def wrenches(self) -> numpy.typing.NDArray[numpy.float64]"), "[N × contacts × 6], N and N·m.")
      .def_prop_ro(
          "sd", [](const Solved& self) { return per_contact(self, deviations(*self.result)); },
          nb::sig("def sd(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[N × contacts × 6], root mean square error to be expected; NaN where unknown (`sd_because`).")
      .def_prop_ro(
          "summary", [](const Solved& self) { return loaded_json(contact_summary(*self.result).dump()); },
          nb::sig("def summary(self) -> dict[str, typing.Any]"),
          "What summary.json holds (docs/reference/schemas.md); created at each call.")
      .def(
          "_repr_html_", [](const Solved& self) { return notebook_html(contact_forms(self, false)); },
          nb::sig("def _repr_html_(self) -> str"), kNotebookDoc)
      .def("save", &save_contact, "path"_a, "table"_a = "wrenches",
           "Writes the page (.html), the summary (.json) or a table (.csv: \"wrenches\" or \"torques\"), whole or not "
           "at all; the bytes are those of the command line's files. OptionsError, a ValueError, for another name; "
           "Error where it cannot be written.")
      .def("__repr__", [](const Solved& self) {
        return decoded("ContactResult(" + self.result->motion + ": " + std::to_string(self.demand().frames()) +
                       " steps, " + std::to_string(self.demand().contact_count()) + " contacts" +
                       (self.result->fine() ? ")" : ", not fine)"));
      });
}

void bind_states(nb::module_& module) {
  module.def(
      "inverse_dynamics",
      [](const Robot& robot, const ArrayArgument& q, const ArrayArgument& v, const std::optional<ArrayArgument>& a,
         const std::optional<ArrayArgument>& next_velocity, const std::optional<double>& dt) {
        constexpr const char* kPlace = "inverse_dynamics";
        const ContactMotion motion = state_motion(robot, kPlace, q, v, {a, next_velocity, dt});
        Dynamics dynamics(robot.model);
        VectorX tau(robot.model.nv());
        const VectorX velocity = motion.v.row(0).transpose();
        VectorX acceleration = motion.a.rows() > 0 ? VectorX(motion.a.row(0).transpose())
                                                   : VectorX((motion.v_next.row(0).transpose() - velocity) / *dt);
        const PositionTerms at = dynamics.at(motion.q.row(0).transpose());
        require(at.inverse_dynamics(velocity, acceleration, tau), kPlace);
        return fresh(tau);
      },
      "robot"_a, "q"_a, "v"_a, "a"_a = nb::none(), "next_velocity"_a = nb::none(), "dt"_a = nb::none(),
      "M a + C v + g, [nv]: what motors and contacts must make together; the base's rows included. In place of a, "
      "next_velocity [nv] with dt, s: a = (next_velocity − v)/dt.");
  const std::string doc_tail = options_doc<ContactOptions>(
      "limits: none, pyramid, cone. wrench_frame: world or link, the contact frame's own axes. EpisodeError, "
      "OptionsError: one line. Options:");
  const std::string one = options_signature<ContactOptions>(
      "def contact_inverse_dynamics(robot: Robot, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: "
      "numpy.typing.ArrayLike | None, contact: str, limits: str = 'none', wrench_frame: str = 'world', next_velocity: "
      "numpy.typing.ArrayLike | None = None, dt: float | None = None",
      ") -> ContactState");
  module.def(
      "contact_inverse_dynamics",
      [](const Robot& robot, const ArrayArgument& q, const ArrayArgument& v, const std::optional<ArrayArgument>& a,
         const std::string& contact, const std::string& limits, const std::string& wrench_frame,
         const std::optional<ArrayArgument>& next_velocity, const std::optional<double>& dt,
         const nb::kwargs& options) {
        return state_of(robot, state_motion(robot, "contact_inverse_dynamics", q, v, {a, next_velocity, dt}), {contact},
                        limits, wrench_frame, options);
      },
      "robot"_a, "q"_a, "v"_a, "a"_a.none(), "contact"_a, "limits"_a = "none", "wrench_frame"_a = "world",
      "next_velocity"_a = nb::none(), "dt"_a = nb::none(), "options"_a, nb::sig(one.c_str()),
      ("One contact carries the robot: its wrench, and the torques. a, or None and next_velocity [nv] with dt, s. " +
       doc_tail)
          .c_str());
  const std::string several = options_signature<ContactOptions>(
      "def multiple_contact_inverse_dynamics(robot: Robot, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, a: "
      "numpy.typing.ArrayLike | None, contacts: collections.abc.Sequence[str], guess: numpy.typing.ArrayLike | None = "
      "None, limits: str = 'none', wrench_frame: str = 'world', next_velocity: numpy.typing.ArrayLike | None = None, "
      "dt: float | None = None",
      ") -> ContactState");
  module.def(
      "multiple_contact_inverse_dynamics",
      [](const Robot& robot, const ArrayArgument& q, const ArrayArgument& v, const std::optional<ArrayArgument>& a,
         std::vector<std::string> contacts, const std::optional<ArrayArgument>& guess, const std::string& limits,
         const std::string& wrench_frame, const std::optional<ArrayArgument>& next_velocity,
         const std::optional<double>& dt, const nb::kwargs& options) {
        constexpr const char* kPlace = "multiple_contact_inverse_dynamics";
        ContactMotion motion = state_motion(robot, kPlace, q, v, {a, next_velocity, dt});
        if (guess) {
          const SampleMatrix given = as_matrix(*guess, kPlace, "guess", std::ssize(contacts), 6);
          motion.guess = given.reshaped<Eigen::RowMajor>().transpose();
        }
        return state_of(robot, std::move(motion), std::move(contacts), limits, wrench_frame, options);
      },
      "robot"_a, "q"_a, "v"_a, "a"_a.none(), "contacts"_a, "guess"_a = nb::none(), "limits"_a = "none",
      "wrench_frame"_a = "world", "next_velocity"_a = nb::none(), "dt"_a = nb::none(), "options"_a,
      nb::sig(several.c_str()),
      ("Several contacts carry the robot: the wrenches of least effort, or nearest to guess [contacts × 6], and the "
       "torques. a, or None and next_velocity [nv] with dt, s. " +
       doc_tail)
          .c_str());
}

void bind_motions(nb::module_& module) {
  const std::string over_time = options_signature<ContactOptions>(
      "def contact_inverse_dynamics_over_time(robot: Robot, q: numpy.typing.ArrayLike, dt: float, contacts: "
      "collections.abc.Sequence[str], previous: numpy.typing.ArrayLike | None = None, magnitude: "
      "numpy.typing.ArrayLike | None = None, active: numpy.typing.ArrayLike | None = None, limits: str = 'none', "
      "wrench_frame: str = 'world'",
      ") -> ContactResult");
  const std::string over_time_doc = options_doc<ContactOptions>(
      "All frames of a motion together, smooth over time. q [N × nq], dt s. previous [contacts × 6]: wrenches before "
      "the first frame. magnitude [N × contacts]: weights of their size. active [N × contacts]: whether each touches. "
      "Options:");
  module.def(
      "contact_inverse_dynamics_over_time",
      [](const Robot& robot, nb::object q, double dt, std::vector<std::string> contacts, nb::object previous,
         nb::object magnitude, nb::object active, const std::string& limits, const std::string& wrench_frame,
         const nb::kwargs& options) {
        nb::dict motion;
        motion["q"] = q, motion["dt"] = dt, motion["previous"] = previous, motion["magnitude"] = magnitude;
        motion["active"] = active;
        return contact(motion, RobotChoice(robot), std::move(contacts), true, limits, wrench_frame, nb::dict(),
                       options);
      },
      "robot"_a, "q"_a, "dt"_a, "contacts"_a, "previous"_a = nb::none(), "magnitude"_a = nb::none(),
      "active"_a = nb::none(), "limits"_a = "none", "wrench_frame"_a = "world", "options"_a, nb::sig(over_time.c_str()),
      over_time_doc.c_str());
  const std::string all = options_signature<ContactOptions>(
      "def contact(motion: str | os.PathLike | dict[str, typing.Any], robot: str | os.PathLike | Robot | "
      "None = None, contacts: collections.abc.Sequence[str] = (), over_time: bool = False, limits: str = 'none', "
      "wrench_frame: str = 'world', settings: dict[str, float | str | bool] = {}",
      ") -> ContactResult");
  const std::string all_doc = options_doc<ContactOptions>(
      "The wrenches of a motion's contacts, the torques behind it, and what it does not determine: what `antaeus "
      "contact` "
      "does. motion: .npz, folder of .npy or .csv, or its arrays by name (q with dt or time; v and a: independent "
      "states); without a robot a .csv or .parquet of a total wrench and the poses of feet (docs/concepts/contact.md). "
      "robot: "
      "a name, a profile, a description, or a Robot whose base floats. limits: none, pyramid, cone. settings: "
      "'group.option' → value of groups split and timing. The interpreter's lock is released "
      "meanwhile. EpisodeError, "
      "ModelError, OptionsError: one line, with the nearest name. Options:");
  module.def("contact", &contact_given, nb::arg("motion").none(), "robot"_a = nb::none(), "contacts"_a = nb::list(),
             "over_time"_a = false, "limits"_a = "none", "wrench_frame"_a = "world", "settings"_a = nb::dict(),
             "options"_a, nb::sig(all.c_str()), all_doc.c_str());
}

}  // namespace

void bind_contact(nb::module_& module) {
  bind_contact_result(module);
  bind_states(module);
  bind_motions(module);
  bind_contact_stream(module);
}

}  // namespace antaeus::python
