/// \file
/// Arbitrary bytes as a JSON file; what was read once is written the same twice.

#include <string_view>

#include "antaeus/core/error.hpp"
#include "antaeus/io/json.hpp"
#include "fuzz/fuzz_target.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  return {R"({"a": [1, -2.5e-3, null, true], "b": {"c": "\u00e9\ud83d\ude00\n"}, "d": ""})",
          "[[[[[[[[1]]]]]]]]",
          "\xEF\xBB\xBF[18446744073709551615, -9223372036854775808, -0.0, 1e308]",
          R"({"a":1,"a":2})",
          "[1e999]",
          "\"\xC3\x28\xED\xA0\x80\"",
          std::string(600, '['),
          "nul"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  antaeus::Json value;
  try {
    value = antaeus::parse_json(bytes, "fuzz.json");
  } catch (const antaeus::Error&) {
    // The text may be anything; as a JSON string it must still be written and read.
    const std::string text = antaeus::Json(bytes).dump();
    antaeus::fuzz::require(antaeus::Json(antaeus::parse_json(text, "text").text()).dump() == text);
    return 0;
  }
  // Outside the handler above: an Error here would mean that we cannot read what we write.
  const std::string once = value.dump(-1);
  antaeus::fuzz::require(antaeus::parse_json(once, "again").dump(-1) == once);
  antaeus::fuzz::require(antaeus::parse_json(value.dump(2), "indented").dump(-1) == once);
  return 0;
}
