#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/io/array_reader.hpp"
#include "io/byte_source.hpp"
#include "io/bytes.hpp"
#include "io/npy_layout.hpp"
#include "io/text.hpp"

// The zip format after PKWARE's APPNOTE 6.3: section 4.3.7 local header, 4.3.12 directory, 4.3.14 to 4.3.16 its ends,
// 4.5.3 numbers beyond 32 bits.

namespace antaeus {

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50, kLocatorSignature = 0x07064b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  ///< the true number is in the zip64 extra field
constexpr std::uint16_t kZip64Extra = 1;
constexpr unsigned kEncrypted = 1;
constexpr unsigned kSizesFollow = 8;
constexpr unsigned kUtf8Name = 0x800;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::string_view kSuffix = ".npy";
/// Deflate cannot do better than 258 bytes for two bits (zlib, "Maximum Compression Factor").
constexpr std::uint64_t kBestRatio = 1032;

/// A member as the directory describes it.
struct Member {
  std::string name;
  unsigned flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< of the local header
  std::uint64_t packed = 0;  ///< where the data begin
};

class ZipReader {
 public:
  ZipReader(ByteSource& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// The members in the order of the directory; every extent and name is checked, no data are read.
  std::vector<Member> members() {
    const auto [directory, end, count] = find_directory();
    std::vector<Member> members;
    std::uint64_t at = directory;
    for (std::uint64_t i = 0; i < count; ++i) at = read_entry(at, end, members.emplace_back());
    if (at != end) fail("the directory holds more than it declares", kCopyAgain);
    for (Member& member : members) locate(member, directory);
    refuse_overlaps(members);
    refuse_bombs(members);
    return members;
  }

 private:
  static constexpr const char* kCopyAgain = "copy it again, it is damaged";

  [[noreturn]] void fail(const std::string& problem, const char* remedy) const { throw Error(name_, problem, remedy); }
  [[noreturn]] void fail_member(const Member& member, const std::string& problem) const {
    throw Error(name_ + " [" + excerpt(member.name) + "]", problem, kCopyAgain);
  }

  template <class Number>
  Number field(std::uint64_t at) {
    const std::string_view bytes = bytes_.view(at, sizeof(Number));
    return load<Number>(bytes.data());  // NOLINT(bugprone-suspicious-stringview-data-usage): as many as it takes
  }

  struct Directory {
    std::uint64_t begin, end, count;
  };
  /// By the end of the file, and by the record in front of it where that has no room for a number.
  Directory find_directory() {
    const std::uint64_t end = find_end();
    const auto here = field<std::uint16_t>(end + 8), count = field<std::uint16_t>(end + 10);
    const auto size = field<std::uint32_t>(end + 12), begin = field<std::uint32_t>(end + 16);
    if (field<std::uint16_t>(end + 4) != 0 || field<std::uint16_t>(end + 6) != 0 || here != count) {
      fail("it is one part of a split archive", "join the parts");
    }
    const std::uint64_t locator = end - std::min<std::uint64_t>(end, kLocatorSize);
    if (locator < kEnd64Size || field<std::uint32_t>(locator) != kLocatorSignature) {
      if (std::uint64_t{begin} + size != end) fail("the directory is not where its end record states", kCopyAgain);
      return {begin, end, count};
    }
    const auto record = field<std::uint64_t>(locator + 8);
    if (record > locator - kEnd64Size || field<std::uint32_t>(record) != kEnd64Signature) {
      fail("the directory is not where its end record states", kCopyAgain);
    }
    const auto number = [&](std::uint64_t place) { return field<std::uint64_t>(record + place); };
    const Directory large{number(48), record, number(32)};
    const std::uint64_t large_size = number(40), here_too = number(24);
    const auto fits = [](std::uint64_t one, std::uint64_t other, std::uint64_t most) {
      return one == std::min(other, most) || one == most;
    };
    if (here_too != large.count || !fits(count, large.count, 0xFFFF) || !fits(size, large_size, kElsewhere) ||
        !fits(begin, large.begin, kElsewhere)) {
      fail("its two ends contradict each other", kCopyAgain);
    }
    if (large.begin > record || record - large.begin != large_size) {
      fail("the directory is not where its end record states", kCopyAgain);
    }
    return large;
  }

  std::uint64_t find_end() {
    constexpr std::size_t kLongestComment = 0xFFFF;
    if (bytes_.size() >= kEndSize) {
      const std::uint64_t last = bytes_.size() - kEndSize;
      const std::uint64_t first = last - std::min<std::uint64_t>(last, kLongestComment);
      const std::string tail(bytes_.view(first, static_cast<std::size_t>(bytes_.size() - first)));
      for (std::size_t at = tail.size() - kEndSize + 1; at-- > 0;) {
        if (load<std::uint32_t>(tail.data() + at) == kEndSignature &&
            at + kEndSize + load<std::uint16_t>(tail.data() + at + 20) == tail.size()) {
          return first + at;
        }
      }
    }
    fail("it is no .npz file, or its end is missing", "save it again with numpy.savez, or copy it again");
  }

  std::uint64_t read_entry(std::uint64_t at, std::uint64_t end, Member& member) {
    if (end - at < kEntrySize || field<std::uint32_t>(at) != kEntrySignature) {
      fail("the directory ends too early", kCopyAgain);
    }
    member.flags = field<std::uint16_t>(at + 8);
    member.method = field<std::uint16_t>(at + 10);
    member.crc = field<std::uint32_t>(at + 16);
    member.packed_size = field<std::uint32_t>(at + 20);
    member.size = field<std::uint32_t>(at + 24);
    member.offset = field<std::uint32_t>(at + 42);
    const std::size_t name_size = field<std::uint16_t>(at + 28), extra_size = field<std::uint16_t>(at + 30);
    const std::size_t rest = name_size + extra_size + field<std::uint16_t>(at + 32);
    if (end - at - kEntrySize < rest) fail("the directory ends too early", kCopyAgain);
    member.name = std::string(bytes_.view(at + kEntrySize, name_size));
    const std::string extra(bytes_.view(at + kEntrySize + name_size, extra_size));
    std::string_view large = large_numbers(extra);
    for (std::uint64_t* number : {&member.size, &member.packed_size, &member.offset}) {
      if (*number != kElsewhere) continue;
      if (large.size() < sizeof(std::uint64_t)) fail_member(member, "a number of more than 32 bits is missing");
      *number = load<std::uint64_t>(large.substr(0, sizeof(std::uint64_t)).data());
      large.remove_prefix(sizeof(std::uint64_t));
    }
    return at + kEntrySize + rest;
  }

  /// The zip64 extra field among \p extra: the numbers that are elsewhere, in their order; empty: there is none.
  static std::string_view large_numbers(std::string_view extra) {
    while (extra.size() >= 4) {
      const std::size_t length = load<std::uint16_t>(extra.data() + 2);
      if (length > extra.size() - 4) break;
      if (load<std::uint16_t>(extra.data()) == kZip64Extra) return extra.substr(4, length);
      extra.remove_prefix(4 + length);
    }
    return {};
  }

  /// Finds the data through the local header, which must agree with the directory.
  void locate(Member& member, std::uint64_t directory) {
    if (member.flags & kEncrypted) fail_member(member, "it is encrypted");
    if (member.method != kStored && member.method != kDeflated) {
      fail_member(member, "the compression method " + std::to_string(member.method) + " is not supported");
    }
    if (!member.name.ends_with(kSuffix)) fail_member(member, "it is no .npy member");
    const std::uint64_t at = member.offset;
    if (at > directory || directory - at < kLocalSize || field<std::uint32_t>(at) != kLocalSignature) {
      fail_member(member, "it is not where the directory states");
    }
    const std::size_t name_size = field<std::uint16_t>(at + 26);
    const std::size_t extra_size = field<std::uint16_t>(at + 28);
    const std::uint64_t room = directory - at - kLocalSize;
    if (room < name_size + extra_size || room - name_size - extra_size < member.packed_size) {
      fail_member(member, "its data reach into the directory");
    }
    if (bytes_.view(at + kLocalSize, name_size) != member.name || field<std::uint16_t>(at + 8) != member.method ||
        ((field<std::uint16_t>(at + 6) ^ member.flags) & (kEncrypted | kSizesFollow)) != 0) {
      fail_member(member, "its local header contradicts the directory");
    }
    if ((member.flags & kSizesFollow) == 0) {
      check_local_sizes(member, std::string(bytes_.view(at + kLocalSize + name_size, extra_size)));
    }
    member.packed = at + kLocalSize + name_size + extra_size;
    if (member.method == kStored && member.size != member.packed_size) {
      fail_member(member, "it is stored, but its two sizes differ");
    }
  }

  /// NumPy writes every local header with its sizes in the zip64 extra field.
  void check_local_sizes(const Member& member, const std::string& bytes) {
    std::uint64_t packed_size = field<std::uint32_t>(member.offset + 18);
    std::uint64_t size = field<std::uint32_t>(member.offset + 22);
    const std::string_view large = large_numbers(bytes);
    if (packed_size == kElsewhere && size == kElsewhere && large.size() >= 2 * sizeof(std::uint64_t)) {
      size = load<std::uint64_t>(large.data());
      packed_size = load<std::uint64_t>(large.data() + sizeof(std::uint64_t));
    }
    if (packed_size != member.packed_size || size != member.size ||
        field<std::uint32_t>(member.offset + 14) != member.crc) {
      fail_member(member, "its local header contradicts the directory");
    }
  }

  /// Members that share data are how a small file pretends to be a large one.
  void refuse_overlaps(const std::vector<Member>& members) const {
    std::vector<const Member*> sorted;
    for (const Member& member : members) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const Member* a, const Member* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Member& before = *sorted[i - 1];
      if (before.packed + before.packed_size > sorted[i]->offset) {
        fail_member(*sorted[i], "it overlaps '" + excerpt(before.name) + "'");
      }
    }
  }

