#include "report/payload.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "antaeus/io/json.hpp"
#include "audit/step_columns.hpp"
#include "report/audit_series.hpp"
#include "report/robot_meshes.hpp"

namespace antaeus::parts {

namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of the page are little-endian");

std::string base64(const void* data, std::size_t size) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t left = std::min<std::size_t>(3, size - i);
    const unsigned group =
        (bytes[i] << 16) | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? static_cast<unsigned>(bytes[i + 2]) : 0u);
    text += kDigits[group >> 18];
    text += kDigits[(group >> 12) & 63];
    text += left > 1 ? kDigits[(group >> 6) & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

template <class Number>
Json array_json(const char* type, Eigen::Index columns, const std::vector<Number>& values) {
  const auto samples = columns == 0 ? 0 : static_cast<std::int64_t>(values.size()) / columns;
  return Json::object()
      .set("type", type)
      .set("shape", Json(Json::Array{Json(static_cast<std::int64_t>(columns)), Json(samples)}))
      .set("data", base64(values.data(), values.size() * sizeof(Number)));
}

/// Which two samples stand for a bin.
enum class Bin { extremes, first_and_middle };

/// The columns of value(row, column), one after the other.
template <class Value>
Json columns_json(const Sampling& sampling, Eigen::Index columns, Value&& value, Bin how = Bin::extremes) {
  const auto samples = static_cast<std::size_t>(sampling.samples());
  std::vector<float> out(samples * static_cast<std::size_t>(columns));
  std::vector<double> least(static_cast<std::size_t>(columns)), most(static_cast<std::size_t>(columns));
  std::size_t at = 0;
  for (const Sampling::Block& block : sampling.blocks) {
    const auto put = [&](std::size_t sample, std::size_t column, double number) {
      out[column * samples + sample] = static_cast<float>(number);
    };
    if (block.end - block.begin == 1 || how == Bin::first_and_middle) {
      const bool pair = block.end - block.begin > 1;
      for (Eigen::Index c = 0; c < columns; ++c) {
        put(at, static_cast<std::size_t>(c), value(block.begin, c));
        if (pair) put(at + 1, static_cast<std::size_t>(c), value((block.begin + block.end) / 2, c));
      }
      at += pair ? 2 : 1;
      continue;
    }
    std::fill(least.begin(), least.end(), kInfinity);
    std::fill(most.begin(), most.end(), -kInfinity);
    for (Eigen::Index row = block.begin; row < block.end; ++row) {
      for (Eigen::Index c = 0; c < columns; ++c) {
        const double v = value(row, c);  // NaN as the second of two is passed over
        const auto column = static_cast<std::size_t>(c);
        least[column] = std::min(least[column], v);
        most[column] = std::max(most[column], v);
      }
    }
    for (std::size_t c = 0; c < least.size(); ++c) {
      const bool any = least[c] <= most[c];
      put(at, c, any ? least[c] : kNaN);
      put(at + 1, c, any ? most[c] : kNaN);
    }
    at += 2;
  }
  return array_json("f32", columns, out);
}

Json matrix_json(const Sampling& sampling, const SampleMatrix& matrix, Bin how = Bin::extremes) {
  if (matrix.rows() == 0) return {};
  return columns_json(sampling, matrix.cols(), [&](Eigen::Index r, Eigen::Index c) { return matrix(r, c); }, how);
}

Json vector_json(const Sampling& sampling, const VectorX& vector) {
  if (vector.size() == 0) return {};
  return columns_json(sampling, 1, [&](Eigen::Index r, Eigen::Index) { return vector[r]; });
}

/// Codes of a bin: the largest one, twice.
template <class Code>
Json codes_json(const Sampling& sampling, const std::vector<Code>& codes) {
  std::vector<std::uint8_t> out;
  out.reserve(sampling.rows.size());
  for (const Sampling::Block& block : sampling.blocks) {
    std::uint8_t worst = 0;
    for (Eigen::Index row = block.begin; row < block.end; ++row) {
      worst = std::max(worst, static_cast<std::uint8_t>(codes[row]));
    }
    out.push_back(worst);
    if (block.end - block.begin > 1) out.push_back(worst);
  }
  return array_json("u8", 1, out);
}

Json time_json(const Sampling& sampling, const Episode& episode) {
  if (!episode.has_time()) return {};
  std::vector<double> time;
  time.reserve(sampling.rows.size());
  for (const std::int32_t row : sampling.rows) time.push_back(episode.time[row]);
  return array_json("f64", 1, time);
}

/// Components and norm of a force.
template <class Matrix>
Json force_json(const Sampling& sampling, const Matrix& wrench) {
  return columns_json(sampling, 4, [&](Eigen::Index r, Eigen::Index c) {
    return c < 3 ? wrench(r, c) : wrench.row(r).template head<3>().norm();
  });
}

Json reals_json(std::initializer_list<double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Json pose_json(const Pose& X) {
  const Matrix3& R = X.rotation;
  const Vector3& p = X.translation;
  return reals_json(
      {R(0, 0), R(0, 1), R(0, 2), p.x(), R(1, 0), R(1, 1), R(1, 2), p.y(), R(2, 0), R(2, 1), R(2, 2), p.z()});
}

const char* joint_name(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::continuous: return "revolute";
    case JointType::prismatic: return "prismatic";
    default: return "fixed";
  }
}

Json robot_json(const Audit& audit, const MeshFiles* meshes) {
  const RobotDescription& description = audit.description;
  Json links = Json::array(), joints = Json::array();
  for (const LinkDescription& link : description.links) {
    Json shapes = Json::array();
    for (const Shape& shape : link.visuals) {
      std::vector<float> triangles;
      if (shape.kind == ShapeKind::mesh) {
        if (meshes) triangles = drawn_triangles(shape, *meshes);
        if (triangles.empty()) continue;
      }
      Json drawn = Json::object()
                       .set("kind", to_string(shape.kind))
                       .set("pose", pose_json(shape.X_LS))
                       .set("size", reals_json({shape.size.x(), shape.size.y(), shape.size.z()}))
                       .set("color", reals_json({shape.color[0], shape.color[1], shape.color[2], shape.color[3]}));
      if (!triangles.empty()) drawn.set("triangles", array_json("f32", 1, triangles));
      shapes.push_back(std::move(drawn));
    }
    links.push_back(Json::object().set("name", link.name).set("shapes", std::move(shapes)));
  }
  for (const JointDescription& joint : description.joints) {
    Json motor;
    for (std::size_t m = 0; m < audit.audited.ranges.size(); ++m) {
      if (audit.audited.ranges[m].joint == joint.name) motor = Json(m);
    }
    joints.push_back(Json::object()
                         .set("name", joint.name)
                         .set("type", joint_name(joint.type))
                         .set("parent", joint.parent)
                         .set("child", joint.child)
                         .set("pose", pose_json(joint.X_PJ))
                         .set("axis", reals_json({joint.axis.x(), joint.axis.y(), joint.axis.z()}))
                         .set("motor", std::move(motor)));
  }
  return Json::object()
      .set("title", audit.robot_title)
      .set("root", description.root)
      .set("links", std::move(links))
      .set("joints", std::move(joints));
}

/// Intervals of the guard as columns from, to (rows), state, action and place among `reasons`.
Json timeline_json(const EstimateSeries& series) {
  const std::vector<GuardInterval> intervals = guard_timeline(series, 0);
  std::vector<Reasons> known;
  Json reasons = Json::array();
  std::vector<std::int32_t> columns(5 * intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const GuardInterval& interval = intervals[i];
    const auto found = std::find(known.begin(), known.end(), interval.because);
    const auto place = static_cast<std::int32_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(interval.because);
      reasons.push_back(reasons_in_words(interval.because));
    }
    const std::int32_t values[] = {static_cast<std::int32_t>(interval.from), static_cast<std::int32_t>(interval.to),
                                   state_lane(interval.state), static_cast<std::int32_t>(interval.action), place};
    for (std::size_t c = 0; c < 5; ++c) columns[c * intervals.size() + i] = values[c];
  }
  return Json::object().set("intervals", array_json("i32", 5, columns)).set("reasons", std::move(reasons));
}

