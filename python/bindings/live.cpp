// Beside a running robot: the estimator on a thread of its own.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <chrono>

#include "antaeus/live/live_estimator.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::StreamState> : EnumerationCaster<antaeus::StreamState, "antaeus.StreamState"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

using L = LiveColumns;

/// A block, with the places of its columns.
struct ReadBlock {
  LiveBlock block;
  L columns;
};

/// A view of columns `first` … of every sample, shaped as \p of_each.
auto view_of(nb::handle self, Eigen::Index first, const std::vector<std::size_t>& of_each, Eigen::Index stride = 0) {
  const auto& read = nb::cast<const ReadBlock&>(self);
  const SampleMatrix& columns = read.block.columns;
  std::vector<std::size_t> shape = {static_cast<std::size_t>(columns.rows())};
  shape.insert(shape.end(), of_each.begin(), of_each.end());
  std::vector<std::int64_t> strides(shape.size(), 1);
  strides[0] = columns.cols();
  if (shape.size() == 3) strides[1] = stride;
  const double* data = columns.size() > 0 ? columns.data() + first : columns.data();
  return nb::ndarray<nb::numpy, const double>(data, shape.size(), shape.data(), self, strides.data());
}

auto of_motors(Eigen::Index (L::*first)() const noexcept) {
  return [first](nb::handle_t<ReadBlock> self) {
    const auto& read = nb::cast<const ReadBlock&>(self);
    return view_of(self, (read.columns.*first)(), {static_cast<std::size_t>(read.columns.motors)});
  };
}
auto of_raw(Eigen::Index (RowLayout::*first)() const noexcept, int channel, std::size_t count = 0) {
  return [first, channel, count](nb::handle_t<ReadBlock> self) {
    const auto& read = nb::cast<const ReadBlock&>(self);
    const Eigen::Index rows = read.block.columns.rows();
    const bool has =
        channel == 0 || (rows > 0 && (static_cast<int>(read.block.columns(rows - 1, L::kChannels)) & channel));
    const std::size_t width = count ? count : static_cast<std::size_t>(read.columns.motors);
    if (!has) {
      static const double kNone = 0.0;
      const std::size_t shape[] = {0, width};
      return nb::ndarray<nb::numpy, const double>(&kNone, 2, shape, self);
    }
    return view_of(self, read.columns.raw() + (read.columns.raw_columns.*first)(), {width});
  };
}
auto of_head(Eigen::Index column) {
  return [column](nb::handle_t<ReadBlock> self) { return view_of(self, column, {}); };
}
auto of_endpoints(Eigen::Index first, std::size_t count) {
  return [first, count](nb::handle_t<ReadBlock> self) {
    const auto& read = nb::cast<const ReadBlock&>(self);
    return view_of(self, read.columns.endpoint(0) + first, {static_cast<std::size_t>(read.columns.endpoints), count},
                   L::kOfEndpoint);
  };
}
/// Whole numbers of each endpoint: a copy.
template <class Number>
auto whole_of_endpoints(Eigen::Index column) {
  return [column](const ReadBlock& read) {
    const Eigen::Index rows = read.block.columns.rows(), endpoints = read.columns.endpoints;
    auto* const data = new Number[static_cast<std::size_t>(std::max<Eigen::Index>(1, rows * endpoints))];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Number*>(p); });
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index k = 0; k < endpoints; ++k) {
        data[i * endpoints + k] = static_cast<Number>(read.block.columns(i, read.columns.endpoint(k) + column));
      }
    }
    return nb::ndarray<nb::numpy, const Number>(
        data, {static_cast<std::size_t>(rows), static_cast<std::size_t>(endpoints)}, owner);
  };
}

