#pragma once
// What a scene's handle holds, for the classes of this room.
#include "sim/engine.hpp"

namespace antaeus {

struct MujocoScene::Impl {
  SceneDescription description;
  std::unique_ptr<sim::Model> model;

  const sim::SceneFacts& facts() const noexcept { return model->facts(); }
};

namespace sim {

/// Names in the model: unique, whatever the files leave unnamed or name twice.
struct LinkNames {
  std::vector<std::string> bodies, sites;
};
LinkNames link_names(const SceneFacts& facts);
std::string joint_name(const SceneFacts& facts, int joint);

}  // namespace sim

}  // namespace antaeus