/// Columns of steps.csv by their names (step_columns.hpp), at the steps of the sampling.
Json column_json(const Sampling& sampling, const Reconstruction& r, const EstimateSeries& series,
                 std::initializer_list<std::string_view> names) {
  std::vector<const StepNumber*> columns;
  for (const std::string_view name : names) columns.push_back(&step_number(name));
  return columns_json(sampling, std::ssize(columns),
                      [&](Eigen::Index row, Eigen::Index c) { return (*columns[c])(StepOfSeries{r, series, row}); });
}

/// What the posterior says beyond the force. \param whole with what only the audited episode needs
Json posterior_json(const Sampling& sampling, const Reconstruction& r, const EstimateSeries& series, bool whole) {
  const PosteriorTrace& trace = *series.posterior;
  const auto column = [&](std::initializer_list<std::string_view> names) {
    return column_json(sampling, r, series, names);
  };
  Json result = Json::object().set("worst_sd", column({"worst_sd"})).set("nis", column({"nis"}));
  if (!whole) return result;
  const auto step = [](Eigen::Index row) { return row < 0 ? Json() : Json(static_cast<std::int64_t>(row)); };
  result
      .set("sd", column({"sd_Fx", "sd_Fy", "sd_Fz"}))
      // Axes that belong together: of one step of a bin.
      .set("axes", matrix_json(sampling, trace.force_axes, Bin::first_and_middle))
      .set("nis_threshold", column({"nis_threshold"}))
      .set("first_alarm", step(trace.first_alarm))
      .set("alarms", static_cast<std::int64_t>(trace.alarms))
      .set("guarded", force_json(sampling, series.guarded_force))
      .set("state", codes_json(sampling, trace.state))
      .set("timeline", timeline_json(series));
  Json motors = Json::array();
  for (const int motor : trace.rows) motors.push_back(motor);
  return result.set("motors", std::move(motors))
      .set("detectable_bias",
           columns_json(sampling, trace.detectable_bias.cols(), [&](Eigen::Index row, Eigen::Index c) {
             return static_cast<double>(trace.detectable_bias(row, c));
           }));
}

