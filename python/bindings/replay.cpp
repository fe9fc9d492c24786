// Many states at once. Arrays of NumPy and Arrow go in as they lie in memory, wherever their layout is one of rows.
#include "antaeus/replay/replay.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <type_traits>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/replay/replay_rows.hpp"
#include "convert.hpp"
#include "interruption.hpp"
#include "logs.hpp"
#include "values.hpp"

namespace antaeus::python {

namespace {

constexpr const char* kReplayPlace = "replay";
constexpr const char* kPosteriorStatus = "posterior_status";
constexpr const char* kWanted[] = {"wrench", "sigma", "rank", "residual"};

std::string at(const std::string& name) { return std::string(kReplayPlace) + "." + name; }

nb::module_ numpy() { return nb::module_::import_("numpy"); }

std::string shape_text(const std::vector<std::ptrdiff_t>& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}
std::vector<std::ptrdiff_t> shape_of(const nb::object& array) {
  return nb::cast<std::vector<std::ptrdiff_t>>(array.attr("shape"));
}
/// Of \p count states; −1: of any number, which the text calls N.
std::vector<std::ptrdiff_t> full_shape(std::ptrdiff_t count, const RowShape& shape) {
  if (shape.rows == 0) return {count, shape.columns};
  return {count, shape.rows, shape.columns};
}
std::string wanted_shape(std::ptrdiff_t count, const RowShape& shape) {
  const std::string text = shape_text(full_shape(count, shape));
  return count < 0 ? "(N" + text.substr(3) : text;
}

// What goes in -------------------------------------------------------------------------------------------------------

/// An array of Arrow as one of NumPy on the same memory: lists of one length, or the numbers of all rows one by one.
nb::object without_arrow(nb::object source, std::ptrdiff_t width, const std::string& name) {
  const nb::object module = nb::getattr(source.type(), "__module__", nb::str(""));
  const bool is_arrow = nb::isinstance<nb::str>(module) && nb::cast<std::string>(module).starts_with("pyarrow");
  if (!is_arrow || !nb::hasattr(source, "type")) return source;  // a table is what NumPy makes of it
  if (nb::hasattr(source, "num_chunks")) {
    const bool one = nb::cast<int>(source.attr("num_chunks")) == 1;
    source = one ? source.attr("chunk")(0) : source.attr("combine_chunks")();
  }
  const nb::object type = source.attr("type");
  if (nb::hasattr(type, "list_size")) {
    if (const auto nulls = nb::cast<std::ptrdiff_t>(source.attr("null_count")); nulls > 0) {
      throw OptionsError(at(name), std::to_string(nulls) + " rows are null", "fill them with NaN");
    }
    width = nb::cast<std::ptrdiff_t>(type.attr("list_size"));
    source = source.attr("flatten")();
  } else if (nb::hasattr(type, "value_type")) {
    throw OptionsError(at(name), "lists whose length may differ",
                       "cast them to pyarrow.list_(pyarrow.float64(), " + std::to_string(width) + ")");
  }
  const nb::object numbers = source.attr("to_numpy")("zero_copy_only"_a = false);
  const bool is_whole = width > 0 && nb::cast<std::ptrdiff_t>(numbers.attr("size")) % width == 0;
  return is_whole ? numbers.attr("reshape")(-1, width) : numbers;
}

/// Rows of an argument, and what keeps their memory alive.
struct Rows {
  nb::object kept;
  std::ptrdiff_t count = 0;
  BatchRowsOf<const double> rows;
};

/// Elements between the rows of an array whose rows are whole; −1 where they are not.
std::ptrdiff_t row_stride(const nb::object& array, std::ptrdiff_t width, std::ptrdiff_t item) {
  const auto shape = shape_of(array), strides = nb::cast<std::vector<std::ptrdiff_t>>(array.attr("strides"));
  std::ptrdiff_t inner = item;
  for (std::size_t k = shape.size(); k-- > 1;) {
    if (shape[k] != 1 && strides[k] != inner) return -1;
    inner *= shape[k];
  }
  if (shape[0] <= 1) return width;
  return strides[0] % item == 0 && strides[0] >= width * item ? strides[0] / item : -1;
}

/// \param count  rows that there must be; −1: any. \throws TypeError, StatusError and OptionsError that name the
/// argument
Rows read_rows(nb::object source, const std::string& name, const RowShape& shape, std::ptrdiff_t count) {
  const nb::module_ np = numpy();
  const std::ptrdiff_t width = shape.width();
  nb::object array;
  try {
    array = np.attr("asarray")(without_arrow(std::move(source), width, name));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw nb::type_error((at(name) + ": no array of real numbers").c_str());
  }
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u")
    throw nb::type_error((at(name) + ": no array of real numbers").c_str());
  if (width == 1 && nb::cast<int>(array.attr("ndim")) == 1) array = array.attr("reshape")(-1, 1);
  const auto given = shape_of(array);
  const bool fits = given.size() == 2 && given[1] == width && (count < 0 || given[0] == count);
  if (!fits) {
    throw StatusError(kReplayPlace, Status::wrong_size, name + " has shape " + shape_text(given),
                      "give shape " + wanted_shape(count, shape));
  }
  if (given[0] == 0) throw OptionsError(at(name), "no states", "give one or more");
  // Lists, other types, columns side by side: once copied. Float64 whose rows are whole stays where it is.
  const nb::object float64 = np.attr("float64");
  const bool is_double = array.attr("dtype").equal(np.attr("dtype")(float64));
  if (!is_double || !nb::cast<bool>(array.attr("flags").attr("aligned")) || row_stride(array, width, 8) < 0) {
    array = np.attr("require")(array, float64, nb::make_tuple("C", "A"));
  }
  Rows rows;
  rows.count = given[0];
  const std::ptrdiff_t stride = row_stride(array, width, 8);
  const auto values = nb::cast<nb::ndarray<const double, nb::device::cpu>>(array);
  rows.rows = {std::span<const double>(values.data(), static_cast<std::size_t>((rows.count - 1) * stride + width)),
               stride};
  rows.kept = std::move(array);
  return rows;
}

// What comes out -----------------------------------------------------------------------------------------------------

template <class T>
const char* type_name() {
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, int>) return "int32";
  return sizeof(T) == 1 ? "uint8" : "uint64";
}
/// The number that stands in an array for a status, a verdict or a set of reasons.
template <class T>
using StoredScalar =
    std::conditional_t<std::is_arithmetic_v<T>, T, std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint64_t>>;
static_assert(sizeof(Status) == 1 && sizeof(Verdict) == 1 && sizeof(Reasons) == sizeof(std::uint64_t));

/// A new array, or the caller's own. \throws OptionsError that names it
template <class T>
BatchRowsOf<T> result_rows(const std::string& name, const RowShape& shape, std::ptrdiff_t count, const nb::dict& given,
                           nb::dict& results) {
  const nb::module_ np = numpy();
  const nb::object type = np.attr("dtype")(type_name<T>());
  std::vector<std::ptrdiff_t> wanted = full_shape(count, shape);
  if (shape.columns == 0) wanted = {count};  // status
  const std::ptrdiff_t width = shape.columns == 0 ? 1 : shape.width();
  nb::object array;
  if (!given.contains(name.c_str())) {
    array = np.attr("empty")(nb::tuple(nb::cast(wanted)), "dtype"_a = type);
  } else {
    array = nb::borrow(given[name.c_str()]);
    const bool is_array = nb::isinstance(array, np.attr("ndarray"));
    if (!is_array || !array.attr("dtype").equal(type) || shape_of(array) != wanted ||
        !nb::cast<bool>(array.attr("flags").attr("writeable")) ||
        !nb::cast<bool>(array.attr("flags").attr("aligned")) || row_stride(array, width, sizeof(T)) < 0) {
      throw OptionsError(at("out") + ": " + name, "nothing that can be filled in its place",
                         std::string("give a writable array of ") + type_name<T>() + " and shape " +
                             shape_text(wanted) + " whose rows are whole");
    }
  }
  const std::ptrdiff_t stride = row_stride(array, width, sizeof(T));
  const auto values = nb::cast<nb::ndarray<StoredScalar<T>, nb::device::cpu>>(array);
  results[name.c_str()] = array;
  return {std::span<T>(reinterpret_cast<T*>(values.data()), static_cast<std::size_t>((count - 1) * stride + width)),
          stride};
}

std::vector<std::string> result_names() {
  std::vector<std::string> names = field_names<ReplayOutput>();
  names.emplace_back("status");
  names.emplace_back(kPosteriorStatus);
  return names;
}

/// Names that are asked for; \throws OptionsError for one that is none
std::vector<std::string> names_of(nb::handle wanted, const char* place) {
  std::vector<std::string> names;
  if (PyUnicode_Check(wanted.ptr())) {
    names = {text_of(wanted, at(place))};
  } else {
    for (const nb::handle one : wanted) names.push_back(text_of(one, at(place)));
  }
  const std::vector<std::string> known = result_names();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw_unknown<OptionsError>(at(place), "channel of results", name, known);
    }
  }
  return names;
}

