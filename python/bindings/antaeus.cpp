// The extension module antaeus._antaeus. Its types call themselves antaeus.<name>, as users see them.
#include "convert.hpp"

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
          nb::object instance = type(caught.what());
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
  nb::set_leak_warnings(false);  // the library never prints
  const nb::object own_name = module.attr("__name__");
  module.attr("__name__") = "antaeus";
  module.attr("__version__") = ANTAEUS_VERSION;
  // Names in the order in which they were bound, by room: the package's submodules (antaeus/_rooms.py).
  nb::dict rooms;
  const auto bind_room = [&](const char* room, auto... binds) {
    const auto names = [&] { return nb::list(nb::borrow<nb::dict>(module.attr("__dict__")).keys()); };
    const std::size_t before = names().size();
    (binds(module), ...);
    nb::list bound;
    const nb::list all = names();
    for (std::size_t i = before; i < all.size(); ++i) bound.append(all[i]);
    rooms[room] = nb::tuple(bound);
  };
  bind_room("core", bind_core, bind_errors);
  bind_room("robot", bind_robot, bind_self_collision);
  bind_room("estimation", bind_estimation);
  bind_room("published", bind_published);
  bind_room("episode", bind_episode);
  bind_room("trust", bind_trust, bind_guard);
  bind_room("pose", bind_pose);
  bind_room("control", bind_control, bind_control_contact, bind_control_flying);
  // antaeus.audit is the function, so the room's submodule cannot have that name too.
  bind_room("auditing", bind_audit);
  // Nor the room of antaeus.contact.
  bind_room("contacts", bind_contact);
  bind_room("identification", bind_identification);
  // Nor that of antaeus.replay.
  bind_room("replaying", bind_replay);
  bind_room("ik", bind_ik);
  bind_room("tasks", bind_tasks);
  bind_room("numerics", bind_conditioning);
  bind_room("space", bind_space);
  bind_room("sim", bind_sim);
  bind_room("studies", bind_experiments);
  bind_room("report", bind_show);
  module.attr("_rooms") = rooms;
  module.attr("__name__") = own_name;
}
