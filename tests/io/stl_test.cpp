#include "antaeus/io/stl.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "io_support.hpp"

namespace antaeus {

namespace {

using Corners = std::vector<float>;

template <class Number>
void put(std::string& bytes, Number value) {
  char raw[sizeof(Number)];
  std::memcpy(raw, &value, sizeof value);  // the machines that run this are little-endian, as the format is
  bytes.append(raw, sizeof raw);
}

/// A binary STL file with this header, whose count may lie.
std::string binary(const Corners& corners, std::string header = "made by hand", std::int64_t count = -1) {
  header.resize(80);
  put(header, static_cast<std::uint32_t>(count < 0 ? static_cast<std::int64_t>(corners.size() / 9) : count));
  for (std::size_t at = 0; at < corners.size(); at += 9) {
    for (int i = 0; i < 3; ++i) put(header, std::numeric_limits<float>::quiet_NaN());  // a flat triangle's normal
    for (std::size_t i = 0; i < 9; ++i) put(header, corners[at + i]);
    put(header, std::uint16_t{0xFFFF});
  }
  return header;
}

TriangleMesh stl_of(const std::string& bytes) { return parse_stl(bytes, "link.stl"); }

const Corners kTwo = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5f, -2, 3e-3f, 1, 1, 1, 2, 2, 2.5f};

constexpr const char* kAscii =
    "solid two words\n"
    " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n"
    "endsolid two words\r\nSOLID\r\n"
    "FACET NORMAL nan nan nan OUTER LOOP\r\n VERTEX 0.5 -2 3e-3 vertex +1 1.0 1E0 vertex 2 2 2.5 ENDLOOP ENDFACET\r\n"
    "ENDSOLID\r\n";

}  // namespace

TEST(Stl, BinaryCornersAreTheFilesNumbers) {
  const TriangleMesh mesh = stl_of(binary(kTwo));
  EXPECT_EQ(mesh.vertices, kTwo);
  EXPECT_EQ(mesh.triangles(), 2u);
}

TEST(Stl, BinaryFileMayBeginWithSolid) {
  EXPECT_EQ(stl_of(binary(kTwo, "solid from a well-known exporter")).vertices, kTwo);
  // Even where nothing but the length tells: a header without a zero byte.
  EXPECT_EQ(stl_of(binary(kTwo, "solid" + std::string(75, 'x'))).vertices, kTwo);
}

TEST(Stl, AsciiWithSeveralSolidsAndAnyCase) { EXPECT_EQ(stl_of(kAscii).vertices, kTwo); }

TEST(Stl, TruncatedBinaryIsRefusedAtEveryLength) {
  for (const char* const header : {"made by hand", "solid"}) {
    const std::string whole = binary(kTwo, header);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (size == 84 + 50) continue;  // below
      EXPECT_THROW(stl_of(whole.substr(0, size)), Error) << size;
    }
    EXPECT_ERROR(stl_of(whole.substr(0, 84 + 50)),
                 "its header states 2 triangles, which take 184 bytes, and it has 134");
    EXPECT_ERROR(stl_of(whole + "x"), "and it has 185");
  }
}

TEST(Stl, HostileCountAllocatesNothing) {
  EXPECT_ERROR(stl_of(binary(kTwo, "h", 0xFFFFFFFF)), "4294967295 triangles, which take 214748364834 bytes");
  EXPECT_ERROR(stl_of(binary(kTwo, "h", 1)), "and it has 184");
}

TEST(Stl, MoreThanFiveMillionTrianglesAreRefused) {
  std::string large = binary({}, "h", 5'000'001);
  large.resize(84 + 50 * std::size_t{5'000'001});
  EXPECT_ERROR(stl_of(large), "link.stl: more than 5 million triangles; simplify the mesh");
}

TEST(Stl, CornersThatAreNotFiniteAreRefused) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    Corners corners = kTwo;
    corners[13] = bad;
    EXPECT_ERROR(stl_of(binary(corners)), "link.stl: triangle 1: a corner is not finite; export the mesh again");
  }
  for (const std::string bad : {"nan", "inf", "-inf", "1e39", "one", ""}) {
    std::string text = kAscii;
    text.replace(text.find("0.5"), 3, bad);
    EXPECT_THROW(stl_of(text), Error) << bad;
  }
}

TEST(Stl, BrokenAsciiIsNamedByItsLine) {
  const std::string text = kAscii;
  EXPECT_ERROR(stl_of(text.substr(0, text.find(" endfacet"))), "link.stl:8: the file ends where 'endfacet' is due");
  std::string spoiled = text;
  spoiled.replace(spoiled.find("vertex 1 0 0"), 6, "vortex");
  EXPECT_ERROR(stl_of(spoiled), "link.stl:5: 'vortex' where 'vertex' is due");
}

TEST(Stl, FilesWithoutTrianglesAreRefused) {
  EXPECT_ERROR(stl_of(""), "link.stl: no STL file: 0 bytes");
  EXPECT_ERROR(stl_of(binary({})), "link.stl: holds no triangle");
  EXPECT_ERROR(stl_of("solid nothing\nendsolid nothing\n"), "link.stl: holds no triangle");
  EXPECT_ERROR(stl_of("<COLLADA/>"), "no STL file");
}

}  // namespace antaeus