  void refuse_bombs(const std::vector<Member>& members) const {
    for (const Member& member : members) {
      if (member.method != kDeflated) continue;
      if (member.size > kBestRatio * member.packed_size) fail_member(member, "it declares more than deflate can pack");
    }
  }

  ByteWindow bytes_;
  const std::string& name_;
};

/// The bytes of a member, one after the other; whole once their checksum was compared.
class MemberBytes : public ByteSource {
 public:
  MemberBytes(std::shared_ptr<ByteSource> source, Member member, std::string place)
      : source_(std::move(source)), member_(std::move(member)), place_(std::move(place)) {}
  MemberBytes(const MemberBytes&) = delete;
  MemberBytes& operator=(const MemberBytes&) = delete;
  ~MemberBytes() override {
    if (inflating_) inflateEnd(&stream_);
  }

  std::uint64_t size() const noexcept override { return member_.size; }

  void read(std::uint64_t at, char* out, std::size_t count) override {
    if (member_.method == kStored) {
      source_->read(member_.packed + at, out, count);
    } else {
      if (at < inflated_ || !inflating_) restart();
      while (inflated_ < at) {
        skipped_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kAtATime, at - inflated_)));
        inflate_next(skipped_.data(), skipped_.size());
      }
      inflate_next(out, count);
    }
    // Rows that were wanted out of turn are compared when they come in turn.
    if (is_checked_ || at > checked_ || at + count <= checked_) return;
    check(out + (checked_ - at), count - static_cast<std::size_t>(checked_ - at));
  }

 private:
  static constexpr std::size_t kAtATime = std::size_t{1} << 16;

  [[noreturn]] void fail(const char* problem) const { throw Error(place_, problem, "copy it again, it is damaged"); }

  void check(const char* bytes, std::size_t count) {
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes), count);
    checked_ += count;
    if (checked_ < member_.size) return;
    is_checked_ = true;
    if (crc_ != member_.crc) fail("the checksum does not fit the data");
    if (member_.method == kDeflated) check_end();
  }

  void restart() {
    if (inflating_) inflateEnd(&stream_);
    stream_ = {};
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream_, kRawDeflate) != Z_OK) fail("zlib cannot start");
    inflating_ = true;
    inflated_ = 0;
    taken_ = 0;
  }

  void refill() {
    if (stream_.avail_in > 0 || taken_ == member_.packed_size) return;
    packed_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kAtATime, member_.packed_size - taken_)));
    source_->read(member_.packed + taken_, packed_.data(), packed_.size());
    taken_ += packed_.size();
    stream_.next_in = reinterpret_cast<const Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(packed_.size());
  }

  void inflate_next(char* out, std::size_t count) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    while (count > 0) {
      const std::size_t wanted = std::min(count, kMost);
      stream_.next_out = reinterpret_cast<Bytef*>(out);
      stream_.avail_out = static_cast<uInt>(wanted);
      while (stream_.avail_out > 0) {
        refill();
        const uInt before = stream_.avail_out;
        const int outcome = inflate(&stream_, Z_NO_FLUSH);
        if (outcome == Z_STREAM_END && stream_.avail_out > 0) fail(kOtherSize);
        if (outcome != Z_OK && outcome != Z_STREAM_END) fail(kOtherSize);
        if (stream_.avail_out == before && stream_.avail_in == 0 && taken_ == member_.packed_size) fail(kOtherSize);
      }
      out += wanted;
      count -= wanted;
      inflated_ += wanted;
    }
  }

  /// A stream that holds more than was declared.
  void check_end() {
    char more = 0;
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    int outcome = Z_OK;
    do {
      refill();
      outcome = inflate(&stream_, Z_NO_FLUSH);
    } while (outcome == Z_OK && stream_.avail_out == 1 && (stream_.avail_in > 0 || taken_ < member_.packed_size));
    const bool is_whole =
        outcome == Z_STREAM_END && stream_.avail_out == 1 && stream_.avail_in == 0 && taken_ == member_.packed_size;
    inflateEnd(&stream_);
    inflating_ = false;
    if (!is_whole) fail(kOtherSize);
  }

  static constexpr const char* kOtherSize = "the compressed data are damaged or of another size than declared";

  std::shared_ptr<ByteSource> source_;
  Member member_;
  std::string place_;
  std::uint64_t checked_ = 0;  ///< bytes whose checksum is in crc_
  uLong crc_ = crc32_z(0, nullptr, 0);
  bool is_checked_ = false;
  z_stream stream_{};
  bool inflating_ = false;
  std::uint64_t inflated_ = 0, taken_ = 0;
  std::string packed_, skipped_;
};

