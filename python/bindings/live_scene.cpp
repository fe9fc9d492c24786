// What the live page draws of a robot.
#include <memory>
#include <string>
#include <vector>

#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "convert.hpp"
#include "logs.hpp"
#include "pages.hpp"

namespace antaeus::python {

void bind_live_scene(nb::module_& module) {
  module.def(
      "live_scene_json",
      [](nb::handle given_robot, const std::vector<std::string>& endpoints) {
        const RobotChoice choice = robot_from(given_robot, "live_scene_json.robot");
        const Unlocked unlocked;
        const Robot robot = loaded_robot(choice);
        return live_scene_json(robot, robot.endpoint_frames(endpoints, "live_scene_json.endpoints"),
                               drawn_meshes(robot.model.description()));
      },
      "robot"_a, "endpoints"_a = nb::list(),
      nb::sig("def live_scene_json(robot: str | os.PathLike | Robot, endpoints: list[str] = []) -> str"),
      "The robot of `antaeus watch`'s page as one line of JSON: its shapes, and which number of a sample moves what. A "
      "sample's numbers, in order: positions of the motors [M], orientation of the root link x y z w [4], then of each "
      "endpoint its force [3] in N, the principal axes of one sd of it [9], ascending, and the force that the consumer "
      "reads [3]; all in world axes. endpoints: frames or labels; none: the profile's own. ModelError with the nearest "
      "name.");
}

}  // namespace antaeus::python
