// antaeus inject LOG: a good log with one injected fault.
#include <filesystem>
#include <memory>
#include <system_error>

#include "antaeus/check/check_log.hpp"
#include "antaeus/check/mutate.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "antaeus/episode/raw_log.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

struct InjectCommand {
  RobotChoice robot;
  std::string log, fault, out;
  std::vector<std::string> joints;
  std::optional<double> size;

  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Fault one : plantable_faults()) all.emplace_back(to_string(one));
    return all;
  }

  PlantedFault planted() const {
    PlantedFault planted;
    for (const Fault one : plantable_faults()) {
      if (fault != to_string(one)) continue;
      planted.fault = one, planted.joints = joints;
      if (size) planted.size = *size;
      return planted;
    }
    throw_unknown<OptionsError>("--fault", "fault that can be planted", fault, names());
  }

  int run() const {
    PlantedFault one = planted();
    RobotChoice asked = robot;
    asked.ignore_meshes = true;
    const Robot known = asked.load();
    if (!known.profile.channels.is_identity()) {
      throw OptionsError("--robot", "its profile has [channels], which would be applied again to what is written",
                         "give the profile without them");
    }
    std::error_code absent;
    if (std::filesystem::equivalent(log, out, absent)) {
      throw OptionsError("--out", "'" + out + "' is the log itself", "name another folder");
    }
    const Episode good = read_checked_log(log, known).load();
    const Episode wrong = mutate(known, good, one);
    write_episode(wrong, out);
    print(wrapped(good.name + ", " + note_text(wrong.notes.back()) + ". Written to " + out + ".", 2));
    return kFine;
  }
};

}  // namespace

void add_inject(CLI::App& app, Run& run) {
  auto command = std::make_shared<InjectCommand>();
  CLI::App* verb = app.add_subcommand("inject", "inject a fault into a good log, to test whether check finds it");
  verb->add_option("LOG", command->log, "folder of .npy files, .npz, .csv or .parquet")->required()->option_text(" ");
  command->robot.add_to(*verb);
  std::string faults;
  for (const std::string& name : InjectCommand::names()) faults += (faults.empty() ? "" : ", ") + name;
  verb->add_option("--fault", command->fault, "one of " + faults)->required()->option_text("NAME");
  verb->add_option("--joints", command->joints,
                   "joints by name or label, with commas (default: the fault's usual ones)")
      ->delimiter(',')
      ->option_text("A,B");
  verb->add_option("--size", command->size, "size of the fault, in its unit (default: the fault's usual size)")
      ->option_text("X");
  verb->add_option("--out,-o", command->out, "folder for the log with the fault")->required()->option_text("DIR");
  verb->footer("Example: antaeus inject good_log --robot ur10e --fault torque_sign --out wrong_log");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
