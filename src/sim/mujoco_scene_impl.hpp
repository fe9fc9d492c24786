#pragma once
// What a scene's handle holds, for the classes of this room.
#include "sim/engine.hpp"

namespace antaeus {

struct MujocoScene::Impl {
  SceneDescription description;
  std::unique_ptr<detail::Model> model;

  const detail::SceneFacts& facts() const noexcept { return model->facts(); }
};

namespace detail {

/// Names in the model: unique, whatever the files leave unnamed or name twice.
struct LinkNames {
  std::vector<std::string> bodies, sites;
};
LinkNames link_names(const SceneFacts& facts);
std::string joint_name(const SceneFacts& facts, int joint);

}  // namespace detail

}  // namespace antaeus