Json series_json(const Sampling& sampling, const Reconstruction& r, const EstimateSeries& series) {
  Json result = Json::object()
                    .set("endpoint", series.endpoint)
                    .set("label", series.label)
                    .set("estimator", to_string(series.estimator))
                    .set("sign", to_string(series.sign))
                    .set("force", force_json(sampling, series.wrench));
  if (series.posterior) result.set("posterior", posterior_json(sampling, r, series, true));
  if (series.estimator != EstimatorName::deployed) return result;
  result.set("guarded", force_json(sampling, series.guarded_force))
      .set("gain", column_json(sampling, r, series, {"reference_gain_Fz"}))
      .set("kappa", column_json(sampling, r, series, {"kappa"}))
      .set("sigma_min", column_json(sampling, r, series, {"sigma_min"}))
      .set("verdict", codes_json(sampling, series.verdict));
  const auto& parts = series.contribution_Fz;
  if (parts.rows() > 0) {
    result.set("contribution", columns_json(sampling, parts.cols(), [&](Eigen::Index row, Eigen::Index c) {
                 return static_cast<double>(parts(row, c));
               }));
  }
  Json guards = Json::array();
  for (const GuardTrace& guard : series.guards) {
    guards.push_back(Json::object()
                         .set("name", to_string(guard.guard))
                         .set("limit", guard.limit)
                         .set("acts", static_cast<std::int64_t>(guard.acts))
                         .set("action", codes_json(sampling, guard.action)));
  }
  result.set("guards", std::move(guards));
  return result;
}

/// What the codes of enumerations are called, in the order of their values.
template <NamedEnum Enum, class Words>
Json words_json(Words&& words) {
  Json list = Json::array();
  for (std::size_t i = 0; i < enum_names(Enum{}).size(); ++i) list.push_back(words(static_cast<Enum>(i)));
  return list;
}
Json names_json() {
  const auto plain = [](auto value) { return in_words(to_string(value)); };
  return Json::object()
      .set("verdict", words_json<Verdict>(plain))
      .set("guard_action", words_json<GuardAction>(plain))
      .set("consumer_action", words_json<ConsumerAction>(action_in_words));
}

Json baseline_json(const EpisodeAudit& baseline) {
  const Sampling sampling = sample_steps(baseline.episode.steps(), -1);
  Json series = Json::array();
  for (const EstimateSeries& s : baseline.reconstruction.series) {
    if (s.estimator != EstimatorName::deployed || !s.consumed) continue;
    const EstimateSeries* posterior = series_of(baseline, s.endpoint, EstimatorName::posterior);
    series.push_back(Json::object()
                         .set("endpoint", s.endpoint)
                         .set("posterior", posterior && posterior->posterior
                                               ? posterior_json(sampling, baseline.reconstruction, *posterior, false)
                                               : Json())
                         .set("force", force_json(sampling, s.wrench))
                         .set("gain", column_json(sampling, baseline.reconstruction, s, {"reference_gain_Fz"}))
                         .set("kappa", column_json(sampling, baseline.reconstruction, s, {"kappa"}))
                         .set("sigma_min", column_json(sampling, baseline.reconstruction, s, {"sigma_min"})));
  }
  return Json::object()
      .set("name", baseline.episode.name)
      .set("rows", array_json("i32", 1, sampling.rows))
      .set("time", time_json(sampling, baseline.episode))
      .set("reference_residual", vector_json(sampling, baseline.reconstruction.reference_residual))
      .set("series", std::move(series));
}

}  // namespace

