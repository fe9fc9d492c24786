/// \file
/// Arbitrary bytes as messages of a running robot, in every format, behind a good one and by themselves.

#include <cstring>

#include "antaeus/live/live_estimator.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

const antaeus::Robot& robot() {
  static const antaeus::Robot one = antaeus::load_robot("planar_3r");
  return one;
}

std::string low_state(std::size_t size) {
  std::string message(size, '\0');
  message[1] = '\1';
  return message;
}

std::string joint_state() {
  std::string message("\0\1\0\0", 4);
  const auto put = [&](auto value) {
    while ((message.size() - 4) % sizeof(value) != 0) message += '\0';
    message.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto word = [&](const std::string& text) {
    put(static_cast<std::uint32_t>(text.size() + 1));
    message += text + '\0';
  };
  put(std::uint32_t{5});
  put(std::uint32_t{6});
  word("base");
  put(std::uint32_t{3});
  for (const std::string& motor : robot().model.motor_names()) word(motor);
  for (int channel = 0; channel < 3; ++channel) {
    put(std::uint32_t{3});
    for (int i = 0; i < 3; ++i) put(0.5 * i);
  }
  return message;
}

/// Good ones, by format: what comes first, and a sample.
std::vector<std::string> good(antaeus::MessageFormat format) {
  using antaeus::MessageFormat;
  const double numbers[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  switch (format) {
    case MessageFormat::json: return {R"({"time":1,"q":[1,2,3],"tau":[1,2,3],"imu_quat":[0,0,0,1]})"};
    case MessageFormat::csv: return {"time,tau_0,tau_1,tau_2,q_0,q_1,q_2\n", "1,2,3,4,5,6,7\n"};
    case MessageFormat::arrays:
      return {R"({"channels":[["time",1],["qpos",3],["tau",3]]})",
              std::string(reinterpret_cast<const char*>(numbers), sizeof(numbers))};
    case MessageFormat::low_state_hg: return {low_state(2092)};
    case MessageFormat::low_state_go: return {low_state(1180)};
    case MessageFormat::ros2: return {joint_state()};
  }
  return {};
}

}  // namespace

/// The first byte says which format, and whether a good message comes before.
std::vector<std::string> antaeus::fuzz::seeds() {
  std::vector<std::string> seeds;
  for (int format = 0; format < 6; ++format) {
    for (const std::string& message : good(static_cast<MessageFormat>(format))) {
      for (const int behind : {0, 1}) seeds.push_back(static_cast<char>(format + 8 * behind) + message);
    }
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antaeus;
  if (size == 0) return 0;
  const auto format = static_cast<MessageFormat>((data[0] & 7) % 6);
  MessageDecoder decoder(robot(), format);
  VectorX row(decoder.layout().size());
  if ((data[0] & 8) != 0) {
    for (const std::string& message : good(format)) decoder.decode(std::as_bytes(std::span(message)), 0, row);
  }
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  for (const int part : {0, 1}) {
    const Decoded decoded = decoder.decode(bytes, part, row);
    if (decoded == Decoded::sample) fuzz::accept();
    fuzz::require(decoded != Decoded::unusable || !decoder.problem().empty());
    fuzz::require(decoder.problem().find('\n') == std::string::npos);
    fuzz::require(row.size() == decoder.layout().size());
  }
  return 0;
}
