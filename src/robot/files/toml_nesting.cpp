#include "robot/files/toml_nesting.hpp"

#include <algorithm>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

constexpr int kDeepest = 64;

/// Reads the text as TOML does as far as nesting goes: strings, comments, dots, brackets. Where the text is no TOML the
/// two may part; the parser stops there.
class NestingScan {
 public:
  NestingScan(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        is_begun_ = true;
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      read(c);
      ++at_;
    }
  }

 private:
  void read(char c) {
    switch (c) {
      case '\n': return end_line();
      case '.': ++name_; return check();
      case '=':
        key_ = name_ + 1;
        name_ = 0;
        return check();
      case ',': key_ = name_ = 0; return;
      case '[':
      case '{': return open();
      case ']':
      case '}': return close();
      default: is_begun_ = is_begun_ || (c != ' ' && c != '\t' && c != '\r');
    }
  }

  /// A list or an inline table; at the beginning of a line a header.
  void open() {
    if (!is_begun_ && outer_.empty()) {
      is_header_ = true;
      header_ = 0;
    }
    is_begun_ = true;
    outer_.push_back(key_);
    outside_ += key_ + 1;
    key_ = name_ = 0;
    check();
  }

  void close() {
    if (outer_.empty()) return;
    if (is_header_) header_ = std::max(header_, name_ + 1);
    key_ = outer_.back();
    outside_ -= key_ + 1;
    outer_.pop_back();
    name_ = is_header_ ? name_ : 0;
  }

  void end_line() {
    ++line_;
    if (!outer_.empty() && !is_header_) return;  // lists go on over lines
    outer_.clear();
    outside_ = key_ = name_ = 0;
    is_begun_ = is_header_ = false;
  }

  void check() const {
    if (header_ + outside_ + key_ + name_ <= kDeepest) return;
    throw ModelError(file_ + ":" + std::to_string(line_),
                     "nested more than " + std::to_string(kDeepest) + " levels deep",
                     "a profile needs three; shorten the dotted name or the list");
  }

  /// A multi-line string may hold one or two of its quotes right before the three that end it.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!is_long) return;
        ++line_;
      }
      if (c == '\\' && quote == '"') {
        line_ += at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
        at_ += 2;
        continue;
      }
      if (c == quote && (!is_long || text_.substr(at_, 3) == three)) {
        at_ += is_long ? 3 : 1;
        for (int extra = 0; is_long && extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
      ++at_;
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
  int header_ = 0;          ///< levels of the table that the lines belong to
  int outside_ = 0;         ///< levels of the lists and inline tables that are open
  int key_ = 0, name_ = 0;  ///< levels of the name before '=', and dots of the name that is being read
  bool is_begun_ = false, is_header_ = false;
  std::vector<int> outer_;
};

}  // namespace

void check_toml_nesting(std::string_view text, const std::string& file) { NestingScan(text, file).run(); }

}  // namespace antaeus
