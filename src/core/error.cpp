#include "antaeus/core/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "antaeus/core/messages.hpp"
#include "core/utf8.hpp"

namespace antaeus {

namespace {

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

std::string one_line(const std::string& place, const std::string& problem, const std::string& remedy,
                     FrontEnd front_end) {
  std::string line = place.empty() ? problem : place + ": " + problem;
  if (!remedy.empty()) line += "; " + remedy;
  return printable(spelled(line, front_end));
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto hex = [&](std::string& out, unsigned value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHex[(value >> shift) & 15U];
  };
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const char32_t code = length == 0 ? static_cast<unsigned char>(text[at]) : utf8_code_point(text, at, length);
    if (length > 0 && !is_steering(code)) {
      shown.append(text, at, length);
    } else {
      shown += code < 0x100 ? "\\x" : "\\u";
      hex(shown, code, code < 0x100 ? 2 : 4);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return shown;
}

Error::Error(std::string place, std::string problem, std::string remedy)
    : std::runtime_error(one_line(place, problem, remedy, FrontEnd::neutral)),
      place_(std::move(place)),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

std::string Error::text(FrontEnd front_end) const { return one_line(place_, problem_, remedy_, front_end); }

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
