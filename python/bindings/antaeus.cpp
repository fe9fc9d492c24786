// The extension module antaeus._antaeus. Its types call themselves antaeus.<name>, as users see them.
#include "interpreter_lock.hpp"
#include "logs.hpp"
#include "values.hpp"

namespace antaeus::python {

namespace {

/// One Python class per C++ class; a translator that is registered later is asked first, so bases come before.
void bind_errors(nb::module_& module) {
  nb::exception<Error> error(module, "Error", PyExc_ValueError);
  error.doc() = "Something that was handed to Antaeus cannot be used: one line, \"place: problem; remedy\".";
  const nb::exception<ModelError> model(module, "ModelError", error);
  model.doc() = "A robot description, a profile, or a name in one of them.";
  const nb::exception<OptionsError> options(module, "OptionsError", error);
  options.doc() = "An option's name, value or combination.";
  const nb::exception<EpisodeError> episode(module, "EpisodeError", error);
  episode.doc() = "A recorded episode: its files, shapes, clock.";

  // A translator that is registered later is asked first: this one spells inputs as keyword arguments.
  struct Kinds {
    PyObject *error, *model, *options, *episode;
  };
  static Kinds kinds{};
  kinds = {error.ptr(), model.ptr(), options.ptr(), episode.ptr()};  // the module keeps them
  nb::register_exception_translator(
      [](const std::exception_ptr& pointer, void*) {
        const auto raise = [](PyObject* kind, const Error& caught) {
          PyErr_SetString(kind, caught.text(FrontEnd::python).c_str());
        };
        try {
          std::rethrow_exception(pointer);
        } catch (const ModelError& caught) {
          raise(kinds.model, caught);
        } catch (const OptionsError& caught) {
          raise(kinds.options, caught);
        } catch (const EpisodeError& caught) {
          raise(kinds.episode, caught);
        } catch (const Error& caught) {
          raise(kinds.error, caught);
        }
      },
      nullptr);

  const nb::object status_error = nb::steal(PyErr_NewExceptionWithDoc(
      "antaeus.StatusError",
      "A function of Dynamics or RobotModel could not use its arguments; `status` says why (Status).", error.ptr(),
      nullptr));
  module.attr("StatusError") = status_error;
  nb::register_exception_translator(
      [](const std::exception_ptr& pointer, void* payload) {
        try {
          std::rethrow_exception(pointer);
        } catch (const StatusError& caught) {
          const nb::handle type(static_cast<PyObject*>(payload));
          nb::object instance = type(caught.text(FrontEnd::python));
          instance.attr("status") = caught.status();
          PyErr_SetObject(type.ptr(), instance.ptr());
        }
      },
      status_error.ptr());
}

}  // namespace

}  // namespace antaeus::python

