#pragma once
// Keys of a profile's TOML tables. Each mistake is blamed on its own line. Private to robot.
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/error.hpp"

namespace antaeus {

/// Reads keys of one TOML table, remembers which were asked for, and refuses the rest: a misspelt key must not be
/// a default in silence.
class Keys {
 public:
  Keys(const toml::table& table, std::string file, std::string where)
      : table_(table), file_(std::move(file)), where_(std::move(where)) {}

  [[noreturn]] void fail(const toml::node* node, const std::string& problem, const std::string& remedy) const {
    throw ModelError(file_ + ":" + std::to_string(line(node)) + (where_.empty() ? "" : " [" + where_ + "]"), problem,
                     remedy);
  }
  /// Of the node, else of the table's head.
  int line(const toml::node* node) const {
    return static_cast<int>(node ? node->source().begin.line : table_.source().begin.line);
  }

  const toml::node* find(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
  }

  std::string text(const std::string& key) {
    const toml::node* node = find(key);
    if (node) return text_of(*node, key);
    // What the file lacks as a whole has no line: whatever is wrong on one is told first.
    if (where_.empty()) {
      lack("no key '" + key + "'", "add it (a text)");
      return {};
    }
    // Misspelt, it is the misspelt line's mistake.
    for (const auto& [other, value] : table_) {
      const std::string name(other.str());
      if (known_.contains(name) || nearest_name(name, {key}).empty()) continue;
      const UnknownName unknown = unknown_name("key", name, {key});
      fail(&value, unknown.problem, unknown.remedy);
    }
    fail(nullptr, "no key '" + key + "'", "add it (a text)");
  }
  std::string text_or(const std::string& key, const std::string& fallback) {
    const toml::node* node = find(key);
    return node ? text_of(*node, key) : fallback;
  }
  /// One of the names of an enumeration.
  template <NamedEnum Enum>
  Enum choice_or(const std::string& key, Enum fallback) {
    const toml::node* node = find(key);
    if (!node) return fallback;
    const std::string name = text_of(*node, key);
    if (const std::optional<Enum> value = find_enum<Enum>(name)) return *value;
    const UnknownName unknown = unknown_name(key, name, all_names<Enum>());
    fail(node, unknown.problem, unknown.remedy);
  }
  bool flag_or(const std::string& key, bool fallback) {
    const toml::node* node = find(key);
    if (!node) return fallback;
    const auto value = node->value_exact<bool>();
    if (!value) fail(node, "'" + key + "' must be true or false", "write it without quotes");
    return *value;
  }
  double number_or(const std::string& key, double fallback) {
    const toml::node* node = find(key);
    return node ? number_of(*node, key) : fallback;
  }
  double not_negative_or(const std::string& key, double fallback) {
    const double value = number_or(key, fallback);
    if (value < 0) fail(find(key), "'" + key + "' is negative", "give a size, zero or more");
    return value;
  }
  double positive_or(const std::string& key, double fallback) {
    const double value = number_or(key, fallback);
    if (!(value > 0)) fail(find(key), "'" + key + "' must be more than zero", "give a positive number");
    return value;
  }
  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> values;
    if (const toml::node* node = find(key)) {
      for (const toml::node& item : array_of(*node, key)) values.push_back(text_of(item, key));
    }
    return values;
  }
  std::vector<Keys> tables(const std::string& key) {
    std::vector<Keys> found;
    if (const toml::node* node = find(key)) {
      for (const toml::node& item : array_of(*node, key)) {
        if (!item.is_table()) fail(&item, "'" + key + "' must be a list of tables", "write [[" + key + "]]");
        found.emplace_back(*item.as_table(), file_, where_.empty() ? key : where_ + "." + key);
      }
    }
    return found;
  }
  const toml::table* table(const std::string& key) {
    const toml::node* node = find(key);
    if (node && !node->is_table()) fail(node, "'" + key + "' must be a table", "write [" + key + "]");
    return node ? node->as_table() : nullptr;
  }

  std::string text_of(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(&node, "'" + key + "' must be a text", "put it in quotes");
    return *value;
  }
  double number_of(const toml::node& node, const std::string& key) const {
    const auto value = node.value<double>();
    if (!value || !node.is_number()) fail(&node, "'" + key + "' must be a number", "write it without quotes");
    if (!std::isfinite(*value)) fail(&node, "'" + key + "' must be finite", "give a number");
    return *value;
  }
  const toml::array& array_of(const toml::node& node, const std::string& key) const {
    if (!node.is_array()) fail(&node, "'" + key + "' must be a list", "write [ … ]");
    return *node.as_array();
  }

  /// Something that the file as a whole lacks: told by `finish`, once all its lines are found right.
  void lack(const std::string& problem, const std::string& remedy) {
    if (lacking_.problem.empty()) lacking_ = {problem, remedy};
  }

  /// Texts of a list, none twice; where each stands is kept in \p lines as "what name".
  std::vector<std::string> names(const std::string& key, std::map<std::string, int>& lines, const std::string& what) {
    std::vector<std::string> values;
    if (const toml::node* node = find(key)) {
      std::set<std::string> seen;  // a hostile file has hundreds of thousands
      for (const toml::node& item : array_of(*node, key)) {
        const std::string name = text_of(item, key);
        if (!seen.insert(name).second) {
          fail(&item, "'" + key + "' names '" + name + "' twice", "remove one");
        }
        values.push_back(name);
        lines.emplace(what + " " + name, line(&item));
      }
    }
    return values;
  }

  /// Every key must have been asked for by now.
  void finish() const {
    const std::vector<std::string> valid(known_.begin(), known_.end());
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known_.contains(name)) continue;
      const UnknownName text = unknown_name("key", name, valid);
      fail(&node, text.problem, text.remedy);
    }
    if (!lacking_.problem.empty()) throw ModelError(file_, lacking_.problem, lacking_.remedy);
  }

 private:
  const toml::table& table_;
  std::string file_;
  std::string where_;
  std::set<std::string> known_;
  UnknownName lacking_;
};

}  // namespace antaeus