void bind_block(nb::module_& module) {
  nb::class_<ReadBlock>(module, "LiveBlock",
                        "N samples of a stream and what was said of each; M motors, E endpoints. Wrenches: endpoint's "
                        "origin, world axes, force before moment, of `sign`. NaN: no number.")
      .def_prop_ro(
          "first", [](const ReadBlock& b) { return b.block.first; }, "Number of its first sample.")
      .def("__len__", [](const ReadBlock& b) { return b.block.columns.rows(); })
      .def_prop_ro(
          "sign", [](const ReadBlock& b) { return std::string(to_string(b.block.sign)); }, "Of all wrenches.")
      .def_prop_ro(
          "stamp",
          [](nb::handle_t<ReadBlock> self) {
            return view_of(self, nb::cast<const ReadBlock&>(self).columns.raw() + RowLayout::kStamp, {});
          },
          kOwned, "[N] sender's clock, as it came.")
      .def_prop_ro("received", of_head(L::kReceived), kOwned, "[N] receiver's clock, s.")
      .def_prop_ro("time", of_head(L::kTime), kOwned, "[N] s, what the estimator saw.")
      .def_prop_ro("epoch", of_head(L::kEpoch), kOwned,
                   "[N] counts breaks of the stream, after which history is forgotten.")
      .def_prop_ro("late_by", of_head(L::kLateBy), kOwned, "[N] s, later than the fastest messages.")
      .def_prop_ro("held_off", of_head(L::kHeldOff), kOwned, "[N] 1: within live.hold_off after a break.")
      .def_prop_ro("qpos", of_raw(&RowLayout::q, 0), kOwned, "[N × M] as it came, before the profile's [channels].")
      .def_prop_ro("tau", of_raw(&RowLayout::tau, 0), kOwned, "[N × M] as it came.")
      .def_prop_ro("dq", of_raw(&RowLayout::v, 2), kOwned, "[N × M] as it came; [0 × M] where the stream has none.")
      .def_prop_ro("ddq", of_raw(&RowLayout::a, 4), kOwned, "[N × M] as it came; [0 × M] where the stream has none.")
      .def_prop_ro(
          "imu_quat", [](nb::handle_t<ReadBlock> self) { return of_raw(&RowLayout::quaternion, 8, 4)(self); }, kOwned,
          "[N × 4] x y z w; [0 × 4] where the stream has none.")
      .def_prop_ro("imu_gyro", of_raw(&RowLayout::gyro, 16, 3), kOwned, "[N × 3] rad/s, sensor's axes; [0 × 3]: none.")
      .def_prop_ro("imu_acc", of_raw(&RowLayout::accelerometer, 32, 3), kOwned,
                   "[N × 3] m/s², sensor's axes; [0 × 3]: none.")
      .def_prop_ro("q", of_motors(&L::q), kOwned, "[N × M] positions of the robot, after [channels], rad or m.")
      .def_prop_ro("residual", of_motors(&L::residual), kOwned, "[N × M] N·m, torque minus model.")
      .def_prop_ro("residual_sd", of_motors(&L::residual_sd), kOwned, "[N × M] N·m; infinity: no evidence.")
      .def_prop_ro(
          "base_rotation",
          [](nb::handle_t<ReadBlock> self) {
            return view_of(self, nb::cast<const ReadBlock&>(self).columns.base_rotation(), {3, 3}, 3);
          },
          kOwned, "[N × 3 × 3] base's axes in the world.")
      .def_prop_ro("wrench", of_endpoints(L::kWrench, 6), kOwned, "[N × E × 6] the posterior's, N and N·m.")
      .def_prop_ro("sd", of_endpoints(L::kSd, 6), kOwned, "[N × E × 6] its standard deviations.")
      .def_prop_ro("force_axes", of_endpoints(L::kAxes, 9), kOwned,
                   "[N × E × 9] principal axes of the force's covariance, each as long as its sd, ascending, N.")
      .def_prop_ro("position", of_endpoints(L::kPosition, 3), kOwned,
                   "[N × E × 3] of the endpoint, the base at the origin, m.")
      .def_prop_ro("consumer", of_endpoints(L::kConsumer, 6), kOwned, "[N × E × 6] what the guard gives its consumer.")
      .def_prop_ro("verdict", whole_of_endpoints<std::uint8_t>(L::kVerdict), kOwned, "[N × E] places in Verdict.")
      .def_prop_ro("state", whole_of_endpoints<std::uint8_t>(L::kState), kOwned,
                   "[N × E] of the guard, places in Verdict.")
      .def_prop_ro("action", whole_of_endpoints<std::uint8_t>(L::kAction), kOwned, "[N × E] places in ConsumerAction.")
      .def_prop_ro("reasons", whole_of_endpoints<std::uint64_t>(L::kReasons), kOwned, "[N × E] bits: reason_names().")
      .def_prop_ro("because", whole_of_endpoints<std::uint64_t>(L::kBecause), kOwned, "[N × E] of the state: bits.")
      .def_prop_ro("stop", whole_of_endpoints<std::uint8_t>(L::kStop), kOwned, "[N × E] 1: a stop is requested.")
      .def_prop_ro("nis", of_endpoints(L::kNis, 1), kOwned, "[N × E × 1] sum of the tests.")
      .def_prop_ro("nis_limit", of_endpoints(L::kNisLimit, 1), kOwned, "[N × E × 1] of the NIS.");
}

std::chrono::nanoseconds nanoseconds_of(double seconds) {
  constexpr double kLongest = 3600.0;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * std::clamp(seconds, 0.0, kLongest)));
}

bool push(LiveEstimator& self, nb::handle message, double received, int part) {
  Py_buffer bytes;
  if (PyObject_GetBuffer(message.ptr(), &bytes, PyBUF_SIMPLE) != 0) throw nb::python_error();
  const bool pushed =
      self.push({static_cast<const std::byte*>(bytes.buf), static_cast<std::size_t>(bytes.len)}, received, part);
  PyBuffer_Release(&bytes);
  return pushed;
}

}  // namespace