/// Local header and directory entry share these fields, from "version needed" to "extra field length".
std::string common_fields(const std::string& member, const std::string& data) {
  constexpr std::uint16_t kVersionNeeded = 20;
  constexpr std::uint16_t kMidnight = 0;
  constexpr std::uint16_t kFirstDay = 0x0021;  // 1980-01-01: what is written does not depend on the clock
  const bool is_ascii =
      std::all_of(member.begin(), member.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string out;
  append(out, kVersionNeeded);
  append(out, static_cast<std::uint16_t>(is_ascii ? 0 : kUtf8Name));
  append(out, kStored);
  append(out, kMidnight);
  append(out, kFirstDay);
  append(out, static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size())));
  append(out, static_cast<std::uint32_t>(data.size()));
  append(out, static_cast<std::uint32_t>(data.size()));
  append(out, static_cast<std::uint16_t>(member.size()));
  append(out, std::uint16_t{0});
  return out;
}

/// All members, less those that are no numbers.
std::map<std::string, NumpyArray> read_members(const NpzReader& reader, std::vector<std::string>* left_out) {
  std::map<std::string, NumpyArray> arrays;
  for (const std::string& name : reader.names()) {
    try {
      arrays.emplace(name, reader.array(name).all());
    } catch (const Error& error) {
      if (!left_out) throw;
      left_out->emplace_back(error.what());
    }
  }
  return arrays;
}

