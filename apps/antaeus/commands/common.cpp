#include <charconv>

#include "antaeus/core/error.hpp"
#include "command.hpp"

namespace antaeus::cli {

void RobotChoice::add_to(CLI::App& verb, bool required) {
  auto* option =
      verb.add_option("--robot,-r", robot, "robot: a name (antaeus robot lists them), a .toml profile or a .urdf");
  option->option_text("NAME|FILE");
  if (required) option->required();
  verb.add_flag("--ignore-meshes", ignore_meshes, "do not ask for the mesh files that a URDF names");
}

Robot RobotChoice::load() const {
  return load_robot(robot, ignore_meshes ? MeshPolicy::ignored : MeshPolicy::required);
}

void Settings::add_to(CLI::App& verb) {
  verb.add_option("--set", assignments, "set any option, e.g. --set guard.clamp_force=30 (repeatable)")
      ->option_text("GROUP.OPTION=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

AuditOptions Settings::options(const Robot& robot) const {
  AuditOptions options = audit_options(robot.profile);
  bool posterior_sign = false;
  for (const std::string& assignment : assignments) {
    set_audit_option(options, assignment);
    posterior_sign = posterior_sign || assignment.starts_with("posterior.sign=");
  }
  // Numbers stand side by side: one sign for all unless somebody asks for two.
  if (!posterior_sign) options.posterior.sign = options.estimator.sign;
  return options;
}

VectorX parse_positions(const Robot& robot, const std::string& text) {
  VectorX q = VectorX::Zero(robot.model.motor_count());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = item.find('=');
    double value = 0;
    const char* first = item.data() + (equals == std::string::npos ? item.size() : equals + 1);
    const auto [last, error] = std::from_chars(first, item.data() + item.size(), value);
    if (equals == std::string::npos || error != std::errc{} || last != item.data() + item.size()) {
      throw OptionsError("--positions", "'" + item + "' is no position", "write joint=radians,joint=radians");
    }
    q[robot.model.motor(item.substr(0, equals))] = value;
  }
  return q;
}

}  // namespace antaeus::cli
