#include "components.hpp"

#include <map>

#include "antaeus/core/error.hpp"
#include "io/plugin.hpp"

namespace antaeus::cli {

namespace {

struct Loaded {
  AddVerb* add = nullptr;
  std::string reason;  ///< why it does not load; empty where it is not built
};

const Loaded& load(const Component& component) {
  static std::map<std::string, Loaded> all;
  const auto [entry, is_new] = all.try_emplace(component.file);
  Loaded& loaded = entry->second;
  if (!is_new) return loaded;
  if (!plugin_is_built(component.file)) return loaded;
  try {
    void* const plugin = open_plugin(component.file, "it", "");
    loaded.add = reinterpret_cast<AddVerb*>(plugin_function(plugin, "antaeus_add_verb_1"));
    if (!loaded.add) loaded.reason = std::string(component.file) + ": it is of another version";
  } catch (const Error& error) {
    loaded.reason = error.what();
  }
  return loaded;
}

}  // namespace

void add_verb_of(const Component& component, const char* name, const std::string& summary, CLI::App& app, Run& run) {
  const Loaded& loaded = load(component);
  if (loaded.add && loaded.add(name, app, run)) return;
  const std::string remedy = std::string("make ") + component.target;
  CLI::App* verb = app.add_subcommand(name, summary + " (not built: " + remedy + ")");
  // Whatever is asked of it, the answer is the same.
  verb->set_help_flag();
  verb->allow_extras()->prefix_command();
  const std::string problem = loaded.reason.empty() ? "is not built" : "cannot be used: " + loaded.reason;
  verb->callback([place = std::string("command '") + name + "'", problem, remedy, &run] {
    run = [=]() -> int { throw Error(place, problem, "build it with: " + remedy); };
  });
}

Robot load_mjcf(const std::string& file, const std::optional<Base>& base) {
  if (!plugin_is_built(kStudies.file)) {
    throw Error("--robot", file + " is an MJCF, and what reads it is not built", "build it with: make studies");
  }
  void* const plugin = open_plugin(kStudies.file, "it", "");
  auto* const read = reinterpret_cast<LoadMjcf*>(plugin_function(plugin, "antaeus_load_mjcf_1"));
  if (!read) throw Error(kStudies.file, "it is of another version", "build it with: make studies");
  std::optional<Robot> robot;
  read(file, base, robot);
  return std::move(*robot);
}

}  // namespace antaeus::cli
