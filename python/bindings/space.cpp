// Free-flying robots. What a call returns owns its numbers: the next call does not change them.
#include <nanobind/make_iterator.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>

#include <functional>
#include <memory>
#include <optional>

#include "antaeus/robot/robot_profile.hpp"
#include "antaeus/space/free_flight.hpp"
#include "antaeus/space/free_flyer.hpp"
#include "antaeus/space/initial_configuration.hpp"
#include "antaeus/space/published_scheme.hpp"
#include "convert.hpp"
#include "fields.hpp"
#include "published_scheme.hpp"
#include "shared_enumerations.hpp"

namespace nanobind::detail {

template <>
struct type_caster<antaeus::TwistAxes> : EnumerationCaster<antaeus::TwistAxes, "antaeus.TwistAxes"> {};
template <>
struct type_caster<antaeus::CoriolisForm> : EnumerationCaster<antaeus::CoriolisForm, "antaeus.CoriolisForm"> {};
template <>
struct type_caster<antaeus::NullFreeze> : EnumerationCaster<antaeus::NullFreeze, "antaeus.NullFreeze"> {};
template <>
struct type_caster<antaeus::InitialScore> : EnumerationCaster<antaeus::InitialScore, "antaeus.InitialScore"> {};

}  // namespace nanobind::detail

namespace antaeus::python {

namespace {

/// A state, and a workspace beside the user's that answers questions about it: what the user's remembers stays.
struct FlyingState {
  std::shared_ptr<FreeFlyer> probe;
  VectorX q, v;
};

struct FlyingMotion : FlyingState {
  FreeFlyingMotion motion;
};
struct FlyingTerms : FlyingMotion {
  FreeFlyingTerms terms;
};

/// The user's workspace, and the state of its last call.
struct FlyerOfPython {
  FlyerOfPython(const RobotModel& model, const std::string& frame, const FreeFlyerOptions& options)
      : flying(model, frame, options), last{std::make_shared<FreeFlyer>(model, frame, options), {}, {}} {}

  FlyingState state(const ArrayArgument& q, const ArrayArgument& v, const char* place) {
    last.q = as_vector(q, place, "q", flying.model().nq());
    last.v = as_vector(v, place, "v", flying.model().nv());
    return last;
  }