void bind_live(nb::module_& module) {
  bind_enumeration<StreamState>(module, "How a stream is.");
  bind_struct<LiveFacts>(module, "LiveFacts", "Counts and clocks of a stream.");
  bind_block(module);
  nb::class_<LiveEstimator>(
      module, "LiveEstimator",
      "A guarded estimator on a thread of its own, between a bounded queue of messages and a ring of samples: it waits "
      "for no other thread.\n\nformat: json, csv, arrays, low_state_hg, low_state_go or ros2 (docs/guide/live.md). "
      "quaternion: "
      "xyzw "
      "or "
      "wxyz, of the stream's quaternions, whatever profile and names say. Options: the robot's, and the group live.")
      .def(
          "__init__",
          [](LiveEstimator* self, const Robot& robot, const std::vector<std::string>& endpoints,
             const std::string& format, bool simulated, const std::optional<std::string>& quaternion) {
            LiveStream stream{.format = parse_enum<MessageFormat>(format, "LiveEstimator: format", "format"),
                              .simulated = simulated};
            if (quaternion) {
              stream.quaternion_order =
                  parse_enum<QuaternionOrder>(*quaternion, "LiveEstimator: quaternion", "order of a quaternion");
            }
            new (self) LiveEstimator(robot, endpoints, stream);
          },
          "robot"_a, "endpoints"_a, "format"_a = "json", nb::kw_only(), "simulated"_a = false,
          "quaternion"_a = nb::none(),
          "OptionsError for an unknown format or order, ModelError for an unknown endpoint.")
      .def("start", &LiveEstimator::start, "Begins to work.")
      .def("stop", &LiveEstimator::stop, nb::call_guard<Unlocked>(), "Ends; what is queued stays undone.")
      .def("end", &LiveEstimator::end, "No more messages will come: what is queued is worked off.")
      .def(
          "push", &push, "message"_a, "received"_a, "part"_a = 0,
          "A message's bytes, and when they arrived (s, a clock that never goes back; NaN: no clock). False: the queue "
          "is full, or the message too long. Never waits.")
      .def("has_room", &LiveEstimator::has_room, "size"_a,
           "For who can wait, as the reader of a file: whether a message of that size has room now.")
      .def("changes", &LiveEstimator::changes,
           "How often a state, an action, a request to stop or the stream's own state has changed so far.")
      .def("count", &LiveEstimator::count, "Samples so far.")
      .def(
          "wait",
          [](const LiveEstimator& self, std::int64_t after, double timeout) {
            return self.wait(after, nanoseconds_of(timeout));
          },
          "after"_a, "timeout"_a, nb::call_guard<Unlocked>(),
          "Until there are more samples than `after`, the stream has ended, or `timeout` s are over; count().")
      .def(
          "read",
          [](const LiveEstimator& self, std::int64_t first, std::int64_t most) {
            ReadBlock read{self.read(first, most), self.columns()};
            if (self.robot().profile.channels.quaternion_order == QuaternionOrder::wxyz) {
              // A recorder writes it under a name that the profile overrules.
              auto four = read.block.columns.middleCols(read.columns.raw() + read.columns.raw_columns.quaternion(), 4);
              four = SampleMatrix(four(Eigen::all, std::array{3, 0, 1, 2}));
            }
            return read;
          },
          "first"_a, "most"_a, "Copies of the samples from `first` on that are still kept; see block.first.")
      .def("facts", &LiveEstimator::facts, "Counts and clocks.")
      .def(
          "messages",
          [](const LiveEstimator& self, std::int64_t first, std::int64_t most, const std::string& encoding,
             bool silent) {
            const auto as = parse_enum<WrenchEncoding>(encoding, "LiveEstimator.messages: encoding", "encoding");
            std::vector<WrenchMessage> messages;
            {
              const Unlocked free;
              messages = self.messages(self.read(first, most), as, silent);
            }
            nb::list list;
            for (const WrenchMessage& one : messages) {
              list.append(nb::make_tuple(one.topic, nb::bytes(one.payload.data(), one.payload.size())));
            }
            return list;
          },
          "first"_a, "most"_a, "encoding"_a = "json", "silent"_a = false,
          "The samples for others: [(topic, payload)]. json: one object a sample, topic wrench. wrench_stamped: CDR of "
          "geometry_msgs/WrenchStamped, one an endpoint, topic wrench/<frame>. OptionsError for an unknown encoding. "
          "silent: refused, as while nothing "
          "comes.")
      .def(
          "suspect",
          [](LiveEstimator& self, const std::string& reason, const std::vector<int>& motors) {
            self.suspect(parse_enum<Reason>(reason, "reason", "reason"), motors);
          },
          "reason"_a = "set_up_suspect", "motors"_a = std::vector<int>(),
          "A reason in every sample from now on: see GuardedEstimator.suspect. OptionsError for an unknown reason.")
      .def("begin_tare", &LiveEstimator::begin_tare, "\"Nothing touches now\": see GuardedEstimator.begin_tare.")
      .def("drop_tare", &LiveEstimator::drop_tare, "Takes out no tare any more.")
      .def(
          "tare", [](const LiveEstimator& self) { return std::string(to_string(self.tare())); },
          "none, collecting, holding, refused or expired.")
      .def("endpoints", &LiveEstimator::endpoints, "Frames.")
      .def(
          "motor_names", [](const LiveEstimator& self) { return self.robot().model.motor_names(); }, "In motor order.");
  module.def(
      "reason_names", [](std::uint64_t bits) { return reason_names(Reasons::from_bits(bits)); }, "bits"_a,
      "Names of the reasons in a set, as LiveBlock.reasons has them.");
}

}  // namespace antaeus::python