/// \param status_name  of the array that has each state's status
ReplayOutput make_results(const BatchModel& model, std::ptrdiff_t count, const std::vector<std::string>& wanted,
                          const char* status_name, const nb::dict& given, nb::dict& results) {
  ReplayOutput out;
  visit_fields(out, BatchSizes(model), [&]<class T>(const char* name, BatchRowsOf<T>& rows, const RowShape& shape) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
    if (shape.width() == 0) {
      throw OptionsError(at(name), "the robot has no endpoints", "name endpoints, or do not ask for it");
    }
    rows = result_rows<T>(name, shape, count, given, results);
  });
  const BatchRowsOf<Status> status = result_rows<Status>(status_name, RowShape{}, count, given, results);
  if (count > 1 && status.stride != 1) {
    throw OptionsError(at("out") + ": " + status_name, "its numbers stand apart", "give an array whose numbers do not");
  }
  out.status = status.values;
  return out;
}

// What must not lie in the same memory --------------------------------------------------------------------------------

/// Rows of an array: where they begin, and in bytes how far apart and how long they are.
struct Region {
  std::string name;
  std::uintptr_t begin = 0;
  std::size_t stride = 0, width = 0, count = 0;

  std::uintptr_t end() const noexcept { return begin + (count - 1) * stride + width; }
  bool is_same(const Region& other) const noexcept {
    return begin == other.begin && width == other.width && (count == 1 || stride == other.stride);
  }
  /// Columns side by side in one array share nothing.
  bool meets(const Region& other) const noexcept {
    if (begin > other.begin) return other.meets(*this);
    if (other.begin >= end()) return false;
    if (stride != other.stride || count == 1 || other.count == 1) return true;
    const std::size_t apart = (other.begin - begin) % stride;
    return apart < width || apart + other.width > stride;
  }
};

