#include "antaeus/io/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "core/utf8.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

const Json kNull;

[[noreturn]] void throw_wrong_kind(const char* wanted) {
  throw Error("JSON", std::string("the value is no ") + wanted, "check the file against its schema");
}

/// Bytes that stand in a text as they are, whatever follows: ASCII that is neither a quote, a backslash nor steering.
constexpr std::array<bool, 256> kBare = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

/// What would steer a terminal is escaped: the same text to a reader of JSON, and harmless where the file is shown.
void append_quoted(std::string& out, std::string_view text) {
  if (may_refer(text)) {
    const std::string neutral = spelled(text, FrontEnd::neutral);
    if (neutral != text) return append_quoted(out, neutral);
  }
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    // Most of a page is base64: runs of plain letters are taken whole.
    std::size_t end = at;
    while (end < text.size() && kBare[static_cast<unsigned char>(text[end])]) ++end;
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // as valid_utf8
      ++at;
      continue;
    }
    const char32_t code = utf8_code_point(text, at, length);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += text[at];
    } else if (code == '\n') {
      out += "\\n";
    } else if (is_steering(code)) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 15U];
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
  out += '"';
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
  } else if (value == 0.0 && std::signbit(value)) {
    out += "-0.0";  // readers take "-0" for the integer, which has no sign
  } else {
    append_shortest(out, value);
  }
}

/// Writes a tree.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  std::string take() { return std::move(out_); }

  void write(const Json& value) {
    if (value.is_array()) {
      write_all('[', value.items(), ']', [this](const Json& item) { write(item); });
    } else if (value.is_object()) {
      write_all('{', value.members(), '}', [this](const Json::Member& member) {
        append_quoted(out_, member.first);
        out_ += indent_ < 0 ? ":" : ": ";
        write(member.second);
      });
    } else if (value.is_text()) {
      append_quoted(out_, value.text());
    } else if (value.is_integer()) {
      out_ += std::to_string(value.integer());
    } else if (value.is_number()) {
      append_number(out_, value.number());
    } else {
      out_ += value.is_null() ? "null" : value.boolean() ? "true" : "false";
    }
  }

 private:
  template <class Items, class Write>
  void write_all(char open, const Items& items, char close, Write write_item) {
    out_ += open;
    ++depth_;
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out_ += ',';
      is_first = false;
      new_line();
      write_item(item);
    }
    --depth_;
    if (!is_first) new_line();
    out_ += close;
  }

  void new_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  std::string out_;
  std::size_t depth_ = 0;
  int indent_;
};

}  // namespace

Json& Json::push_back(Json item) {
  if (is_null()) value_ = Array{};
  auto* const items = std::get_if<Array>(&value_);
  if (!items) throw_wrong_kind("array");
  items->push_back(std::move(item));
  return *this;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  auto* const members = std::get_if<Object>(&value_);
  if (!members) throw_wrong_kind("object");
  for (Member& member : *members) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  members->emplace_back(std::string(key), std::move(value));
  return *this;
}

const Json& Json::operator[](std::string_view key) const noexcept {
  if (const auto* const members = std::get_if<Object>(&value_)) {
    for (const Member& member : *members) {
      if (member.first == key) return member.second;
    }
  }
  return kNull;
}

const Json& Json::operator[](std::size_t index) const noexcept {
  const auto* const items = std::get_if<Array>(&value_);
  return items && index < items->size() ? (*items)[index] : kNull;
}

std::size_t Json::size() const noexcept {
  if (const auto* const items = std::get_if<Array>(&value_)) return items->size();
  if (const auto* const members = std::get_if<Object>(&value_)) return members->size();
  return 0;
}

double Json::number() const {
  if (const auto* const value = std::get_if<double>(&value_)) return *value;
  if (const auto* const value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  throw_wrong_kind("number");
}

std::int64_t Json::integer() const {
  if (const auto* const value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* const value = std::get_if<double>(&value_)) {
    constexpr double kBound = 9223372036854775808.0;  // 2^63
    if (*value >= -kBound && *value < kBound && std::trunc(*value) == *value) return static_cast<std::int64_t>(*value);
  }
  throw_wrong_kind("integer");
}

bool Json::boolean() const {
  if (const auto* const value = std::get_if<bool>(&value_)) return *value;
  throw_wrong_kind("boolean");
}

const std::string& Json::text() const {
  if (const auto* const value = std::get_if<std::string>(&value_)) return *value;
  throw_wrong_kind("text");
}

const Json::Array& Json::items() const {
  if (const auto* const value = std::get_if<Array>(&value_)) return *value;
  throw_wrong_kind("array");
}

const Json::Object& Json::members() const {
  if (const auto* const value = std::get_if<Object>(&value_)) return *value;
  throw_wrong_kind("object");
}

std::string Json::dump(int indent) const {
  Writer writer(indent);
  writer.write(*this);
  return writer.take();
}

}  // namespace antaeus
