#include "antaeus/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antaeus/core/numbers.hpp"
#include "io_support.hpp"
#include "support/parse_json.hpp"

namespace antaeus {

using test::parse_json;

TEST(Json, MembersKeepTheirOrderAndReplaceInPlace) {
  Json value = Json::object();
  value.set("z", 1).set("a", Json::array().push_back("x").push_back(nullptr)).set("m", true).set("z", 2);
  EXPECT_EQ(value.dump(-1), R"({"z":2,"a":["x",null],"m":true})");
  EXPECT_EQ(value.dump(), "{\n  \"z\": 2,\n  \"a\": [\n    \"x\",\n    null\n  ],\n  \"m\": true\n}");
  EXPECT_EQ(Json().push_back(1).dump(-1), "[1]");
  EXPECT_EQ(Json().set("k", Json::object()).dump(2), "{\n  \"k\": {}\n}");
}

TEST(Json, NumbersAreShortAndExact) {
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(kNaN).dump(), "null");
  EXPECT_EQ(Json(-kInfinity).dump(), "null");
  EXPECT_TRUE(std::signbit(parse_json(Json(-0.0).dump()).number()));
  for (const double value : {5e-324, 1.7976931348623157e308, 1.0 / 3.0, 1e21, 123456789012345680.0}) {
    EXPECT_EQ(parse_json(Json(value).dump()).number(), value);
  }
}

TEST(Json, TextIsEscapedAndRepaired) {
  EXPECT_EQ(Json("\"\\\n\x01/é").dump(), "\"\\\"\\\\\\n\\u0001/é\"");
  EXPECT_EQ(Json(std::string("a\xFF"
                             "b\xED\xA0\x80"))
                .dump(),
            "\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(Json::object().set("\xC0\x80", 1).dump(-1), "{\"\uFFFD\uFFFD\":1}");
  // Whatever the bytes are, a reader takes what is written of them.
  for (const char* text : {"\xC3\x28\xED\xA0\x80", "\x7F\xC2\x85\xE2\x80\xAE", "nul"}) {
    const std::string written = Json(text).dump();
    EXPECT_EQ(Json(parse_json(written).text()).dump(), written);
  }
}

/// Runs of plain letters are taken whole: what ends them is found wherever it stands.
TEST(Json, EveryByteIsFoundWithinARun) {
  for (int byte = 1; byte < 256; ++byte) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{63}}) {
      std::string text(64, 'A');
      text[at] = static_cast<char>(byte);
      const std::string written = Json(text).dump(-1);
      const bool alone = byte >= 0x80;
      std::string expected = text;
      if (alone) expected.replace(at, 1, "\uFFFD");
      EXPECT_EQ(parse_json(written).text(), expected) << byte << " at " << at;
      for (const char c : written) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != '\x7F') << byte;
    }
  }
}

TEST(Json, AccessorsOfAnotherKindThrow) {
  const Json value = parse_json(R"({"n": 1.5, "i": 3, "w": 2.0, "t": "x", "b": false, "a": [1]})");
  EXPECT_EQ(value["n"].number(), 1.5);
  EXPECT_EQ(value["i"].integer(), 3);
  EXPECT_EQ(value["w"].integer(), 2);
  EXPECT_FALSE(value["b"].boolean());
  EXPECT_EQ(value["a"][0].number(), 1.0);
  EXPECT_TRUE(value["a"][1].is_null() && value["absent"]["deeper"].is_null() && value[0].is_null());
  EXPECT_EQ(value.size(), 6U);
  EXPECT_ERROR(value["n"].integer(), "no integer");
  EXPECT_ERROR(value["t"].number(), "no number");
  EXPECT_ERROR(value["n"].text(), "no text");
  EXPECT_ERROR(value["i"].boolean(), "no boolean");
  EXPECT_ERROR(value.items(), "no array");
  EXPECT_ERROR(value["a"].members(), "no object");
  EXPECT_ERROR(Json(1).push_back(2), "no array");
  EXPECT_ERROR(Json("x").set("k", 1), "no object");
  EXPECT_ERROR(Json(1e300).integer(), "no integer");
}

}  // namespace antaeus
