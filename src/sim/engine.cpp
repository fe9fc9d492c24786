#include "sim/engine.hpp"

#include "io/plugin.hpp"

namespace antaeus::detail {

namespace {

const Engine& load_engine() {
  constexpr const char* kFile = "libantaeus_mujoco.so";
  constexpr const char* kRemedy =
      "build the target antaeus_mujoco, put it next to libantaeus.so, and pip install mujoco==4.0.0";
  void* const library = open_plugin(kFile, "simulation", kRemedy, "sim");
  const auto entry =
      reinterpret_cast<decltype(&antaeus_sim_engine_3)>(plugin_function(library, "antaeus_sim_engine_3"));
  if (!entry) throw Error(kFile, "the plugin is of another version", kRemedy);
  return *entry();
}

}  // namespace

const Engine& engine() {
  static const Engine& loaded = load_engine();
  return loaded;
}

}  // namespace antaeus::detail
