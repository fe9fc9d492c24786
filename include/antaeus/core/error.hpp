#pragma once
/// \file
/// Exceptions of set-up code. Loop functions never throw: they return a Status.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// The text with what would steer a terminal, or deceive its reader, made visible: control characters and bytes that
/// are no UTF-8 as \xNN, what turns the direction of writing as \uNNNN. Names from files and arguments are shown so.
ANTAEUS_API std::string printable(std::string_view text);

/// The program that shows a text, and spells the inputs that the text refers to (core/messages.hpp).
enum class FrontEnd : unsigned char { neutral, command_line, python };

/// An input that cannot be used. what() is one line, "place: problem; remedy", with the front-end-neutral spelling.
class ANTAEUS_API Error : public std::runtime_error {
 public:
  /// \param place    the file and the line or key in it ("log.csv:12", "h1_2.toml [guard]"), or arg() of an input
  /// \param problem  what is wrong there
  /// \param remedy   what to do about it; may be empty
  explicit Error(std::string place, std::string problem, std::string remedy = {});

  /// \name The parts as they were given, with their references to inputs
  ///@{
  const std::string& place() const noexcept { return place_; }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }
  ///@}
  /// Returns the line of what(), spelled for \p front_end.
  std::string text(FrontEnd front_end) const;

 private:
  std::string place_, problem_, remedy_;
};

/// A robot description, a profile, or a name in one of them.
class ANTAEUS_API ModelError : public Error {
 public:
  using Error::Error;
};

/// An option's name, value or combination.
class ANTAEUS_API OptionsError : public Error {
 public:
  using Error::Error;
};

/// A recorded episode: its files, shapes, clock.
class ANTAEUS_API EpisodeError : public Error {
 public:
  using Error::Error;
};

/// "unknown <kind> 'name'; did you mean 'nearest'?", or the valid names when none is near. Use as an Error's text.
struct UnknownName {
  std::string problem;
  std::string remedy;
};
ANTAEUS_API UnknownName unknown_name(std::string_view kind, std::string_view name,
                                     const std::vector<std::string>& valid);

/// Throws the error for a name that does not exist. \tparam Failure  of the family above
template <class Failure>
[[noreturn]] void throw_unknown(const std::string& place, std::string_view kind, std::string_view name,
                                const std::vector<std::string>& valid) {
  const UnknownName text = unknown_name(kind, name, valid);
  throw Failure(place, text.problem, text.remedy);
}

/// The valid name with the smallest edit distance to \p name, or empty when none
/// is near enough to be a typing mistake.
ANTAEUS_API std::string nearest_name(std::string_view name, const std::vector<std::string>& valid);

}  // namespace antaeus
