#include "contact/motion_members.hpp"

#include <algorithm>
#include <string_view>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

const std::vector<std::string>& motion_members() {
  static const std::vector<std::string> names = {"q",        "time",    "dt",       "v",         "a",
                                                 "v_next",   "guess",   "previous", "magnitude", "active",
                                                 "external", "damping", "spring",   "rest",      "root_euler"};
  return names;
}

bool holds_throughout(const std::string& member) {
  return member == "dt" || member == "damping" || member == "spring" || member == "rest" || member == "previous";
}

bool is_matrix(const std::string& member) {
  return member != "time" && member != "dt" && member != "damping" && member != "spring" && member != "rest";
}

namespace {

[[noreturn]] void bad_shape(const std::string& file, const std::string& member, const std::vector<std::size_t>& extents,
                            const char* remedy) {
  std::string shape;
  for (const std::size_t extent : extents) shape += (shape.empty() ? "" : " × ") + std::to_string(extent);
  throw EpisodeError(file + " [" + member + "]", shape.empty() ? "is a single number" : "is " + shape, remedy);
}

}  // namespace

Extents matrix_extents(const std::string& file, const std::string& member, const std::vector<std::size_t>& shape) {
  const bool wrenches = member == "guess" && shape.size() == 3;
  if (wrenches && shape[2] != 6) bad_shape(file, member, shape, "give frames × contacts × 6, force before moment");
  if (!wrenches && (shape.empty() || shape.size() > 2)) {
    bad_shape(file, member, shape, "give two extents: frames and columns");
  }
  std::size_t columns = 1;
  for (std::size_t i = shape.size() == 1 ? 0 : 1; i < shape.size(); ++i) columns *= shape[i];
  return {static_cast<Eigen::Index>(shape.size() == 1 ? 1 : shape[0]), static_cast<Eigen::Index>(columns)};
}

void check_vector(const std::string& file, const std::string& member, const std::vector<std::size_t>& shape) {
  if (std::count_if(shape.begin(), shape.end(), [](std::size_t n) { return n > 1; }) > 1) {
    bad_shape(file, member, shape, "give one number, or a row of them");
  }
}

std::map<std::string, std::vector<std::size_t>> motion_columns(const std::vector<std::string>& names,
                                                               const std::string& file) {
  std::map<std::string, std::map<int, std::size_t>> groups;
  for (std::size_t place = 0; place < names.size(); ++place) {
    std::string stem = names[place];
    int number = 0;
    const std::string_view open = stem.ends_with(']') ? std::string_view(stem).substr(0, stem.size() - 1) : stem;
    const std::size_t last = open.find_last_not_of("0123456789");
    const std::string digits(last == std::string::npos ? std::string_view() : open.substr(last + 1));
    const bool numbered = !digits.empty() && digits.size() < 6 && last != std::string::npos &&
                          (stem[last] == '_' || stem[last] == '.' || stem[last] == '[');
    if (numbered) {
      number = std::stoi(digits);
      stem = stem.substr(0, last);
    }
    const auto [known, fresh] = groups[stem == "t" ? "time" : stem].try_emplace(number, place);
    if (!fresh) {
      throw EpisodeError(file + " [" + names[place] + "]", "is the same as '" + names[known->second] + "'",
                         "leave one of them out");
    }
  }
  std::map<std::string, std::vector<std::size_t>> members;
  for (const auto& [stem, columns] : groups) {
    const auto& known = motion_members();
    const bool is_known = std::find(known.begin(), known.end(), stem) != known.end();
    if (!is_known && (stem != kLoggedPositions || groups.contains("q"))) continue;
    std::vector<std::size_t>& places = members[stem];
    for (const auto& [number, place] : columns) {
      if (number != static_cast<int>(places.size()) && columns.size() > 1) {
        throw EpisodeError(file + " [" + stem + "]",
                           "column " + stem + "_" + std::to_string(places.size()) + " is missing",
                           "number the columns from 0");
      }
      places.push_back(place);
    }
  }
  return members;
}

}  // namespace antaeus::detail