template <class T>
void add_region(const std::string& name, const BatchRowsOf<T>& rows, std::ptrdiff_t width, std::ptrdiff_t count,
                std::vector<Region>& regions) {
  if (rows.values.empty()) return;
  const auto whole = static_cast<std::size_t>(width), apart = static_cast<std::size_t>(rows.stride);
  regions.push_back({name, reinterpret_cast<std::uintptr_t>(rows.values.data()),
                     sizeof(T) * (apart == 0 ? whole : apart), sizeof(T) * whole, static_cast<std::size_t>(count)});
}

/// Results overwrite what is read of other rows, or each other. A result in the very place of an input is the one thing
/// that works: each state is read before it is written. \param once  whether inputs are read once
void check_memory(const std::vector<Region>& inputs, const std::vector<Region>& results, bool once) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Region& result = results[i];
    for (const Region& input : inputs) {
      if (!result.meets(input) || (once && result.is_same(input))) continue;
      throw OptionsError(at("out") + ": " + result.name, "its memory is partly that of " + at(input.name),
                         "give an array of its own");
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!result.meets(results[k])) continue;
      throw OptionsError(at("out") + ": " + results[k].name + " and " + result.name, "they share memory",
                         "give each an array of its own");
    }
  }
}

// The call -----------------------------------------------------------------------------------------------------------

/// One call after the other: those of other threads wait. A call inside of a call, of a signal handler or of whatever
/// else Python runs meanwhile, would wait for itself.
class Turns {
 public:
  /// Holds the turn while it lives. The interpreter's lock must have been given away.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) {
      turns_.refuse_own();
      turns_.mutex_.lock();
      turns_.owner_ = std::this_thread::get_id();
    }
    ~Turn() {
      turns_.owner_ = std::thread::id();
      turns_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& turns_;
  };

  /// \throws OptionsError in the thread whose turn it is
  void refuse_own() const {
    if (owner_ != std::this_thread::get_id()) return;
    throw OptionsError("BatchReplay", "called during its own call, as by a signal handler",
                       "make another one for that, or call it once this call has ended");
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_;
};

/// A BatchReplay and what makes the same one in another process.
struct Replayer {
  std::string named;  ///< the robot as it was named; empty for an object
  Robot robot;
  std::vector<std::string> endpoints, frames;
  std::string imu;  ///< empty: as mounted, and of posteriors as the robot's settings say
  std::vector<std::string> settings;
  ReplayOptions options;
  std::unique_ptr<Turns> turns;
  BatchReplay replay;
  /// With posteriors by the robot's settings, once they are asked for: of logs of the robot, or of a simulation.
  std::optional<BatchReplay> judged = {};
  bool judged_simulated = false;
  Reasons judged_suspected = {};

