// Contacts frame by frame in a loop, and forces over time of motions that do not end or do not fit in memory.
#include "antaeus/contact/contact_stream.hpp"

#include "antaeus/contact/contact_dynamics.hpp"
#include "antaeus/contact/contact_frame_solver.hpp"
#include "contact.hpp"
#include "logs.hpp"
#include "values.hpp"

namespace antaeus::python {

namespace {

/// Frames whose number of contacts is known also where there are none.
struct Settled {
  SettledFrames frames;
  Eigen::Index contacts = 0;
};
struct Stream {
  ContactStream stream;
  Eigen::Index contacts = 0;
};

/// Rows of their own, one a column.
nb::object rows_of(const auto& columns) { return nb::cast(frozen(SampleMatrix(columns.transpose())), kOwned); }

void bind_frame_solver(nb::module_& module) {
  nb::class_<ContactFrame>(module, "ContactFrame",
                           "Contact inverse dynamics of one frame; NaN unless ok. Plain data of its own.")
      .def_prop_ro("status", copied_field(&ContactFrame::status), "ok, or what of the frame is wrong.")
      .def_prop_ro(
          "wrenches", [](const ContactFrame& self) { return rows_of(self.wrench); },
          nb::sig("def wrenches(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[contacts × 6], N and N·m: on the robot, force before moment, world axes, about the contact's origin.")
      .def_prop_ro("torques", frozen_field(&ContactFrame::torque), kOwned,
                   "[nv], what the motors exert; the first six hold the root residual, force and moment in base axes.")
      .def_prop_ro("total", frozen_field(&ContactFrame::total), kOwned, "[nv], M a + C v + g, before the contacts.")
      .def_prop_ro("residual", frozen_field(&ContactFrame::residual), kOwned,
                   "[6], what no contact explains: world axes, about the base's origin.");
  const std::string signature = options_signature<ContactOptions>(
      "def __init__(self, robot: Robot, contacts: collections.abc.Sequence[str], with_guess: bool = False",
      ") -> None");
  const std::string doc = options_doc<ContactOptions>(
      "contacts: frames; those without a guess share by least effort. with_guess: solve() takes wrenches to be near "
      "to. "
      "OptionsError for unknown or repeated contacts, a fixed base, weights that leave the wrenches undetermined. "
      "Options:");
  nb::class_<ContactFrameSolver>(module, "ContactFrameSolver",
                                 "Contact inverse dynamics as a loop calls it, each frame for itself. One per thread.")
      .def(
          "__init__",
          [](ContactFrameSolver* self, const Robot& robot, const std::vector<std::string>& contacts, bool with_guess,
             const nb::kwargs& options) {
            new (self) ContactFrameSolver(robot, contacts, options_from<ContactOptions>(options), with_guess);
          },
          "robot"_a, "contacts"_a, "with_guess"_a = false, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def(
          "solve",
          [](ContactFrameSolver& self, const ArrayArgument& q, const ArrayArgument& v, const ArrayArgument& a,
             const std::optional<ArrayArgument>& guess) {
            constexpr const char* kPlace = "ContactFrameSolver.solve";
            const VectorX position = as_vector(q, kPlace, "q"), velocity = as_vector(v, kPlace, "v"),
                          wanted = as_vector(a, kPlace, "a");
            if (!guess) return ContactFrame(self.solve(position, velocity, wanted));
            const Matrix6X near = as_matrix(*guess, kPlace, "guess", self.result().wrench.cols(), 6).transpose();
            return ContactFrame(self.solve(position, velocity, wanted, near));
          },
          "q"_a, "v"_a, "a"_a, "guess"_a = nb::none(),
          "q [nq], v [nv] and the acceleration that is asked for, a [nv]; guess [contacts × 6] stays until another is "
          "given. Never raises for numbers: status says wrong_size, not_finite, bad_orientation.")
      .def(
          "set_active",
          [](ContactFrameSolver& self, int contact, bool active) {
            const auto count = static_cast<int>(self.result().wrench.cols());
            if (contact < 0 || contact >= count) {
              throw OptionsError("ContactFrameSolver.set_active", "there is no contact " + std::to_string(contact),
                                 "give its place among the " + std::to_string(count) + ", from 0");
            }
            self.set_active(contact, active);
          },
          "contact"_a, "active"_a, "Whether it touches, by its place among the contacts; all do at first.")
      .def("result", [](const ContactFrameSolver& self) { return ContactFrame(self.result()); }, "Of the last call.");
}

void bind_demand(nb::module_& module) {
  nb::class_<ContactDemand>(module, "ContactDemand",
                            "What a stretch of a motion asks of its contacts. Plain data of its own.")
      .def_prop_ro(
          "contacts", [](const ContactDemand& self) { return self.contacts; }, "Frames that touch.")
      .def_prop_ro("time", frozen_field(&ContactDemand::time), kOwned, "[N], s")
      .def_ro("dt", &ContactDemand::dt, "s; NaN: independent states.")
      .def_prop_ro(
          "total", [](const ContactDemand& self) { return rows_of(self.total); },
          nb::sig("def total(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[N × 6], the wrench that all contacts must make together: on the robot, world axes, about `about`.")
      .def_prop_ro(
          "about", [](const ContactDemand& self) { return rows_of(self.about); },
          nb::sig("def about(self) -> numpy.typing.NDArray[numpy.float64]"), "[N × 3], m, world.")
      .def("__len__", &ContactDemand::frames);
  bind_value<ContactDemand>(module.attr("ContactDemand"));
  const std::string signature = options_signature<ContactOptions>(
      "def contact_demand(motion: dict[str, typing.Any], robot: Robot, contacts: "
      "collections.abc.Sequence[str], over_time: bool = True",
      ") -> ContactDemand");
  const std::string doc = options_doc<ContactOptions>(
      "What a stretch of a motion asks of its contacts, for ContactStream. motion: arrays as for contact(). Give v and "
      "a "
      "with q: at the ends of a stretch of positions alone their differences are one-sided. over_time: frames must "
      "follow "
      "each other evenly. EpisodeError, OptionsError. Options:");
  module.def(
      "contact_demand",
      [](nb::handle motion, nb::handle robot, std::vector<std::string> contacts, bool over_time,
         const nb::kwargs& options) {
        const auto given = motion_first(motion, robot, "contact_demand(motion, robot, contacts)");
        const RobotChoice choice = robot_from(robot, "contact_demand.robot");
        const auto* arrays = std::get_if<nb::dict>(&given);
        if (!arrays) throw nb::type_error("contact_demand.motion: a path; give arrays by name");
        ContactMotion read = contact_motion_of(*arrays);
        ContactRequest request;
        request.contacts = std::move(contacts);
        request.over_time = over_time;
        const auto chosen = options_from<ContactOptions>(options);
        const Unlocked unlocked;
        return motion_dynamics(loaded_robot(choice), std::move(read), request, chosen).demand;
      },
      nb::arg("motion").none(), nb::arg("robot").none(), "contacts"_a, "over_time"_a = true, "options"_a,
      nb::sig(signature.c_str()), doc.c_str());
}

void bind_stream(nb::module_& module) {
  nb::class_<Settled>(module, "SettledFrames", "A stretch of frames whose wrenches change no more; may be empty.")
      .def_prop_ro(
          "first", [](const Settled& self) { return self.frames.first; }, "Counted from the stream's first frame.")
      .def_prop_ro(
          "wrenches",
          [](const Settled& self) {
            const auto count = std::ssize(self.frames.solution.status);
            return rows_of(self.frames.solution.wrench).attr("reshape")(count, self.contacts, 6);
          },
          nb::sig("def wrenches(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[n × contacts × 6], N and N·m: on the robot, force before moment, world axes, about the contact's origin.")
      .def_prop_ro(
          "residual", [](const Settled& self) { return rows_of(self.frames.solution.residual); },
          nb::sig("def residual(self) -> numpy.typing.NDArray[numpy.float64]"),
          "[n × 6], what no contact explains: world axes, about the base's origin.")
      .def_prop_ro(
          "status", [](const Settled& self) { return self.frames.solution.status; },
          "Of each step: ok, or why it has no wrenches.")
      .def("__len__", [](const Settled& self) { return self.frames.solution.status.size(); });
  const std::string signature = options_signature<ContactOptions>("def __init__(self, lag: int", ") -> None");
  const std::string doc = options_doc<ContactOptions>(
      "lag: frames that must follow one before it is settled, as lag_for() says; the stream keeps about three times as "
      "many, so its memory does not grow. Options, those that the demands were made with:");
  const std::string lag_signature =
      options_signature<ContactOptions>("def lag_for(dt: float, accuracy: float = 1e-12", ") -> int");
  nb::class_<Stream>(
      module, "ContactStream",
      "Forces over time of a motion that does not fit in memory, or has not ended: frames go in, settled "
      "ones come out. One per thread.")
      .def(
          "__init__",
          [](Stream* self, Eigen::Index lag, const nb::kwargs& options) {
            new (self) Stream{ContactStream(options_from<ContactOptions>(options), lag)};
          },
          "lag"_a, "options"_a, nb::sig(signature.c_str()), doc.c_str())
      .def_static(
          "lag_for",
          [](double dt, double accuracy, const nb::kwargs& options) {
            return ContactStream::lag_for(options_from<ContactOptions>(options), dt, accuracy);
          },
          "dt"_a, "accuracy"_a = 1e-12, "options"_a, nb::sig(lag_signature.c_str()),
          "The lag, in frames, that changes the wrenches by a share of `accuracy`, at this time step in s. "
          "OptionsError.")
      .def(
          "push",
          [](Stream& self, const ContactDemand& frames) {
            self.contacts = frames.contact_count();
            return Settled{self.stream.push(frames), self.contacts};
          },
          "frames"_a,
          "Adds frames, as contact_demand() makes them. OptionsError for other contacts or another time step.")
      .def("finish", [](Stream& self) { return Settled{self.stream.finish(), self.contacts}; }, "The rest.");
}

}  // namespace

void bind_contact_stream(nb::module_& module) {
  bind_frame_solver(module);
  bind_demand(module);
  bind_stream(module);
}

}  // namespace antaeus::python