NB_MODULE(_antaeus, module) {
  using namespace antaeus::python;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&keep_constants_at_exit));
  nb::set_leak_warnings(false);  // the library never prints
  const nb::object own_name = module.attr("__name__");
  module.attr("__name__") = "antaeus";
  module.attr("__version__") = ANTAEUS_VERSION;
  // The package's submodules, which __init__.py makes of this: docstring, and names in the order in which they are
  // bound. One a room of include/antaeus; cmake/antaeus_python.cmake reads their names here.
  nb::dict rooms;
  const auto bind_room = [&](const char* room, const char* doc, auto... binds) {
    const auto names = [&] { return nb::list(nb::borrow<nb::dict>(module.attr("__dict__")).keys()); };
    const std::size_t before = names().size();
    (binds(module), ...);
    nb::list bound;
    const nb::list all = names();
    for (std::size_t i = before; i < all.size(); ++i) bound.append(all[i]);
    rooms[room] = nb::make_tuple(doc, nb::tuple(bound));
  };
  bind_room("core",
            "What all rooms share: observation, wrench and its estimate, pose, status, verdict, errors, settings.",
            bind_core, bind_errors);
  bind_room(
      "signal",
      "Signals: the delay between channels, probabilities of χ² variables, the sum that finds small lasting shifts.",
      bind_signal);
  bind_room("robot", "Robots: description, model, profile, dynamics, and the instant at which an observation was read.",
            bind_robot, bind_self_collision);
  bind_room("estimation",
            "The torque residual, the posterior of the wrenches that explain it, and its filter over time.",
            bind_estimation);
  bind_room("published",
            "What others published and deployed: pinv(Jᵀ)(τ − g), its stacked variant, and the chain of guards.",
            bind_published);
  bind_room("episode", "Recorded and synthetic episodes.", bind_episode);
  bind_room("trust",
            "How far an estimate can be trusted: reliability of torques, feasibility of wrenches, tests of causes.",
            bind_trust, bind_guard);
  // antaeus.live is the package of sources, pages and records, so the room's submodule cannot have that name.
  bind_room("streams",
            "Beside a running robot: messages of its drivers, order and clocks of a stream, the guarded estimator on a "
            "thread of its own.\n\nThe room is called `live` in C++. Here that name belongs to the package, "
            "`antaeus.live`.",
            bind_live);
  bind_room("pose", "What torques can show in a pose, where to move the arm instead, and the pre-flight.", bind_pose);
  bind_room("control",
            "Controllers: a tool's state once a cycle, and torques or references that give way to a push, or hold "
            "against it.",
            bind_control, bind_control_contact, bind_control_flying);
  bind_room(
      "checking",
      "Is a log what its robot's profile says? Findings with size, doubt and remedy; mistakes to plant; the profile "
      "that corrects them.\n\n"
      "The room is called `check` in C++. Here that name belongs to the function, `antaeus.check(…)`.",
      bind_check);
  // antaeus.audit is the function, so the room's submodule cannot have that name too.
  bind_room(
      "auditing",
      "What happened in a log: reconstruction, events, causes, remedies and verdict, and the page that shows them.\n\n"
      "The room is called `audit` in C++. Here that name belongs to the function, `antaeus.audit(…)`.",
      bind_audit, bind_estimate);
  // Nor the room of antaeus.contact.
  bind_room("contacts",
            "Inverse dynamics through contacts: who carries a motion, with which torques, and what the motion does not "
            "determine.\n\n"
            "The room is called `contact` in C++. Here that name belongs to the function, `antaeus.contact(…)`.",
            bind_contact);
  bind_room("identification",
            "Identification: what a robot's torques read while nothing touches it, from its logs, as a profile.",
            bind_identification);
  // Nor that of antaeus.replay.
  bind_room(
      "replaying",
      "Many states at once: torques, residuals, wrenches and singular values of whole logs, in blocks on all cores.\n\n"
      "The room is called `replay` in C++. Here that name belongs to the function, `antaeus.replay(…)`.",
      bind_replay);
  bind_room(
      "ik",
      "Inverse kinematics: joint positions that bring a frame to a target within the limits, or what prevents it.",
      bind_ik);
  bind_room("tasks",
            "Inverse kinematics by tasks: several things at once, the important ones first, between limits that hold.",
            bind_tasks);
  bind_room("numerics",
            "Inverses of matrices that stay bounded near singularities: in three tiers, or damped smoothly.",
            bind_conditioning);
  bind_room("space", "Free-flying robots: the coordinated map of a base and its arm, its dynamics, and where to begin.",
            bind_space);
  bind_room("sim", "Simulation in MuJoCo: scenes, the robot of a scene, a plant to control, and pictures of it.",
            bind_sim);
  bind_room("studies", "Named runs in simulation, measured against their criteria: what `antaeus simulate` runs.",
            bind_experiments);
  bind_room("report", "Logs as pages, and pages of what you found yourself.", bind_show, bind_live_scene);
  convert_recordings_here();
  module.attr("_rooms") = rooms;
  bind_values(module);
  module.attr("__name__") = own_name;
}
