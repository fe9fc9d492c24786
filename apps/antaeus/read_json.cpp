// JSON that Antaeus wrote, read again: what a verb that runs others takes its figures from.
#include <charconv>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "commands/tour.hpp"

namespace antaeus::cli {

namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  Json whole() {
    Json value = read(0);
    if (next() != '\0') fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(name_, "is no JSON at byte " + std::to_string(at_), "run the tour again");
  }
  /// The next character that is no space; 0 at the end.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string read_text() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      if (++at_ >= text_.size()) fail();
      const char c = text_[at_];
      if (c == 'u') {  // control characters alone are written so
        unsigned code = 0;
        if (at_ + 4 >= text_.size()) fail();
        std::from_chars(text_.data() + at_ + 1, text_.data() + at_ + 5, code, 16);
        out += code < 0x80 ? static_cast<char>(code) : '?';
        at_ += 4;
      } else {
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      }
    }
    if (at_++ >= text_.size()) fail();
    return out;
  }
  Json read(int depth) {
    constexpr int kDeepest = 64;
    const char c = next();
    if (depth > kDeepest) fail();
    if (c == '"') return read_text();
    if (c == '{' || c == '[') {
      Json out = c == '{' ? Json::object() : Json::array();
      const char end = c == '{' ? '}' : ']';
      ++at_;
      while (next() != end) {
        if (c == '{') {
          if (next() != '"') fail();
          const std::string key = read_text();
          if (next() != ':') fail();
          ++at_;
          out.set(key, read(depth + 1));
        } else {
          out.push_back(read(depth + 1));
        }
        if (next() == ',')
          ++at_;
        else if (next() != end)
          fail();
      }
      ++at_;
      return out;
    }
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return nullptr;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail();
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace

Json read_json(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return Reader(text, file.filename().string()).whole();
}

}  // namespace antaeus::cli
