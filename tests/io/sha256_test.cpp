#include <gtest/gtest.h>

#include <random>
#include <set>

#include "antaeus/io/files.hpp"
#include "io/sha256_portable.hpp"

namespace antaeus {
namespace {

/// By the processor's instructions, where it has them, and by the portable code: the same.
std::string digest(const std::string& bytes) {
  const std::string fastest = sha256(bytes);
  EXPECT_EQ(detail::sha256_portable(bytes), fastest) << bytes.size() << " bytes";
  return fastest;
}

// The examples that NIST publishes with FIPS 180-4, and the digest of a million letters a.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopq"
             "rstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Around the border where the length no longer fits the last block; digests from Python's hashlib (OpenSSL).
TEST(Sha256, LengthsAroundABlock) {
  EXPECT_EQ(digest(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(digest(std::string(56, 'x')), "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(digest(std::string(63, 'x')), "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(digest(std::string(64, 'x')), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  EXPECT_EQ(digest(std::string(65, 'x')), "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
  EXPECT_EQ(digest(std::string(119, 'x')), "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  EXPECT_EQ(digest(std::string(120, 'x')), "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
}

TEST(Sha256, BothCodesSayTheSame) {
  std::mt19937 random(512);
  std::string bytes;
  std::set<std::string> digests;
  for (int length = 0; length < 700; ++length) {
    digests.insert(digest(bytes));
    bytes += static_cast<char>(random());
  }
  EXPECT_EQ(digests.size(), 700U);
  const std::string aligned(1 << 20, 'q');
  for (std::size_t offset = 0; offset < 17; ++offset) digest(aligned.substr(offset));
}

}  // namespace
}  // namespace antaeus
