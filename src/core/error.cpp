#include "antaeus/core/error.hpp"

#include <algorithm>
#include <numeric>

namespace antaeus {

namespace {

/// Terminals and logs must survive hostile names: control characters are shown, never sent.
std::string printable(const std::string& text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += "\\x";
      shown += kHex[byte >> 4];
      shown += kHex[byte & 15];
    } else {
      shown += c;
    }
  }
  return shown;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Error::one_line(const std::string& place, const std::string& problem, const std::string& remedy) {
  std::string line = place.empty() ? problem : place + ": " + problem;
  if (!remedy.empty()) line += "; " + remedy;
  return printable(line);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& valid) {
  // Beyond 256 characters a name is no slip of the hand, and the distance would cost quadratic time.
  constexpr std::size_t kLongestName = 256;
  if (name.empty() || name.size() > kLongestName) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : valid) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // "left_wrist" is not near "left_wrist_yaw_link" in edits, but it is what the user began to write.
  for (const std::string& candidate : valid) {
    const bool begun = name.size() >= 3 && candidate.find(name) != std::string::npos;
    if (begun && (best.empty() || candidate.size() < best.size())) best = candidate;
  }
  return best;
}

UnknownName unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& valid) {
  constexpr std::size_t kShown = 40;
  UnknownName text;
  text.problem = "unknown " + std::string(kind) + " '" + std::string(name.substr(0, 120)) + "'";
  const std::string nearest = nearest_name(name, valid);
  if (!nearest.empty()) {
    text.remedy = "did you mean '" + nearest + "'?";
    return text;
  }
  if (valid.empty()) return text;
  text.remedy = "valid: ";
  for (std::size_t i = 0; i < std::min(kShown, valid.size()); ++i) text.remedy += (i ? ", " : "") + valid[i];
  if (valid.size() > kShown) text.remedy += ", … (" + std::to_string(valid.size()) + " in all)";
  return text;
}

}  // namespace antaeus