  FreeFlyer flying;
  FlyingState last;
};

TwistAxes axes_named(std::string_view name) {
  return name == "lwa" ? TwistAxes::local_world_aligned : parse_enum<TwistAxes>(name, "twist.axes");
}

auto twist_in(const FlyingState& self, FrameId frame, std::string_view axes) {
  constexpr const char* kPlace = "FreeFlyer.twist";
  const TwistAxes chosen = axes_named(axes);
  if (self.q.size() == 0) throw StatusError(kPlace, Status::not_computed, "no state yet", "call at or motion_at first");
  Vector6 twist;
  require(self.probe->motion_at(self.q, self.v).status, kPlace);
  require(self.probe->twist(frame, chosen, twist), kPlace);
  return fresh(twist);
}

constexpr const char* kTwistDoc =
    "Twist [6], linear before angular, of a frame, by name or FrameId, in this state. axes: local (of the frame's "
    "origin, in its axes), world (of the body's point at the world's origin, in world axes), local_world_aligned or "
    "lwa (of the frame's origin, in world axes). StatusError where the state could not be used.";

/// twist(frame, axes) of whatever has a state.
template <class Class, class Get>
void bind_twist(Class& bound, Get get) {
  using Self = typename Class::Type;
  bound.def(
      "twist",
      [get](const Self& self, FrameId frame, std::string_view axes) { return twist_in(get(self), frame, axes); },
      "frame"_a, "axes"_a = "local", kTwistDoc);
  bound.def(
      "twist",
      [get](const Self& self, std::string_view frame, std::string_view axes) {
        const FlyingState& state = get(self);
        return twist_in(state, state.probe->model().frame(frame), axes);
      },
      "frame"_a, "axes"_a = "local");
}

void bind_motion(nb::module_& module) {
  nb::class_<FlyingMotion> motion(
      module, "FreeFlyingMotion",
      "Kinematics of one state: world W, base B, end-effector E, centre of mass C. Plain data of "
      "its own; NaN unless status is ok.");
  motion.def_prop_ro(
            "q", [](const FlyingMotion& self) { return frozen(self.q); }, kOwned, "[7 + n]")
      .def_prop_ro("v", [](const FlyingMotion& self) { return frozen(self.v); }, kOwned, "[6 + n], base in base axes.");
  bind_fields_of<FreeFlyingMotion>(motion, [](const FlyingMotion& self) -> const auto& { return self.motion; });
  bind_twist(motion, [](const FlyingMotion& self) -> const FlyingState& { return self; });
}

void bind_terms(nb::module_& module) {
  nb::class_<FlyingTerms, FlyingMotion> terms(
      module, "FreeFlyingTerms",
      "Motion and dynamics of one state: y = Γ v = [v_c in W; ω_b in B; ν_e⊕ in E], M̂ ẏ + "
      "Ĉ y = f, τ = Γᵀ f. Plain data of its own. NaN unless status is ok, but for "
      "J_plus_inverse, which is then the last good one. What belongs to seven joints is None for six.");
  // Before the terms: `status` is that of the whole, not of the singular values.
  bind_fields_of<FreeFlyingConditioning>(
      terms, [](const FlyingTerms& self) -> const auto& { return self.terms.conditioning; });
  bind_fields_of<FreeFlyingTerms>(terms, [](const FlyingTerms& self) -> const auto& { return self.terms; });
  bind_fields_of<NullTerms>(
      terms, [](const FlyingTerms& self) { return self.terms.null.n_hat.size() == 0 ? nullptr : &self.terms.null; });
}

/// Settings of the profile, changed by the caller.
FreeFlyerOptions flyer_options(const Settings& settings, const std::optional<nb::dict>& j_plus,
                               const std::optional<nb::dict>& null_space, std::string_view coriolis,
                               std::string_view compatibility) {
  const FreeFlyerOptions own{
      options_from<ThreeTierOptions>(j_plus.value_or(nb::dict()), settings.get<ThreeTierOptions>()),
      options_from<NullSpaceOptions>(null_space.value_or(nb::dict()), settings.get<NullSpaceOptions>()),
      parse_enum<CoriolisForm>(coriolis, "FreeFlyer.coriolis")};
  if (parse_enum<SpaceCompatibility>(compatibility, "FreeFlyer.compatibility") == SpaceCompatibility::none) return own;
  check_dict_beside_published(settings, "FreeFlyer", "j_plus", j_plus);
  check_dict_beside_published({}, "FreeFlyer", "null_space", null_space);
  return published_scheme({own, {}}).flyer;
}

using Score = std::function<nb::object(nb::object)>;

/// A score of Python as best_sample() asks for one. What it raises, goes up.
std::function<double(ConstVectorRef)> score_of(const Score& score) {
  return [score](ConstVectorRef theta) { return nb::cast<double>(nb::float_(score(nb::cast(fresh(VectorX(theta)))))); };
}

/// Whether the score takes zeros of so many joints: it neither raises nor gives what is not finite.
bool takes(const std::function<double(ConstVectorRef)>& score, int joints) {
  try {
    return std::isfinite(score(VectorX::Zero(joints)));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // the user's interrupt
    return false;
  }
}

BestSample sample(const Score& score, int n, std::int64_t seed, VectorX centre, double step) {
  return best_sample(score_of(score), centre, step, n, static_cast<std::uint64_t>(seed));
}

void bind_flyer(nb::module_& module) {
  std::string doc =
      "robot: a Robot or RobotModel with a free base (load_robot(…, base='floating')) and one arm of 6 or 7 joints; "
      "frame: its end-effector. j_plus, null_space: dicts that change some options of the group; a Robot's profile is "
      "read first. coriolis: passive, or published (not passive where J⊕ is not inverted exactly). "
      "compatibility: none, or published for every choice of GiordanoRobot at once "
      "(docs/concepts/space.md#coordinated-control), beside "
      "which "
      "options that contradict it are refused. ModelError, OptionsError say what does not fit.";
  doc = options_doc<ThreeTierOptions>(doc + "\n\nj_plus");
  doc = options_doc<NullSpaceOptions>(doc + "\n\nnull_space");
  nb::class_<FlyerOfPython> flyer(
      module, "FreeFlyer",
      "From a state (q, v) of a free-flying robot to the terms of its coordinated control. q as "
      "Pinocchio's free flyer (x y z, quaternion x y z w, joints), v with the base's velocities in "
      "base axes. Gravity does not enter. One per thread.");
  const auto define = [&]<class Model>(const char* text) {
    flyer.def(
        "__init__",
        [](FlyerOfPython* self, const Model& robot, const std::string& frame, const std::optional<nb::dict>& j_plus,
           const std::optional<nb::dict>& null_space, std::string_view coriolis, std::string_view compatibility) {
          if constexpr (std::is_same_v<Model, Robot>) {
            new (self) FlyerOfPython(
                robot.model, frame, flyer_options(robot.profile.settings, j_plus, null_space, coriolis, compatibility));
          } else {
            new (self) FlyerOfPython(robot, frame, flyer_options({}, j_plus, null_space, coriolis, compatibility));
          }
        },
        "robot"_a, "frame"_a, nb::kw_only(), "j_plus"_a = nb::none(), "null_space"_a = nb::none(),
        "coriolis"_a = "passive", "compatibility"_a = "none", text);
  };
  define.operator()<Robot>(doc.c_str());
  define.operator()<RobotModel>("");
  flyer
      .def(
          "at",
          [](FlyerOfPython& self, const ArrayArgument& q, const ArrayArgument& v) {
            const FlyingState state = self.state(q, v, "FreeFlyer.at");
            const FreeFlyingTerms& terms = self.flying.at(state.q, state.v);
            return FlyingTerms{{state, terms.motion}, terms};
          },
          "q"_a, "v"_a, "Motion and dynamics. Raises for wrong shapes alone: else the result has a status.")
      .def(
          "motion_at",
          [](FlyerOfPython& self, const ArrayArgument& q, const ArrayArgument& v) {
            const FlyingState state = self.state(q, v, "FreeFlyer.motion_at");
            return FlyingMotion{state, self.flying.motion_at(state.q, state.v)};
          },
          "q"_a, "v"_a, "Kinematics alone: no mass matrix, no memory.")
      .def(
          "j_plus",
          [](const FlyerOfPython& self, const ArrayArgument& q) {
            Matrix6X J(6, self.flying.joints());
            require(self.last.probe->j_plus(as_vector(q, "FreeFlyer.j_plus", "q", self.flying.model().nq()), J),
                    "FreeFlyer.j_plus");
            return fresh(J);
          },
          "q"_a, "J⊕ [6 × n] at rest. Touches nothing that is remembered, as gamma and conditioning_at.")
      .def(
          "gamma",
          [](const FlyerOfPython& self, const ArrayArgument& q) {
            MatrixX Gamma(12, self.flying.model().nv());
            require(self.last.probe->gamma(as_vector(q, "FreeFlyer.gamma", "q", self.flying.model().nq()), Gamma),
                    "FreeFlyer.gamma");
            return fresh(Gamma);
          },
          "q"_a, "Γ [12 × (6 + n)] at rest.")
      .def(
          "conditioning_at",
          [](const FlyerOfPython& self, const ArrayArgument& q) {
            return self.last.probe->conditioning_at(
                as_vector(q, "FreeFlyer.conditioning_at", "q", self.flying.model().nq()));
          },
          "q"_a, "Smallest singular values and conditions of J⊕ and Γ.")
      .def(
          "best_sample",
          [](const FlyerOfPython& self, const Score& score, int n, std::int64_t seed,
             const std::optional<ArrayArgument>& centre, double step) {
            const int joints = self.flying.joints();
            return sample(score, n, seed,
                          centre ? VectorX(as_vector(*centre, "FreeFlyer.best_sample", "centre", joints))
                                 : VectorX(VectorX::Zero(joints)),
                          step);
          },
          "score"_a, "n"_a, "seed"_a, "centre"_a = nb::none(), "step"_a = InitialOptions{}.step,
          "antaeus.best_sample with as many joints as this robot has.")
      .def(
          "reset", [](FlyerOfPython& self) { self.flying.reset(); },
          "Begins a new motion: forgets last inverse and kernel.")
      .def(
          "model", [](const FlyerOfPython& self) { return self.flying.model(); }, "The model; a cheap handle.")
      .def(
          "frame", [](const FlyerOfPython& self) { return self.flying.frame(); }, "The end-effector.")
      .def("joints", [](const FlyerOfPython& self) { return self.flying.joints(); }, "n: 6 or 7.");
  bind_twist(flyer, [](const FlyerOfPython& self) -> const FlyingState& { return self.last; });
}

void bind_beginning(nb::module_& module) {
  nb::class_<BestSample> best_sample(module, "BestSample", "What a search found: theta, score = best.");
  best_sample.def(
      "__iter__", [](const BestSample& self) { return nb::iter(nb::make_tuple(fresh(self.theta), self.score)); },
      nb::sig("def __iter__(self) -> collections.abc.Iterator"));
  bind_fields(best_sample);
  bind_struct<ElbowLaw>(module, "ElbowLaw", "σ_min of the bare arm near its straight elbow: slope · |sin θ|.");
  module.def(
      "best_sample",
      [](const Score& score, int n, std::int64_t seed, const std::optional<ArrayArgument>& centre, double step) {
        if (centre) return sample(score, n, seed, as_vector(*centre, "best_sample", "centre"), step);
        const auto asked = score_of(score);
        const int joints = takes(asked, 6) || !takes(asked, 7) ? 6 : 7;
        return sample(score, n, seed, VectorX::Zero(joints), step);
      },
      "score"_a, "n"_a, "seed"_a, "centre"_a = nb::none(), "step"_a = InitialOptions{}.step,
      "The best of centre and n candidates around it, each joint uniform within ± step, rad: the same for the same "
      "seed everywhere. score(theta) → number, larger is better; not finite: refused. Without a centre: as many zeros "
      "as an arm has joints that the score takes, six, or seven where it raises or is not finite at six. "
      "FreeFlyer.best_sample knows the number.");
  const std::string search =
      options_signature<InitialOptions>("def choose_q_init_by_sigma(flying: FreeFlyer", ") -> BestSample");
  module.def(
      "choose_q_init_by_sigma",
      [](const FlyerOfPython& flying, const nb::kwargs& options) {
        return choose_q_init_by_sigma(*flying.last.probe, options_from<InitialOptions>(options));
      },
      "flying"_a, "options"_a, nb::sig(search.c_str()),
      options_doc<InitialOptions>("Joints of a large smallest singular value, searched around neutral.").c_str());
  module.def(
      "fit_elbow_law",
      [](const FlyerOfPython& flying, int elbow, int wrist) { return fit_elbow_law(*flying.last.probe, elbow, wrist); },
      "flying"_a, "elbow"_a = 2, "wrist"_a = 4, "Fits ElbowLaw to this robot; joints are counted from 0.");
  module.def(
      "deterministic_q_init",
      [](const FlyerOfPython& flying, double target_sigma, double slope, const std::string& elbow,
         const std::string& wrist) {
        const DeterministicOptions options{
            .enabled = true, .target_sigma = target_sigma, .slope = slope, .elbow = elbow, .wrist = wrist};
        return fresh(deterministic_q_init(*flying.last.probe, options));
      },
      "flying"_a, "target_sigma"_a = DeterministicOptions{}.target_sigma, "slope"_a = 0.0, "elbow"_a = "",
      "wrist"_a = "",
      "Joints [n] whose bare arm has this smallest singular value, by the elbow law: no generator. slope 0: fitted to "
      "this robot. elbow, wrist: joints by name; empty: the third and fifth of six, the fourth and sixth of seven. "
      "OptionsError for joints that are not there.");
  module.def(
      "initial_joints",
      [](const FlyerOfPython& flying, const std::optional<nb::dict>& initial, const std::optional<nb::dict>& det) {
        return fresh(initial_joints(*flying.last.probe, options_from<InitialOptions>(initial.value_or(nb::dict())),
                                    options_from<DeterministicOptions>(det.value_or(nb::dict()))));
      },
      "flying"_a, nb::kw_only(), "initial"_a = nb::none(), "det"_a = nb::none(),
      "Joints [n] to begin with: the search of choose_q_init_by_sigma, or with det=dict(enabled=True) the elbow law. "
      "Dicts change options of the groups initial and det.");
  module.def(
      "perturbed_start",
      [](const ArrayArgument& theta, double q0_eps) {
        return fresh(perturbed_start(as_vector(theta, "perturbed_start", "theta"), q0_eps));
      },
      "theta"_a, "q0_eps"_a,
      "theta + q0_eps along a stored unit direction [n], rad, for a plant's start alone; 0: theta itself.");
}

void bind_flight(nb::module_& module) {
  nb::class_<FreeFlight> flight(module, "FreeFlight",
                                "A robot that nothing holds, moved on under forces and torques by a method of order 4 "
                                "on the manifold of its configurations. StatusError where a state or a torque cannot "
                                "be used; the state then stays as it was.");
  flight.def(
      "__init__", [](FreeFlight* self, const Robot& robot) { new (self) FreeFlight(robot.model); }, "robot"_a,
      "ModelError without a free base.");
  flight.def(nb::init<RobotModel>(), "robot"_a)
      .def(
          "reset",
          [](FreeFlight& self, const ArrayArgument& q, const ArrayArgument& v) {
            constexpr const char* kPlace = "FreeFlight.reset";
            require(
                self.reset(as_vector(q, kPlace, "q", self.model().nq()), as_vector(v, kPlace, "v", self.model().nv())),
                kPlace);
          },
          "q"_a, "v"_a, "To this state, time zero.")
      .def(
          "step",
          [](FreeFlight& self, const ArrayArgument& tau, double dt) {
            constexpr const char* kPlace = "FreeFlight.step";
            require(self.step(as_vector(tau, kPlace, "tau", self.model().nv()), dt), kPlace);
          },
          "tau"_a, "dt"_a, "tau [nv]: f_b, τ_b in base axes, then the joints', constant through dt, s.")
      .def(
          "model", [](const FreeFlight& self) { return self.model(); }, "The model; a cheap handle.")
      .def("time", &FreeFlight::time, "s")
      .def(
          "q", [](const FreeFlight& self) { return fresh(self.q()); }, "[nq]")
      .def(
          "v", [](const FreeFlight& self) { return fresh(self.v()); }, "[nv], base velocities in base axes.")
      .def(
          "v_dot", [](const FreeFlight& self) { return fresh(self.v_dot()); },
          "[nv] at the beginning of the last step; NaN before it.");
}

}  // namespace

void bind_space(nb::module_& module) {
  bind_enumeration<TwistAxes>(module, "Axes and point of a frame's twist, as Pinocchio names them.");
  bind_enumeration<CoriolisForm>(module,
                                 "How Ĉ is formed. passive: M̂̇ − 2Ĉ is skew in every tier. published: the same for an "
                                 "exact inverse of six joints, else not passive.");
  bind_enumeration<NullFreeze>(module, "What stays while the kernel is frozen: direction, n̂ alone; all, as published.");
  bind_enumeration<InitialScore>(module, "What a search asks for.");
  bind_struct<FreeFlyingConditioning>(module, "FreeFlyingConditioning", "Of J⊕ and Γ; conditions infinite at σ = 0.");
  bind_struct<NullDirectionReport>(module, "NullDirectionReport", "The kernel of J⊕ at one state.");
  bind_motion(module);
  bind_terms(module);
  bind_flyer(module);
  bind_beginning(module);
  bind_flight(module);
}

}  // namespace antaeus::python