std::string key_of(const Member& member) { return member.name.substr(0, member.name.size() - kSuffix.size()); }

}  // namespace

struct NpzReader::Impl {
  Impl(std::shared_ptr<ByteSource> bytes, std::string name) : source(std::move(bytes)), file(std::move(name)) {
    members = ZipReader(*source, file).members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      names.push_back(key_of(members[i]));
      if (!places.emplace(names.back(), i).second) {
        throw Error(place(names.back()), "the member appears twice", "save it again with numpy.savez");
      }
    }
  }
  std::string place(std::string_view name) const { return file + " [" + excerpt(name) + "]"; }

  std::shared_ptr<ByteSource> source;
  std::string file;
  std::vector<Member> members;
  std::vector<std::string> names;
  std::map<std::string, std::size_t, std::less<>> places;
  std::uint64_t inflated = 0;  ///< bytes of numbers that compressed members were asked for
};

NpzReader::NpzReader(const std::filesystem::path& file)
    : NpzReader(std::make_shared<Impl>(open_bytes(file), file.string())) {}
NpzReader::NpzReader(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

const std::vector<std::string>& NpzReader::names() const noexcept { return impl_->names; }
bool NpzReader::contains(std::string_view name) const noexcept { return impl_->places.contains(name); }

ArrayReader NpzReader::array(std::string_view name) const {
  const auto found = impl_->places.find(name);
  if (found == impl_->places.end()) throw Error(impl_->place(name), "no such member", "name one that is there");
  const Member& member = impl_->members[found->second];
  const std::string place = impl_->place(name);
  ArrayReader array(array_of(std::make_shared<MemberBytes>(impl_->source, member, impl_->place(member.name)), place));
  if (member.method != kDeflated) return array;
  constexpr std::uint64_t kAnyhow = std::uint64_t{64} << 20, kMostTimes = 64;
  impl_->inflated += std::uint64_t{array.rows()} * array.columns() * sizeof(double);
  if (impl_->inflated > std::max(kAnyhow, kMostTimes * impl_->source->size())) {
    throw Error(place,
                std::to_string(impl_->inflated >> 20) + " MiB of numbers in a file of " +
                    std::to_string(impl_->source->size()) + " bytes, more than 64 to one",
                "save it without compression");
  }
  return array;
}

std::map<std::string, NumpyArray> parse_npz(std::string_view bytes, const std::string& name,
                                            std::vector<std::string>* left_out) {
  return read_members(NpzReader(std::make_shared<NpzReader::Impl>(std::make_shared<BytesInMemory>(bytes), name)),
                      left_out);
}

std::map<std::string, NumpyArray> read_npz(const std::filesystem::path& file, std::vector<std::string>* left_out) {
  return read_members(NpzReader(file), left_out);
}

std::string to_npz(const std::map<std::string, NumpyArray>& arrays) {
  constexpr std::size_t kMostMembers = 0xFFFE;
  constexpr std::size_t kLongestName = 0xFFFF;
  constexpr std::size_t kMostBytes = kElsewhere - 1;
  constexpr const char* kRemedy = "write several files";
  if (arrays.size() > kMostMembers) throw Error("npz", "it would have more than 65 534 members", kRemedy);
  std::string bytes;
  std::string directory;
  for (const auto& [key, array] : arrays) {
    const std::string member = key + std::string(kSuffix);
    const std::string data = to_npy(array.shape, array.values);
    if (member.size() > kLongestName || bytes.size() + data.size() + member.size() + kLocalSize > kMostBytes) {
      throw Error("npz [" + excerpt(key) + "]", "the name, or the file with this member, is too long for the format",
                  kRemedy);
    }
    const std::string common = common_fields(member, data);
    append(directory, kEntrySignature);
    append(directory, std::uint16_t{20});  // made by: MS-DOS, format 2.0
    directory += common;
    directory.append(10, '\0');  // no comment, disk 0, no attributes
    append(directory, static_cast<std::uint32_t>(bytes.size()));
    directory += member;
    append(bytes, kLocalSignature);
    bytes += common;
    bytes += member;
    bytes += data;
  }
  const std::size_t start = bytes.size();
  if (directory.size() > kMostBytes - start) throw Error("npz", "the file would be longer than 4 GiB", kRemedy);
  bytes += directory;
  append(bytes, kEndSignature);
  append(bytes, std::uint32_t{0});  // disk 0, directory on disk 0
  append(bytes, static_cast<std::uint16_t>(arrays.size()));
  append(bytes, static_cast<std::uint16_t>(arrays.size()));
  append(bytes, static_cast<std::uint32_t>(directory.size()));
  append(bytes, static_cast<std::uint32_t>(start));
  append(bytes, std::uint16_t{0});
  return bytes;
}

}  // namespace antaeus
