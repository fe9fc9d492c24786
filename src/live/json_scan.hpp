#pragma once
// JSON, read once from left to right, without memory of its own. Private to src/live.

#include <cstddef>
#include <string_view>

namespace antaeus {

/// What is told of a text on the way.
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  /// \param path   keys from the outermost, joined by '.'; an array's number has its array's
  /// \param index  in that array; 0 outside of one
  /// null and NaN are NaN.
  virtual void number(std::string_view path, std::size_t index, double value) noexcept = 0;
  /// \param raw  without its quotes; escapes as they are; true and false are texts
  virtual void text(std::string_view, std::size_t, std::string_view) noexcept {}
};

/// \return what is wrong with the text; null: nothing
const char* scan_json(std::string_view text, JsonListener& listener) noexcept;

}  // namespace antaeus