Sampling sample_steps(Eigen::Index steps, Eigen::Index focus) {
  Sampling sampling;
  sampling.whole_end = steps;
  if (steps > kWholeSteps) {
    sampling.bin = (steps + kOverviewBins - 1) / kOverviewBins;
    sampling.whole_begin = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus - kWindowSteps, 0, steps);
    sampling.whole_end = focus < 0 ? 0 : std::clamp<Eigen::Index>(focus + kWindowSteps + 1, 0, steps);
  }
  const auto binned = [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index at = begin; at < end; at += sampling.bin) {
      sampling.blocks.push_back({at, std::min(at + sampling.bin, end)});
    }
  };
  binned(0, sampling.whole_begin);
  for (Eigen::Index row = sampling.whole_begin; row < sampling.whole_end; ++row) {
    sampling.blocks.push_back({row, row + 1});
  }
  binned(sampling.whole_end, steps);
  for (const Sampling::Block& block : sampling.blocks) {
    sampling.rows.push_back(static_cast<std::int32_t>(block.begin));
    if (block.end - block.begin > 1) sampling.rows.push_back(static_cast<std::int32_t>((block.begin + block.end) / 2));
  }
  return sampling;
}

std::string viewer_payload(const Audit& audit, const MeshFiles* meshes) {
  const EpisodeAudit& audited = audit.audited;
  const Reconstruction& r = audited.reconstruction;
  const Eigen::Index focus = audit.focus_step < 0 ? -1 : audit.focus_step - r.first_step;
  const Sampling sampling = sample_steps(r.steps(), focus);

  Json motors = Json::array();
  Json reference;
  for (std::size_t m = 0; m < audited.ranges.size(); ++m) {
    motors.push_back(Json::object().set("joint", audited.ranges[m].joint).set("label", audited.ranges[m].label));
    if (audited.ranges[m].joint == audit.reference_joint) reference = Json(m);
  }
  Json series = Json::array();
  for (const EstimateSeries& s : r.series) {
    if (s.consumed) series.push_back(series_json(sampling, r, s));
  }
  Json events = Json::array();
  for (const Event& event : audit.events) {
    events.push_back(Json::object()
                         .set("step", static_cast<std::int64_t>(event.step))
                         .set("kind", to_string(event.kind))
                         .set("text", event.text));
  }
  Json baselines = Json::array();
  for (const EpisodeAudit& baseline : audit.baselines) baselines.push_back(baseline_json(baseline));

  std::string text = Json::object()
                         .set("schema", "antaeus.report.payload/2")
                         .set("names", names_json())
                         .set("name", audited.episode.name)
                         .set("first_step", static_cast<std::int64_t>(r.first_step))
                         .set("steps", static_cast<std::int64_t>(r.steps()))
                         .set("sampling", Json::object()
                                              .set("bin", static_cast<std::int64_t>(sampling.bin))
                                              .set("whole_begin", static_cast<std::int64_t>(sampling.whole_begin))
                                              .set("whole_end", static_cast<std::int64_t>(sampling.whole_end)))
                         .set("focus", Json::object()
                                           .set("row", focus < 0 ? Json() : Json(static_cast<std::int64_t>(focus)))
                                           .set("endpoint", audit.focus_endpoint))
                         .set("rows", array_json("i32", 1, sampling.rows))
                         .set("time", time_json(sampling, audited.episode))
                         .set("motors", std::move(motors))
                         .set("reference_motor", std::move(reference))
                         .set("q", matrix_json(sampling, audited.episode.q, Bin::first_and_middle))
                         .set("target", matrix_json(sampling, audited.episode.target))
                         .set("tau", matrix_json(sampling, audited.episode.tau))
                         .set("residual", matrix_json(sampling, r.residual))
                         .set("series", std::move(series))
                         .set("baselines", std::move(baselines))
                         .set("events", std::move(events))
                         .set("robot", robot_json(audit, meshes))
                         .dump(-1);
  // Inside a JSON text "<" stands in strings only, where \u003c means the same and cannot end the element.
  std::string safe;
  safe.reserve(text.size() + 64);
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace antaeus::parts