  BatchReplay& with_posterior(bool simulated, Reasons suspected) {
    if (judged && judged_simulated == simulated && judged_suspected == suspected) return *judged;
    const Settings all = robot.settings(frames);
    ReplayPosterior posterior{.instant = all.get<InstantOptions>(),
                              .residual = all.get<ResidualOptions>(),
                              .posterior = all.get<PosteriorOptions>(),
                              .simulated = simulated,
                              .suspected = suspected};
    if (!imu.empty()) posterior.instant.imu = parse_enum<ImuUse>(imu, at("imu"));
    judged.emplace(BatchReplay::with_posterior(robot, frames, options, posterior));
    judged_simulated = simulated;
    judged_suspected = suspected;
    return *judged;
  }
};

Replayer make_replayer(const RobotChoice& choice, std::vector<std::string> endpoints, std::string imu,
                       const std::optional<int>& threads, int block, std::vector<std::string> settings) {
  InstantOptions instant;
  if (!imu.empty()) instant.imu = parse_enum<ImuUse>(imu, at("imu"));
  const ReplayOptions options{.threads = threads.value_or(0), .block = block};
  check_options(options);
  const auto* file = std::get_if<std::filesystem::path>(&choice);
  Robot robot = loaded_robot(choice);
  for (const std::string& assignment : settings) robot.profile.settings.set(assignment, at("settings"));
  std::vector<std::string> frames;
  if (!endpoints.empty() || !robot.profile.endpoints.empty())
    frames = robot.endpoint_frames(endpoints, at("endpoints"));
  BatchReplay replay(robot, frames, options, instant);
  return {.named = file ? file->string() : std::string(),
          .robot = std::move(robot),
          .endpoints = std::move(endpoints),
          .frames = std::move(frames),
          .imu = std::move(imu),
          .settings = std::move(settings),
          .options = options,
          .turns = std::make_unique<Turns>(),
          .replay = std::move(replay)};
}

/// Whether a result is of a posterior.
bool is_judged(const std::string& name) {
  if (name == kPosteriorStatus) return true;
  const std::vector<std::string> names = field_names<ReplayOutput>();
  const auto first = std::find(names.begin(), names.end(), "posterior");
  return std::find(first, names.end(), name) != names.end();
}

/// What another process makes the same of: robot, endpoints, imu, threads, block, settings.
using State = std::tuple<std::string, std::vector<std::string>, std::string, int, int, std::vector<std::string>>;

std::string checksum_of(const State& state) {
  return pickle_checksum("BatchReplay", nb::repr(nb::cast(state)).c_str());
}

/// Takes what a caller named out of keyword arguments.
nb::object taken(nb::dict& keywords, const char* name) {
  nb::object value = keywords.contains(name) ? nb::borrow(keywords[name]) : nb::none();
  if (keywords.contains(name)) keywords.attr("pop")(name);
  return value;
}

/// What a call is asked for, of posteriors and of all else: one depends in nothing on the other.
struct Wanted {
  explicit Wanted(const std::vector<std::string>& names) {
    for (const std::string& name : names) (is_judged(name) ? judged : plain).push_back(name);
  }
  std::vector<std::string> plain, judged;
};

/// Of channels that posteriors take, those that torques and residuals are formed of.
ReplayInput without_history(ReplayInput in, Base base) {
  in.time = {};
  in.continues = false;
  if (in.v.values.empty() || in.a.values.empty()) in.v = in.a = {};
  if (in.v.values.empty() || base == Base::fixed) {
    in.imu_angular_velocity = in.imu_specific_force = in.base_angular_acceleration = {};
  }
  return in;
}

std::vector<Region> regions_of(ReplayInput in, const BatchModel& model) {
  std::vector<Region> regions;
  visit_fields(in, BatchSizes(model), [&](const char* name, auto& rows, const RowShape& shape) {
    add_region(name, rows, shape.width(), in.count, regions);
  });
  return regions;
}
std::vector<Region> regions_of(const ReplayOutput& plain, const ReplayOutput& judged, const BatchModel& model,
                               std::ptrdiff_t count) {
  std::vector<Region> regions;
  for (ReplayOutput out : {plain, judged}) {
    visit_fields(out, BatchSizes(model), [&](const char* name, auto& rows, const RowShape& shape) {
      add_region(name, rows, shape.width(), count, regions);
    });
  }
  for (const auto& [name, out] : {std::pair("status", &plain), std::pair(kPosteriorStatus, &judged)}) {
    add_region(name, BatchRowsOf<Status>{out->status, 1}, 1, count, regions);
  }
  return regions;
}

