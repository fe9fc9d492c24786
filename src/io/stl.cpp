#include "antaeus/io/stl.hpp"

#include <cmath>
#include <cstdint>

#include "antaeus/core/error.hpp"
#include "io/bytes.hpp"
#include "io/mesh_limits.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50, kNormal = 12;  // bytes

[[noreturn]] void too_many(const std::string& place) {
  throw Error(place, "more than 5 million triangles", "simplify the mesh");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view token, std::string_view word) {
  if (token.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(token[i]) != word[i]) return false;
  }
  return true;
}

TriangleMesh parse_binary(std::string_view bytes, std::size_t count, const std::string& name) {
  TriangleMesh mesh;
  mesh.vertices.reserve(9 * count);
  for (std::size_t triangle = 0; triangle < count; ++triangle) {
    const char* at = bytes.data() + kHeader + kRecord * triangle + kNormal;
    for (std::size_t i = 0; i < 9; ++i) {
      const float value = load<float>(at + sizeof(float) * i);
      if (!std::isfinite(value)) {
        throw Error(name + ": triangle " + std::to_string(triangle), "a corner is not finite", kExportAgain);
      }
      mesh.vertices.push_back(value);
    }
  }
  return mesh;
}

class AsciiReader {
 public:
  AsciiReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  TriangleMesh read() {
    for (std::string_view word = token(); !word.empty(); word = token()) {
      if (same_word(word, "solid") || same_word(word, "endsolid")) {
        skip_line();  // its name
      } else if (same_word(word, "facet")) {
        facet();
      } else {
        fail("'" + excerpt(word) + "' where 'facet' is due");
      }
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(name_ + ":" + std::to_string(line_), problem, kExportAgain);
  }

  std::string_view token() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      if (text_[at_++] == '\n') ++line_;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void expect(std::string_view word) {
    const std::string_view found = token();
    if (found.empty()) fail("the file ends where '" + std::string(word) + "' is due");
    if (!same_word(found, word)) fail("'" + excerpt(found) + "' where '" + std::string(word) + "' is due");
  }

  void facet() {
    if (mesh_.triangles() == kMostTriangles) too_many(name_ + ":" + std::to_string(line_));
    expect("normal");
    for (int i = 0; i < 3; ++i) token();  // a flat triangle's may be "nan"
    expect("outer");
    expect("loop");
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      for (int i = 0; i < 3; ++i) mesh_.vertices.push_back(coordinate());
    }
    expect("endloop");
    expect("endfacet");
  }

  float coordinate() {
    const std::string_view word = token();
    const auto value = parse_number(word);
    if (!value) fail("'" + excerpt(word) + "' is no coordinate");
    const auto narrow = static_cast<float>(*value);
    if (!std::isfinite(narrow)) fail("a corner is not finite: '" + excerpt(word) + "'");
    return narrow;
  }

  std::string_view text_;
  std::string name_;
  TriangleMesh mesh_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  const std::uint64_t count = bytes.size() < kHeader ? 0 : load<std::uint32_t>(bytes.data() + kHeader - 4);
  const bool binary = bytes.size() >= kHeader && bytes.size() == kHeader + kRecord * count;
  TriangleMesh mesh;
  if (binary) {
    if (count > kMostTriangles) too_many(name);
    mesh = parse_binary(bytes, static_cast<std::size_t>(count), name);
  } else {
    std::size_t begin = 0;
    while (begin < bytes.size() && is_space(bytes[begin])) ++begin;
    const bool ascii =
        same_word(bytes.substr(begin, 5), "solid") && bytes.find('\0') == std::string_view::npos;  // a header may too
    if (!ascii && bytes.size() < kHeader) {
      throw Error(name, "no STL file: " + std::to_string(bytes.size()) + " bytes, fewer than a header has",
                  kExportAgain);
    }
    if (!ascii) {
      throw Error(name,
                  "neither ASCII STL nor binary: its header states " + std::to_string(count) +
                      " triangles, which take " + std::to_string(kHeader + kRecord * count) + " bytes, and it has " +
                      std::to_string(bytes.size()),
                  kExportAgain);
    }
    mesh = AsciiReader(bytes, name).read();
  }
  if (mesh.vertices.empty()) throw Error(name, "holds no triangle", kExportAgain);
  return mesh;
}

}  // namespace antaeus
