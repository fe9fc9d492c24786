// antaeus advise: the nearest pose from which torques can tell what they should.
#include <algorithm>
#include <cmath>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/json_fields.hpp"
#include "antaeus/pose/pose_advice.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "command.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

Json opening_json(const Opening& opening) {
  return opening.found ? Json(Json::Array{opening.to, opening.until}) : Json();
}

/// Parts of an answer as its JSON has them.
struct ToldLimit {
  const PoseLimit& limit;
};
constexpr void visit_fields(const ToldLimit*, auto&& visit) {
  using L = ToldLimit;
  visit(file_field("quantity", "", [](const L& l) { return l.limit.quantity; }));
  visit(file_field("unit", "", [](const L& l) { return unit_of(l.limit.quantity); }));
  visit(file_field("limit", "", [](const L& l) { return l.limit.limit; }));
}
struct ToldSlide {
  const JointMove& move;
};
constexpr void visit_fields(const ToldSlide*, auto&& visit) {
  using M = ToldSlide;
  visit(file_field("joint", "", [](const M& m) { return m.move.joint; }));
  visit(file_field("from", "m", [](const M& m) { return m.move.from; }));
  visit(file_field("to", "m", [](const M& m) { return m.move.to; }));
}
template <bool kSlides>
struct ToldAlone {
  const SingleJointMove& move;
};
template <bool kSlides>
constexpr void visit_fields(const ToldAlone<kSlides>*, auto&& visit) {
  using M = ToldAlone<kSlides>;
  constexpr const char* kUnit = kSlides ? "m" : "rad";
  visit(file_field("joint", "", [](const M& m) { return m.move.joint; }));
  visit(file_field("from", kUnit, [](const M& m) { return m.move.from; }));
  visit(file_field("below", kUnit, [](const M& m) { return opening_json(m.move.below); }));
  visit(file_field("above", kUnit, [](const M& m) { return opening_json(m.move.above); }));
}

/// What every quantity of a pose is at one endpoint.
Json quantities_json(const PoseQuality& quality, const PoseConditioning& at) {
  Json all = Json::object();
  for (const PoseQuantity quantity : all_values<PoseQuantity>())
    all.set(to_string(quantity), quality.value(at, quantity));
  return all;
}
struct ToldEndpoint {
  const PoseAdvice& advice;
  const PoseQuality& quality;
  std::size_t at;
};
constexpr void visit_fields(const ToldEndpoint*, auto&& visit) {
  using E = ToldEndpoint;
  visit(file_field("endpoint", "", [](const E& e) { return e.advice.before[e.at].endpoint; }));
  visit(file_field("now", "", [](const E& e) { return quantities_json(e.quality, e.advice.before[e.at]); }));
  visit(file_field("there", "", [](const E& e) {
    return e.advice.found ? quantities_json(e.quality, e.advice.after[e.at]) : Json();
  }));
  visit(file_field("moved", "m", [](const E& e) { return e.advice.hand_shift[e.at]; }));
}

struct ToldAdvice {
  const PoseAdvice& advice;
  const PoseQuality& quality;
  std::vector<ToldEndpoint> endpoints() const {
    std::vector<ToldEndpoint> all;
    for (std::size_t k = 0; k < advice.before.size(); ++k) all.push_back({advice, quality, k});
    return all;
  }
};
constexpr void visit_fields(const ToldAdvice*, auto&& visit) {
  using A = ToldAdvice;
  visit(file_field("set", "", [](const A& a) { return a.advice.limits.name; }));
  visit(file_field("limits", "", [](const A& a) {
    std::vector<PoseLimit> asked;
    for (const PoseLimit& limit : a.advice.limits.limits) {
      if (limit.left_out.size() < a.advice.before.size()) asked.push_back(limit);
    }
    return list_json(asked, [](auto& limit) { return to_json(ToldLimit{limit}); });
  }));
  visit(file_field("left_out", "", [](const A& a) { return note_texts(a.advice.limits.notes); }));
  visit(file_field("satisfied", "", [](const A& a) { return a.advice.satisfied; }));
  visit(file_field("found", "", [](const A& a) { return a.advice.found; }));
  visit(file_field("distance", "rad", [](const A& a) { return a.advice.found ? a.advice.distance : kNaN; }));
  visit(file_field("positions", "rad", [](const A& a) { return a.advice.found ? vector_json(a.advice.q) : Json(); }));
  visit(file_field("moves", "", [](const A& a) {
    return list_json(a.advice.moves, [&](auto& move) {
      return slides(a.quality.model(), move.motor) ? to_json(ToldSlide{move}) : to_json(move);
    });
  }));
  visit(file_field("endpoints", "", [](const A& a) { return a.endpoints(); }));
  visit(file_field("alone", "", [](const A& a) {
    return list_json(a.advice.alone, [&](auto& move) {
      return slides(a.quality.model(), move.motor) ? to_json(ToldAlone<true>{move}) : to_json(ToldAlone<false>{move});
    });
  }));
}

