#include "words.hpp"

#include <algorithm>
#include <charconv>

namespace antaeus::python {

namespace {

/// What an option of the command line is here, where it is not its own name with _ for -.
struct Word {
  std::string_view option, argument;
  bool has_names = false;  ///< whether a name after it is its value
};
constexpr Word kWords[] = {
    {"base", "base", true},
    {"baseline", "baselines"},
    {"contact", "contacts"},
    {"endpoint", "endpoints"},
    {"estimator", "estimator", true},
    {"fault", "fault", true},
    {"fix", "fixed_robot()"},
    {"from", "start"},
    {"ignore-meshes", "meshes=\"ignored\""},
    {"joint", "joints"},
    {"limit", "limits"},
    {"map", "map"},
    {"method", "method", true},
    {"out", "path"},
    {"payload", "payloads"},
    {"robot", "robot", true},
    {"target", "targets"},
    {"to", "stop"},
    {"total", "robot=None"},
    {"with-limits", "limits"},
    {"wrench-frame", "wrench_frame", true},
};
/// Names that are values, wherever they follow an option that has some.
constexpr std::string_view kNames[] = {"fixed", "floating", "posterior", "deployed", "stacked"};

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// From here to the end of an argument as one types it.
std::string_view argument_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != ' ' && text[end] != ';' && text[end] != ',' && text[end] != ')') ++end;
  return text.substr(at, end - at);
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// A value as Python has it.
std::string literal(std::string_view text) {
  if (text == "true") return "True";
  if (text == "false") return "False";
  double number = 0.0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && error == std::errc{} && last == text.data() + text.size();
  return is_number ? std::string(text) : quoted(text);
}

/// Puts the option at \p at of \p text into words, with the value behind it. \return where the text goes on
std::size_t put_option(std::string_view text, std::size_t at, std::string& said) {
  const bool is_place = at == 0;
  at += 2;
  std::size_t end = at;
  while (end < text.size() && is_of_word(text[end])) ++end;
  const std::string_view option = text.substr(at, end - at);
  const bool spaced = end < text.size() && text[end] == ' ';
  if (option == "set") {
    const std::string_view assignment = spaced ? argument_at(text, end + 1) : std::string_view();
    const std::size_t equals = assignment.find('=');
    said += "settings";
    if (equals == assignment.npos) return end;
    said += "={" + quoted(assignment.substr(0, equals)) + ": " + literal(assignment.substr(equals + 1)) + "}";
    return end + 1 + assignment.size();
  }
  const auto* const known = std::ranges::find(kWords, option, &Word::option);
  if (known == std::end(kWords)) {
    std::string name(option);
    std::ranges::replace(name, '-', '_');
    said += name;
    return end;
  }
  said += known->argument;
  if (!known->has_names || !spaced) return end;
  const std::string_view value = argument_at(text, end + 1);
  const bool is_named = std::ranges::find(kNames, value) != std::end(kNames);
  const bool is_file = value.find('/') != value.npos || (option == "robot" && said.ends_with("use robot"));
  if (!is_named && !is_file && !(is_place && !value.empty() && value.back() == ':')) return end;
  const std::string_view name = value.back() == ':' ? value.substr(0, value.size() - 1) : value;
  said += "=" + quoted(name);
  std::size_t next = end + 1 + name.size();
  // "--estimator deployed or stacked"
  constexpr std::string_view kOr = " or ";
  if (text.substr(next).starts_with(kOr)) {
    const std::string_view other = argument_at(text, next + kOr.size());
    if (std::ranges::find(kNames, other) == std::end(kNames)) return next;
    said += std::string(kOr) + quoted(other);
    next += kOr.size() + other.size();
  }
  return next;
}

}  // namespace

std::string python_words(std::string_view text) {
  const std::size_t first = text.find("--");
  if (first == text.npos) return std::string(text);
  std::string said;
  said.reserve(text.size() + 16);
  std::size_t at = 0;
  // A file's name may look like an option.
  const std::size_t place = text.find(": ");
  if (place != text.npos && first < place && first > 0) {
    said = text.substr(0, place);
    at = place;
  }
  while (at < text.size()) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool begins = before == ' ' || before == '(' || before == ',';
    if (text[at] == '\'' && begins) {
      std::size_t end = text.find('\'', at + 1);
      while (end != text.npos && end + 1 < text.size() && is_letter(text[end + 1])) end = text.find('\'', end + 1);
      const std::size_t next = end == text.npos ? at + 1 : end + 1;
      said += text.substr(at, next - at);
      at = next;
    } else if (begins && text.substr(at).starts_with("--") && at + 2 < text.size() && is_letter(text[at + 2])) {
      at = put_option(text, at, said);
    } else {
      said += text[at++];
    }
  }
  return said;
}

std::vector<std::string> python_words(const std::vector<std::string>& texts) {
  std::vector<std::string> said;
  for (const std::string& text : texts) said.push_back(python_words(text));
  return said;
}

}  // namespace antaeus::python
