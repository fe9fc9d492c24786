#include "antaeus/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antaeus/core/numbers.hpp"
#include "io_support.hpp"

namespace antaeus {

namespace {

Json json_of(std::string_view text) { return parse_json(text, "t.json"); }

}  // namespace

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
  EXPECT_TRUE(std::signbit(json_of(Json(-0.0).dump()).number()));
  for (const double value : {5e-324, 1.7976931348623157e308, 1.0 / 3.0, 1e21, 123456789012345680.0}) {
    EXPECT_EQ(json_of(Json(value).dump()).number(), value);
  }
  EXPECT_EQ(json_of("9007199254740993").integer(), 9007199254740993);
  EXPECT_EQ(json_of("18446744073709551615").number(), 18446744073709551615.0);
}

TEST(Json, TextIsEscapedAndRepaired) {
  EXPECT_EQ(Json("\"\\\n\x01/é").dump(), "\"\\\"\\\\\\n\\u0001/é\"");
  EXPECT_EQ(Json(std::string("a\xFF"
                             "b\xED\xA0\x80"))
                .dump(),
            "\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"");
  EXPECT_EQ(Json::object().set("\xC0\x80", 1).dump(-1), "{\"\uFFFD\uFFFD\":1}");
  EXPECT_EQ(json_of(R"("\u00e9\ud83d\ude00")").text(), "é😀");
}

TEST(Json, AccessorsOfAnotherKindThrow) {
  const Json value = json_of(R"({"n": 1.5, "i": 3, "w": 2.0, "t": "x", "b": false, "a": [1]})");
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

TEST(Json, ErrorsNameThePlace) {
  EXPECT_ERROR(json_of("{\n  \"a\": nul\n}"), "t.json:2:11: ");
  EXPECT_ERROR(json_of(""), "t.json:1:");
  EXPECT_ERROR(json_of("[1] 2"), "t.json:1:5: ");
  EXPECT_ERROR(json_of("[1,]"), "t.json:1:4: ");
  EXPECT_ERROR(json_of("[NaN]"), "t.json:1:2: ");
  EXPECT_ERROR(json_of("[1e999]"), "number overflow");
  EXPECT_ERROR(json_of("\"\xC3\x28\""), "UTF-8");
  EXPECT_ERROR(json_of(R"({"a":1,"b":{"a":2},"a":3})"), "the key 'a' appears twice");
  EXPECT_ERROR(json_of("// comment\n1"), "t.json:1:");
}

TEST(Json, HostileNestingIsRefused) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(json_of(nested(256)));
  EXPECT_ERROR(json_of(nested(257)), "t.json:1:257: nested deeper than 256 levels");
  EXPECT_ERROR(json_of(std::string(10000000, '[')), "nested deeper");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_ERROR(json_of(objects), "nested deeper");
}

}  // namespace antaeus