struct AdviseCommand {
  RobotChoice robot;
  PoseChoice pose;
  EndpointChoice endpoints;
  std::vector<std::string> joints, sets, custom;
  double keep_hand = 0.0;
  bool json = false;

  int run() const {
    if (!std::isfinite(keep_hand) || keep_hand < 0) {
      throw OptionsError("--keep-hand", "no distance", "give metres, zero or more");
    }
    const Robot loaded = robot.load();
    const std::vector<std::string> frames = endpoints.frames(loaded);
    const LabelledPose posed = pose.load(loaded, audit_options(loaded, frames).episode);
    for (const std::string& joint : joints) motor_named(loaded.model, joint, "--joint");
    PoseAdviceOptions how = loaded.settings(frames).get<PoseAdviceOptions>();
    if (keep_hand > 0) how.keep_hand = keep_hand;
    std::vector<PoseAdvice> advice;
    for (const PoseLimits& limits : wanted(loaded, frames)) {
      advice.push_back(advise(loaded, frames, posed.q, limits, joints, how));
    }
    const PoseQuality quality(loaded, frames);
    std::vector<Note> notes = pose_notes(loaded, posed.q, pose.typed(), frames);
    for (const PoseAdvice& one : advice) notes.insert(notes.end(), one.limits.notes.begin(), one.limits.notes.end());
    print(json ? with_base(with_notes(advice_json(advice, posed, quality), notes), loaded).dump() + "\n"
               : to_text(advice, posed, quality) + "\n" + notes_text(notes) + "  " + base_line(loaded) + "\n");
    return std::all_of(advice.begin(), advice.end(), [](const auto& a) { return a.found; }) ? kFine : kRefused;
  }

  std::vector<PoseLimits> wanted(const Robot& loaded, const std::vector<std::string>& frames) const {
    std::vector<PoseLimits> all;
    for (const std::string& name : sets)
      all.push_back(pose_limits(loaded, parse_enum<PoseLimitSet>(name, "--limits", "set of limits"), frames));
    if (!custom.empty()) {
      PoseLimits own{"custom", {}};
      for (const std::string& text : custom) own.limits.push_back(parse_pose_limit(text));
      all.push_back(std::move(own));
    }
    if (all.empty()) {
      for (const PoseLimitSet set : {PoseLimitSet::sd, PoseLimitSet::published})
        all.push_back(pose_limits(loaded, set, frames));
    }
    return all;
  }

  static std::string limits_text(const PoseLimits& limits, std::size_t endpoints) {
    std::string text;
    for (const PoseLimit& limit : limits.limits) {
      if (limit.left_out.size() == endpoints) continue;
      const std::string unit(unit_of(limit.quantity));
      text += (text.empty() ? "" : ", ") + std::string(to_string(limit.quantity)) + " < " + short_number(limit.limit) +
              (unit == "1" ? "" : " " + unit);
    }
    return text.empty() ? "nothing that a pose could pass" : text;
  }

  /// Up to three decimals, none that say nothing.
  static std::string short_number(double value) { return without_end_zeros(fixed(value, 3)); }

  /// Rounded into the permitted side, so that who copies the number passes.
  static std::string towards(double value, double inside) {
    const double scaled = value * 1000.0;
    return fixed((inside < value ? std::floor(scaled) : std::ceil(scaled)) / 1000.0, 3);
  }

  static std::string single_text(const SingleJointMove& move) {
    std::string text;
    for (const Opening* side : {&move.below, &move.above}) {
      if (!side->found) continue;
      if (!text.empty()) text += " or ";
      text += (side == &move.below ? "≤ " : "≥ ") + towards(side->to, side->until) + " (to " +
              towards(side->until, side->to) + ")";
    }
    return text.empty() ? "no position suffices" : text;
  }

