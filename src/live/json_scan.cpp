#include "json_scan.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "antaeus/core/numbers.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kDeepest = 16, kLongestPath = 256;

class JsonScan {
 public:
  JsonScan(std::string_view text, JsonListener& listener) : at_(text.data()), end_(at_ + text.size()), to_(listener) {}

  const char* run() noexcept {
    skip();
    if (at_ == end_ || *at_ != '{') return "no JSON object";
    if (!value(0, 0)) return problem_;
    skip();
    return at_ == end_ ? nullptr : "text behind the JSON object";
  }

 private:
  bool fail(const char* why) noexcept {
    problem_ = why;
    return false;
  }
  void skip() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool take(char c) noexcept {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool string(std::string_view& text) noexcept {
    skip();
    if (at_ == end_ || *at_ != '"') return fail("a text is missing");
    const char* const first = ++at_;
    for (; at_ != end_; ++at_) {
      if (*at_ == '"') {
        text = {first, static_cast<std::size_t>(at_++ - first)};
        return true;
      }
      if (static_cast<unsigned char>(*at_) < 0x20) return fail("a control character in a text");
      if (*at_ == '\\' && ++at_ == end_) break;
    }
    return fail("cut off within a text");
  }
  bool word(std::string_view expected, double value, std::size_t index) noexcept {
    if (static_cast<std::size_t>(end_ - at_) < expected.size() || std::string_view(at_, expected.size()) != expected) {
      return fail("a word that is no JSON");
    }
    at_ += expected.size();
    to_.number({path_.data(), length_}, index, value);
    return true;
  }
  /// No number: a torque is not true.
  bool truth(std::string_view expected, std::size_t index) noexcept {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected)) {
      return fail("a word that is no JSON");
    }
    at_ += expected.size();
    to_.text({path_.data(), length_}, index, expected);
    return true;
  }
  bool number(std::size_t index) noexcept {
    double value = 0.0;
    const auto [after, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::result_out_of_range) value = kNaN;
    if (error != std::errc() && error != std::errc::result_out_of_range) return fail("a number that cannot be read");
    at_ = after;
    to_.number({path_.data(), length_}, index, value);
    return true;
  }
  bool object(std::size_t depth) noexcept {
    const std::size_t before = length_;
    if (take('}')) return true;
    do {
      std::string_view key;
      if (!string(key)) return false;
      if (!take(':')) return fail("a colon is missing");
      if (before + key.size() + 1 > kLongestPath) return fail("a key that is too long");
      if (before > 0) path_[length_++] = '.';
      std::memcpy(path_.data() + length_, key.data(), key.size());
      length_ += key.size();
      if (!value(0, depth + 1)) return false;
      length_ = before;
    } while (take(','));
    return take('}') || fail("a brace is missing");
  }
  bool array(std::size_t depth) noexcept {
    if (take(']')) return true;
    std::size_t index = 0;
    do {
      if (!value(index++, depth + 1)) return false;
    } while (take(','));
    return take(']') || fail("a bracket is missing");
  }
  bool value(std::size_t index, std::size_t depth) noexcept {
    if (depth > kDeepest) return fail("nested too deeply");
    skip();
    if (at_ == end_) return fail("cut off");
    switch (*at_) {
      case '{': ++at_; return object(depth);
      case '[': ++at_; return array(depth);
      case '"': {
        std::string_view text;
        if (!string(text)) return false;
        to_.text({path_.data(), length_}, index, text);
        return true;
      }
      case 'n': return word("null", kNaN, index);
      case 'N': return word("NaN", kNaN, index);
      case 'I': return word("Infinity", kNaN, index);
      case 't': return truth("true", index);
      case 'f': return truth("false", index);
      case '-':
        if (end_ - at_ > 1 && at_[1] == 'I') return ++at_, word("Infinity", kNaN, index);
        return number(index);
      default: return *at_ >= '0' && *at_ <= '9' ? number(index) : fail("no JSON value");
    }
  }

  const char *at_, *end_;
  JsonListener& to_;
  std::array<char, kLongestPath + 1> path_{};
  std::size_t length_ = 0;
  const char* problem_ = nullptr;
};

}  // namespace

const char* scan_json(std::string_view text, JsonListener& listener) noexcept { return JsonScan(text, listener).run(); }

}  // namespace antaeus