/// An antaeus.ReplayResults: \p results, whose wrenches they are, and what each is formed of.
nb::object named_results(const Replayer& self, const nb::dict& results, bool moving) {
  constexpr std::string_view kNotOfResiduals[] = {
      "base_rotation", "base_angular_velocity", "sigma", "rank", "jacobian", "pose", "status"};
  nb::dict formed_of;
  for (const auto& [key, value] : results) {
    const auto name = nb::cast<std::string>(key);
    if (std::ranges::find(kNotOfResiduals, name) != std::end(kNotOfResiduals)) continue;
    const bool dynamic = moving && !is_judged(name);
    formed_of[key] = nb::cast(dynamic ? ResidualKind::inverse_dynamics : ResidualKind::static_gravity);
  }
  const nb::object kind = nb::module_::import_("antaeus._replay_results").attr("ReplayResults");
  return kind(results, "sign"_a = self.replay.sign(), "formed_of"_a = formed_of);
}

nb::object call(Replayer& self, nb::object q, nb::object tau, nb::dict keywords) {
  self.turns->refuse_own();  // before its results' memory is made
  const nb::object want = taken(keywords, "want"), given = taken(keywords, "out");
  std::vector<std::string> wanted(std::begin(kWanted), std::end(kWanted));
  if (!want.is_none()) wanted = names_of(want, "want");
  nb::dict arrays;
  if (!given.is_none()) {
    if (!PyDict_Check(given.ptr())) throw nb::type_error((at("out") + ": no dict of arrays by name").c_str());
    arrays = nb::borrow<nb::dict>(given);
    for (const std::string& name : names_of(arrays.attr("keys")(), "out")) wanted.push_back(name);
  }

  const auto flag = [&](const char* name) {
    const nb::object value = taken(keywords, name);
    if (!value.is_none() && !nb::isinstance<nb::bool_>(value)) throw nb::type_error((at(name) + ": no bool").c_str());
    return !value.is_none() && nb::cast<bool>(value);
  };
  const bool simulated = flag("simulated"), continues = flag("continues");
  const Wanted names(wanted);
  const bool judged = !names.judged.empty();
  const BatchModel& model = self.replay.model();
  nb::dict results;
  ReplayOutput out, judged_out;
  const auto make_room = [&](std::ptrdiff_t count) {
    out = make_results(model, count, names.plain, "status", arrays, results);
    if (judged) judged_out = make_results(model, count, names.judged, kPosteriorStatus, arrays, results);
  };
  const Progress interrupted = until_interrupted();
  // A replay is made once what is asked of it is known; nothing in here is Python's.
  const auto run = [&](const auto& in, bool is_simulated) {
    const Unlocked unlocked;
    const Turns::Turn alone(*self.turns);
    Reasons suspected;
    if constexpr (std::is_same_v<std::decay_t<decltype(in)>, Episode>) {
      const bool told = std::any_of(names.judged.begin(), names.judged.end(),
                                    [](const std::string& name) { return name == "verdict" || name == "reasons"; });
      if (told && has_errors(check_log(self.robot, in))) suspected = Reason::set_up_suspect;
    }
    if (judged) self.with_posterior(is_simulated, suspected).run(in, judged_out, interrupted);
    if constexpr (std::is_same_v<std::decay_t<decltype(in)>, ReplayInput>) {
      self.replay.run(judged ? without_history(in, model.base()) : in, out, interrupted);
    } else {
      self.replay.run(in, out, interrupted);
    }
  };
  std::optional<Episode> from_file;
  if (PyUnicode_Check(q.ptr()) || nb::hasattr(q, "__fspath__")) {
    const auto path = nb::cast<std::filesystem::path>(q);
    const Unlocked unlocked;
    from_file = load_episode(path, self.robot, self.robot.profile.settings.get<EpisodeOptions>());
  }
  if (from_file || nb::isinstance<Episode>(q)) {
    const Episode& episode = from_file ? *from_file : nb::cast<const Episode&>(q);
    for (const auto& [key, value] : keywords) {
      throw OptionsError(at(nb::cast<std::string>(key)), "an episode brings its channels", "leave it away");
    }
    if (simulated) throw OptionsError(at("simulated"), "an episode says it itself", "leave it away");
    if (continues) throw OptionsError(at("continues"), "an episode restarts", "give its arrays");
    if (!tau.is_none()) throw OptionsError(at("tau"), "an episode brings its torques", "leave it away");
    if (episode.steps() == 0) throw EpisodeError(episode.name, "no steps", "give a log that holds some");
    make_room(episode.steps());
    check_memory({}, regions_of(out, judged_out, model, episode.steps()), true);
    run(episode, episode.simulated);
    return named_results(self, results, false);
  }

  ReplayInput in;
  in.count = -1;
  in.continues = continues;
  std::vector<nb::object> kept;
  keywords["q"] = q;
  keywords["tau"] = tau;
  visit_fields(in, BatchSizes(model), [&](const char* name, auto& rows, const RowShape& shape) {
    nb::object source = taken(keywords, name);
    if (source.is_none() && in.count >= 0) return;
    Rows read = read_rows(std::move(source), name, shape, in.count);
    in.count = read.count;
    rows = read.rows;
    kept.push_back(std::move(read.kept));
  });
  for (const auto& [key, value] : keywords) {
    throw_unknown<OptionsError>(kReplayPlace, "argument", nb::cast<std::string>(key), field_names<ReplayInput>());
  }
  make_room(in.count);
  check_memory(regions_of(in, model), regions_of(out, judged_out, model, in.count), !judged);
  run(in, simulated);
  return named_results(self, results, !in.v.values.empty() && !in.a.values.empty());
}