  static std::string to_text(const std::vector<PoseAdvice>& all, const LabelledPose& posed,
                             const PoseQuality& quality) {
    std::string text;
    for (const PoseAdvice& a : all) {
      text += heading("Limits " + a.limits.name + ": " + limits_text(a.limits, a.before.size()) + ", from the pose " +
                      posed.name);
      TextTable values({"endpoint", "of", "unit", "now", a.found && !a.satisfied ? "there" : "", "limit"});
      for (std::size_t k = 0; k < a.before.size(); ++k) {
        for (const PoseLimit& limit : a.limits.limits) {
          if (!limit.is_asked_of(a.before[k].endpoint)) continue;
          values.add({a.before[k].endpoint, std::string(to_string(limit.quantity)),
                      std::string(unit_of(limit.quantity)), condition(quality.value(a.before[k], limit.quantity), 3),
                      a.found && !a.satisfied ? condition(quality.value(a.after[k], limit.quantity), 3) : "",
                      "< " + short_number(limit.limit)});
        }
      }
      text += values.text();
      if (a.satisfied) {
        text += "\n  This pose satisfies them: nothing need move.\n";
        continue;
      }
      if (a.found) {
        const RobotModel& model = quality.model();
        const auto sliding = [&](const JointMove& move) { return slides(model, move.motor); };
        const bool some = std::ranges::any_of(a.moves, sliding), only = std::ranges::all_of(a.moves, sliding);
        const std::string unit = !some ? " rad" : only ? " m" : "";  // mixed: the cells say which
        TextTable moves({"joint", "from" + unit, "to" + unit, "by" + unit});
        for (const JointMove& move : a.moves) {
          const std::string own = !some || only ? "" : sliding(move) ? " m" : " rad";
          // Away from where it was: the pose lies on the border.
          moves.add({move.joint, fixed(move.from, 3) + own, towards(move.to, 2 * move.to - move.from) + own,
                     fixed(move.to - move.from, 3) + own});
        }
        double shift = 0;
        for (const double own : a.hand_shift) shift = std::max(shift, own);
        text += "\n  Nearest pose found (a local optimum), " + fixed(a.distance, 3) +
                (!some  ? " rad"
                 : only ? " m"
                        : " (rad and m together)") +
                " away, endpoints move up to " + fixed(shift, 3) + " m:\n" + moves.text();
      } else {
        text += "\n  No pose found that satisfies them.\n";
      }
      const bool slide = std::ranges::any_of(
          a.alone, [&](const SingleJointMove& move) { return slides(quality.model(), move.motor); });
      TextTable alone(
          {"one joint alone", slide ? "unit" : "", slide ? "now" : "now rad", slide ? "needs" : "needs rad"});
      for (const SingleJointMove& move : a.alone) {
        const std::string unit = !slide ? "" : slides(quality.model(), move.motor) ? "m" : "rad";
        alone.add({move.joint, unit, fixed(move.from, 3), single_text(move)});
      }
      if (!alone.empty()) text += "\n" + alone.text();
    }
    return text;
  }

  static Json advice_json(const std::vector<PoseAdvice>& all, const LabelledPose& posed, const PoseQuality& quality) {
    return Json::object()
        .set("schema", "antaeus.advise/1")
        .set("pose", posed.name)
        .set("advice", list_json(all, [&](const PoseAdvice& a) { return antaeus::to_json(ToldAdvice{a, quality}); }));
  }
};

}  // namespace

void add_advise(CLI::App& app, Run& run) {
  auto command = std::make_shared<AdviseCommand>();
  CLI::App* verb = app.add_subcommand("advise", "find the nearest pose that satisfies a set of limits");
  command->robot.add_to(*verb);
  command->robot.add_threads_to(*verb);
  command->pose.add_to(*verb);
  command->endpoints.add_to(*verb);
  verb->add_option("--joint,-j", command->joints,
                   "joint that may move (repeatable; default: all joints of the endpoints' limbs)")
      ->option_text("NAME")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--keep-hand", command->keep_hand, "how far an endpoint may move [m] (default: any)")
      ->option_text("M");
  verb->add_option("--limits", command->sets,
                   "sd, published or preflight (repeatable; default: the first two, one after the other)")
      ->option_text("SET")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--limit", command->custom,
                   "your own limit, such as sd=5; sd, sd_moving, gain, force_gain, kappa, error_force (repeatable: "
                   "all together)")
      ->option_text("OF=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_flag("--json", command->json, "print JSON instead of tables");
  verb->footer("Exit code 1: no pose found. Example: antaeus advise --robot h1_2 --pose arm_waist_target");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
