/// \file
/// Runs a fuzz target without clang: deterministic mutations of its seeds.
///     fuzz_npy [runs = 20000] [seed = 1] [corpus folder or file]...
/// A crash writes the input that caused it to fuzz_crash.bin in the working folder.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/fuzz_target.hpp"

namespace {

constexpr std::size_t kLongestInput = 1 << 16;

/// The input that is running, for whoever has to look at a crash.
const std::string* running = nullptr;

void keep_input() {
  if (!running) return;
  if (std::FILE* const file = std::fopen("fuzz_crash.bin", "wb")) {
    std::fwrite(running->data(), 1, running->size(), file);
    std::fclose(file);
  }
  running = nullptr;
}

void on_abort(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  std::string next() {
    std::string input = pick();
    const std::size_t steps = below(8);
    for (std::size_t i = 0; i < steps; ++i) mutate(input);
    if (input.size() > kLongestInput) input.resize(kLongestInput);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random_() % bound); }
  const std::string& pick() { return seeds_[below(seeds_.size())]; }
  char any_byte() {
    constexpr std::array<char, 16> kTelling = {'\0', '\x01', '\x7f', '\x80', '\xff', '"', ',',  '\n',
                                               '\'', '(',    '-',    '0',    '9',    'e', '\r', '['};
    return below(2) == 0 ? kTelling[below(kTelling.size())] : static_cast<char>(below(256));
  }

  void mutate(std::string& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = 1 + below(std::min<std::size_t>(input.size() - at + 1, 64));
    switch (below(9)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = any_byte();
        break;
      case 2: input.insert(at, 1, any_byte()); break;
      case 3: input.erase(at, length); break;
      case 4: input.insert(at, input.substr(at, length)); break;
      case 5: input.resize(at); break;
      case 6: {  // a length field at its borders
        constexpr std::array<std::uint64_t, 8> kBorders = {
            0, 1, 0x7f, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, ~0ULL};
        const std::uint64_t value = kBorders[below(kBorders.size())];
        const std::size_t width = std::size_t{1} << below(4);
        for (std::size_t i = 0; i < width && at + i < input.size(); ++i)
          input[at + i] = static_cast<char>(value >> (8 * i));
        break;
      }
      case 7: {  // a piece of another seed
        const std::string& other = pick();
        const std::size_t from = below(other.size() + 1);
        input.insert(at, other.substr(from, 1 + below(64)));
        break;
      }
      default: input.insert(at, std::to_string(random_() >> below(64))); break;
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

std::string read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run(const std::string& input) {
  running = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  running = nullptr;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

int main(int argc, char** argv) {
  const unsigned long long runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20000;
  const unsigned long long seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<std::string> seeds = antaeus::fuzz::seeds();
  for (int i = 3; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      seeds.push_back(read_all(argv[i]));
      continue;
    }
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(argv[i]), {});
    std::sort(files.begin(), files.end());  // the order of a folder is not the same everywhere
    for (const auto& file : files) seeds.push_back(read_all(file));
  }
  std::signal(SIGABRT, on_abort);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(keep_input);
#endif
  for (const std::string& input : seeds) run(input);
  if (antaeus::fuzz::accepted == 0) {
    std::printf("no seed is read: nothing but refusals would be tried\n");
    return 1;
  }
  Mutator mutator(seeds, seed);
  for (unsigned long long i = 0; i < runs; ++i) run(mutator.next());
  std::printf("%llu runs from %zu seeds, random seed %llu: no crash, %llu read\n", runs, seeds.size(), seed,
              antaeus::fuzz::accepted);
  return 0;
}