// Words --------------------------------------------------------------------------------------------------------------

/// q, tau and the other channels as they stand in a signature.
std::string channels_signature() {
  std::string text =
      "q: numpy.typing.ArrayLike | Episode | str | os.PathLike, tau: numpy.typing.ArrayLike | None = None, *";
  for (const std::string& name : field_names<ReplayInput>()) {
    if (name != "q" && name != "tau") text += ", " + name + ": numpy.typing.ArrayLike | None = None";
  }
  text += ", want: collections.abc.Sequence[str] = (";
  for (const char* name : kWanted) text += "'" + std::string(name) + "', ";
  text.resize(text.size() - 2);
  return text +
         "), simulated: bool = False, continues: bool = False, out: dict[str, numpy.typing.NDArray[typing.Any]] | None "
         "= None";
}
constexpr const char* kResult = "antaeus._replay_results.ReplayResults";
constexpr const char* kSetUp =
    "imu: str | None = None, threads: int | None = None, block: int = 1024, settings: dict[str, float | str | bool] = "
    "{}";

constexpr const char* kChannels =
    "q [N × motors]: rad or m. tau: what the motors' channels read, as Observation.tau. v and a, both: inverse "
    "dynamics "
    "in place of gravity. imu_quaternion_xyzw [N × 4], imu_angular_velocity, imu_specific_force, "
    "base_angular_acceleration [N × 3]: as in BatchInput; absent: the base stands upright and still. Or q is an "
    "Episode or the path of a log, "
    "which brings q, tau and the quaternion. Float64 arrays whose rows are whole, Arrow's lists of one length among "
    "them, are not copied; all else that NumPy reads is.\n\n"
    "Returns a ReplayResults, a dict of arrays, one a name of want, and `status` [N], places in Status: "
    "list(antaeus.Status)[code]; 0: ok. A state that cannot be used is NaN, its rank −1, and disturbs no other. Its "
    "attribute `sign` says whose wrenches `wrench` and `posterior` are, by one rule with the command line: "
    "posterior.sign where it is set, else estimator.sign, else the profile's deployed.sign, else on_robot. `formed_of` "
    "says of each result which residual it is formed of. No result depends on what else is wanted.\n"
    "  torque [N × motors]: g(q), or M a + C v + g, N·m\n"
    "  residual [N × motors]: joint torque − torque, N·m\n"
    "  base_residual [N × 6]: minus force and moment of the base's rows, base axes\n"
    "  base_rotation [N × 3 × 3]: R_WB\n"
    "  base_angular_velocity [N × 3]: base axes, rad/s; with v and a\n"
    "  wrench [N × endpoints × 6]: pinv(Jᵀ) residual with `sign`, at the frame's origin, world axes, force first\n"
    "  sigma [N × endpoints × 6]: singular values of J, largest first\n"
    "  rank [N × endpoints]: how many of them count\n"
    "  jacobian [N × 6 · supporting motors of each endpoint]: J_WF_W, column by column\n"
    "  pose [N × endpoints × 12]: R_WF row by row, then its origin; base at the world's origin, m\n"
    "Posteriors by the robot's settings (groups residual, posterior, equation), at rest, as PosteriorEstimator of "
    "static "
    "residuals, whatever v and a; NaN and −1 where there is none:\n"
    "  posterior [N × endpoints × 6] with `sign`, covariance [N × endpoints × 21, upper triangle], force_sd [N × "
    "endpoints × 3], "
    "force_directions, nis, misfit, evidence_rows, …: as in BatchOutput\n"
    "  verdict [N × endpoints]: places in Verdict: list(antaeus.Verdict)[code]; 0: ok\n"
    "  reasons [N × endpoints]: sets of bits; antaeus.reason_names(bits)\n"
    "    Of an Episode in which check() finds an error every state has `set_up_suspect` and none is ok\n"
    "  near_limits [N × endpoints]: statistics within 1e-9 of a limit: only there may verdict and reasons differ from "
    "the loop's\n"
    "With them time [N] in s, v, a, gyro and accelerometer are taken as an Observation has them: for motion and gaps. "
    "posterior_status [N] comes with them: the Status of the residual that they are formed of, time_back too. "
    "simulated: whether a simulation made the states. continues: these states follow those "
    "of "
    "the call before, whose history goes on.\n"
    "out: arrays by name that are filled in place of new ones. The interpreter's lock is released meanwhile, and "
    "Ctrl-C "
    "ends it. Bits depend on neither threads nor block. StatusError for a shape, OptionsError for all else, each with "
    "the argument's name.";

}  // namespace

