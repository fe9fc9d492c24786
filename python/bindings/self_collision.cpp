// Which shapes of a robot can meet.
#include "antaeus/robot/self_collision.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "convert.hpp"

namespace antaeus::python {

void bind_self_collision(nb::module_& module) {
  nb::class_<SelfCollisionModel>(module, "SelfCollisionModel",
                                 "The collision shapes of a robot and which of them can meet; meshes count as hulls.")
      .def(
          "__init__",
          [](SelfCollisionModel* self, const RobotModel& model, const std::optional<ArrayArgument>& reference,
             double touching, const std::vector<std::pair<std::string, std::string>>& ignored, int most_near) {
            SelfCollisionOptions options{.touching = touching, .ignored = ignored, .most_near = most_near};
            if (reference) options.reference = as_vector(*reference, "SelfCollisionModel", "reference", model.nq());
            new (self) SelfCollisionModel(model, options);
          },
          "model"_a, "reference"_a = nb::none(), "touching"_a = SelfCollisionOptions{}.touching,
          "ignored"_a = std::vector<std::pair<std::string, std::string>>(),
          "most_near"_a = SelfCollisionOptions{}.most_near,
          "Links that one joint connects, and those nearer than `touching` [m] at `reference` [nq], are not compared.")
      .def(
          "pair_count", [](const SelfCollisionModel& self) { return self.pairs().size(); }, "Of shapes.")
      .def(
          "pair_text",
          [](const SelfCollisionModel& self, int pair) {
            if (pair < 0 || pair >= std::ssize(self.pairs())) throw nb::index_error("no pair of that number");
            return self.pair_text(pair);
          },
          "pair"_a, "\"left_hand_link and torso_link\".")
      .def(
          "excluded",
          [](const SelfCollisionModel& self) {
            nb::list pairs;
            for (const ExcludedPair& pair : self.excluded()) {
              pairs.append(nb::make_tuple(pair.first, pair.second, to_string(pair.reason)));
            }
            return pairs;
          },
          "(link, link, reason) of every pair that is not compared.")
      .def("notes", &SelfCollisionModel::notes, "What was left out, one line each.");
}

}  // namespace antaeus::python
