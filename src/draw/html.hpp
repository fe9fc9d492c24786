#pragma once
// HTML that cannot go wrong: text and attributes escape themselves, elements close themselves.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "antaeus/core/api.hpp"

namespace antaeus {

// Exported for the command line, which lays a page of its own.
class ANTAEUS_API Html {
 public:
  Html() = default;
  /// Plain text, whatever it holds.
  Html(std::string_view text);                                     // NOLINT(google-explicit-constructor): text is HTML
  Html(const char* text) : Html(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  Html(const std::string& text) : Html(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  /// Markup of our own making: an <svg>, the doctype.
  static Html markup(std::string trusted);

  Html& operator<<(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  bool empty() const noexcept { return markup_.empty(); }
  const std::string& text() const noexcept { return markup_; }

 private:
  std::string markup_;
};

struct Attribute {
  const char* name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

/// <tag name="value">content</tag>; an attribute without a value is left out, unless its name ends in '!': "open!".
ANTAEUS_API Html element(const char* tag, Attributes attributes, const Html& content);
inline Html element(const char* tag, const Html& content) { return element(tag, {}, content); }
/// <tag name="value">: one that has no content, as <meta>.
ANTAEUS_API Html void_element(const char* tag, Attributes attributes);

}  // namespace antaeus