void bind_replay(nb::module_& module) {
  const std::string init =
      "def __init__(self, robot: str | os.PathLike | Robot, endpoints: "
      "collections.abc.Sequence[str] = (), *, " +
      std::string(kSetUp) + ") -> None";
  const std::string one = "def __call__(self, " + channels_signature() + ") -> " + kResult;
  const std::string channels = channels_signature();
  constexpr std::string_view kTau = ", tau: ";
  const std::size_t after_q = channels.find(kTau);
  const std::string all = "def replay(" + channels.substr(0, after_q) +
                          ", robot: str | os.PathLike | Robot, endpoints: collections.abc.Sequence[str] = ()" +
                          channels.substr(after_q) + ", " + kSetUp + ") -> " + kResult;
  nb::class_<Replayer>(module, "BatchReplay",
                       "A robot and endpoints set up once, then a function of a block of states; another process gets "
                       "it by pickle where the robot has a name or a file. Calls from several threads wait for each "
                       "other.")
      .def(
          "__init__",
          [](Replayer* self, const RobotChoice& robot, std::vector<std::string> endpoints,
             const std::optional<std::string>& imu, const std::optional<int>& threads, int block,
             const nb::dict& settings) {
            new (self) Replayer(make_replayer(robot, std::move(endpoints), imu.value_or(""), threads, block,
                                              assignments_of(settings, at("settings"))));
          },
          "robot"_a, "endpoints"_a = nb::list(), nb::kw_only(), "imu"_a = nb::none(), "threads"_a = nb::none(),
          "block"_a = ReplayOptions{}.block, "settings"_a = nb::dict(), nb::sig(init.c_str()),
          options_doc<ReplayOptions>(
              "endpoints: by frame or label; none: the profile's. imu: an ImuUse by name, as for "
              "InstantReader; None: mounted, and for posteriors as the robot's settings say. threads: None is 0. "
              "settings: 'group.option' → value, over what the profile sets. ModelError, OptionsError.")
              .c_str())
      .def(
          "__call__",
          [](Replayer& self, nb::object q, nb::object tau, const nb::kwargs& keywords) {
            return call(self, std::move(q), std::move(tau), nb::dict(nb::borrow<nb::dict>(keywords)));
          },
          nb::arg("q").none(), "tau"_a = nb::none(), "keywords"_a, nb::sig(one.c_str()), kChannels)
      .def(
          "motor_count", [](const Replayer& self) { return self.replay.model().motor_count(); },
          "Columns of q and tau.")
      .def(
          "endpoint_count", [](const Replayer& self) { return self.replay.model().endpoint_count(); },
          "How many endpoints it answers for.")
      .def(
          "supporting_motors",
          [](const Replayer& self, int endpoint) {
            const BatchModel& model = self.replay.model();
            return model.supporting_motors(endpoint_index(endpoint, model.endpoint_count()));
          },
          "endpoint"_a, "Motors whose columns `jacobian` has for an endpoint, from the root on.")
      .def(
          "threads", [](const Replayer& self) { return self.replay.threads(); }, "At most.")
      .def(
          "close_calls",
          [](const Replayer& self) {
            const Unlocked unlocked;
            const Turns::Turn alone(*self.turns);
            return self.judged ? self.judged->close_calls() : 0;
          },
          "Verdicts of the last call with posteriors for which near_limits is not 0.")
      .def("__getstate__",
           [](const Replayer& self) -> std::pair<State, std::string> {
             if (self.named.empty()) {
               throw OptionsError(at("robot"), "an object of this process cannot be sent to another",
                                  "give the robot's name or file");
             }
             State state(self.named, self.endpoints, self.imu, self.options.threads, self.options.block, self.settings);
             std::string checksum = checksum_of(state);
             return {std::move(state), std::move(checksum)};
           })
      .def("__setstate__",
           [](Replayer& self, const nb::object& pickled) {
             std::pair<State, std::string> checked;
             if (!nb::try_cast(pickled, checked) || checksum_of(checked.first) != checked.second) {
               throw_damaged("BatchReplay");
             }
             const auto& [robot, endpoints, imu, threads, block, settings] = checked.first;
             new (&self)
                 Replayer(make_replayer(std::filesystem::path(robot), endpoints, imu, threads, block, settings));
           })
      .def("__repr__", [](const Replayer& self) {
        const BatchModel& model = self.replay.model();
        return "BatchReplay(" + std::to_string(model.motor_count()) + " motors, " +
               std::to_string(model.endpoint_count()) + " endpoints, " + std::to_string(self.replay.threads()) +
               " threads)";
      });
  module.def(
      "replay",
      [](const nb::args& placed, const nb::kwargs& keywords) {
        nb::dict rest(nb::borrow<nb::dict>(keywords));
        constexpr const char* kCall = "replay(q, robot, endpoints, tau)";
        constexpr const char* kNames[] = {"q", "robot", "endpoints", "tau"};
        if (placed.size() > std::size(kNames)) {
          throw nb::type_error(
              ("replay: " + std::to_string(placed.size()) + " arguments by place; call " + kCall).c_str());
        }
        nb::object values[std::size(kNames)];
        const bool is_q_named = rest.contains("q");
        for (std::size_t i = 0; i < std::size(kNames); ++i) {
          if (i < placed.size() && rest.contains(kNames[i])) {
            require_log_first(placed[0], is_q_named ? nb::handle(nb::list()) : nb::handle(nb::none()), kCall);
            throw nb::type_error((at(kNames[i]) + ": given twice; call " + kCall).c_str());
          }
          values[i] = i < placed.size() ? nb::borrow(placed[i]) : taken(rest, kNames[i]);
        }
        const auto& [q, robot_given, frames, tau] = values;
        // A list of frames in the robot's place is the other order.
        const bool is_robot = robot_given.is_none() || nb::isinstance<Robot>(robot_given) ||
                              PyUnicode_Check(robot_given.ptr()) || nb::hasattr(robot_given, "__fspath__");
        if (!is_robot || nb::isinstance<Robot>(q)) require_log_first(q, nb::list(), kCall);
        const RobotChoice robot = robot_from(robot_given, at("robot"));
        std::vector<std::string> endpoints;
        if (!frames.is_none() && !nb::try_cast(frames, endpoints)) {
          throw nb::type_error((at("endpoints") + ": no list of names").c_str());
        }
        const nb::object imu = taken(rest, "imu"), threads = taken(rest, "threads"), block = taken(rest, "block"),
                         settings = taken(rest, "settings");
        if (!settings.is_none() && !PyDict_Check(settings.ptr())) {
          throw nb::type_error((at("settings") + ": no dict of values by name").c_str());
        }
        const auto number = [](const nb::object& given, const char* name) {
          return detail::parse_integer(option_text(at(name), given), kAnyNumber, at(name));
        };
        Replayer once =
            make_replayer(robot, std::move(endpoints), imu.is_none() ? "" : text_of(imu, at("imu")),
                          threads.is_none() ? 0 : number(threads, "threads"),
                          block.is_none() ? ReplayOptions{}.block : number(block, "block"),
                          settings.is_none() ? std::vector<std::string>()
                                             : assignments_of(nb::borrow<nb::dict>(settings), at("settings")));
        return call(once, q, tau, std::move(rest));
      },
      nb::sig(all.c_str()),
      (std::string("BatchReplay(robot, endpoints, …)(q, tau, …) in one call; endpoints: none: the profile's.\n\n") +
       kChannels)
          .c_str());
  module.def(
      "reason_names", [](std::uint64_t bits) { return reason_names(Reasons::from_bits(bits)); }, "bits"_a,
      "Names of a set of reasons, as a replay's `reasons` has it: one number of that array.");
}

}  // namespace antaeus::python
