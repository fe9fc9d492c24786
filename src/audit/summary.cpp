#include "antaeus/audit/summary.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/io/json_fields.hpp"
#include "audit/parts.hpp"

namespace antaeus {

namespace {

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

Json statements_json(const std::vector<Statement>& statements) {
  return list_json(statements, [](const Statement& s) { return Json::object().set("id", s.id).set("text", s.text); });
}

/// What a posterior says at the steps that are listed, and its guard's states.
Json posterior_json(const EstimateSeries& s, Eigen::Index first_step, const std::vector<Eigen::Index>& shown) {
  const PosteriorTrace& t = *s.posterior;
  const auto step = [&](Eigen::Index row) { return row < 0 ? Json() : step_json(first_step + row); };
  const auto in_state = [&](Verdict state) {
    return static_cast<std::int64_t>(std::count(t.state.begin(), t.state.end(), state));
  };
  const auto at = [&](Eigen::Index log_step) {
    const Eigen::Index row = log_step - first_step;
    const auto i = static_cast<std::size_t>(row);
    return Json::object()
        .set("step", step_json(log_step))
        .set("force_N", vector_json(s.wrench.row(row).head<3>().transpose()))
        .set("sd_N", vector_json(t.sd.row(row).head<3>().transpose()))
        .set("worst_sd_N", t.worst_sd[row])
        .set("worst_direction", vector_json(t.worst_direction.row(row).transpose()))
        .set("observable_directions", static_cast<std::int64_t>(t.observable[i]))
        .set("nis", t.nis[row])
        .set("nis_threshold", t.nis_threshold[row])
        .set("misfit", t.misfit[row])
        .set("misfit_limit", t.misfit_limit[row])
        .set("contact_size", t.contact[row])
        .set("contact_size_limit", t.contact_limit[row])
        .set("innovation_Nm", t.innovation[row])
        .set("innovation_sd_Nm", t.innovation_sd[row])
        .set("residual_kind", to_string(t.residual_kind[i]))
        .set("state", to_string(t.state[i]))
        .set("action", to_string(t.action[i]))
        .set("guarded_force_N", vector_json(s.guarded_force.row(row).transpose()))
        .set("reasons", s.reasons[i].text());
  };
  return Json::object()
      .set("nis_alarms", static_cast<std::int64_t>(t.alarms))
      .set("first_nis_alarm_step", step(t.first_alarm))
      .set("first_refusal_step", step(t.first_refusal))
      .set("steps_ok", in_state(Verdict::ok))
      .set("steps_degraded", in_state(Verdict::degraded))
      .set("steps_refused", in_state(Verdict::refused))
      .set("first_worst_sd_N", t.worst_sd.size() > 0 ? Json(t.worst_sd[0]) : Json())
      .set("largest_guarded_force_N", detail::largest_norm(s.guarded_force))
      .set("at", list_json(shown, at))
      .set("guard_timeline", list_json(guard_timeline(s, first_step), [](const GuardInterval& g) {
             return Json::object()
                 .set("from_step", step_json(g.from))
                 .set("to_step", step_json(g.to))
                 .set("state", to_string(g.state))
                 .set("action", to_string(g.action))
                 .set("because", g.because.text());
           }));
}

/// \param shown steps of the log whose forces are listed
Json series_json(const EstimateSeries& s, Eigen::Index first_step, const std::vector<Eigen::Index>& shown) {
  const auto step = [&](Eigen::Index row) { return row < 0 ? Json() : step_json(first_step + row); };
  Json verdicts = Json::object();
  for (const Verdict verdict :
       {Verdict::ok, Verdict::degraded, Verdict::refused, Verdict::unobservable, Verdict::invalid_input}) {
    verdicts.set(to_string(verdict),
                 static_cast<std::int64_t>(std::count(s.verdict.begin(), s.verdict.end(), verdict)));
  }
  return Json::object()
      .set("endpoint", s.endpoint)
      .set("label", s.label)
      .set("kind", to_string(s.kind))
      .set("consumed", s.consumed)
      .set("estimator", to_string(s.estimator))
      .set("sign", to_string(s.sign))
      .set("residual_kind", to_string(s.residual_kind))
      .set("peak_force_N", s.peak_force)
      .set("peak_force_step", step(s.peak_step))
      .set("largest_Fz_N", s.peak_component)
      .set("largest_Fz_step", step(s.peak_component_step))
      .set("verdict_counts", std::move(verdicts))
      .set("forces", list_json(shown,
                               [&](Eigen::Index log_step) {
                                 const Eigen::Index row = log_step - first_step;
                                 return Json::object()
                                     .set("step", step_json(log_step))
                                     .set("force_N", vector_json(s.wrench.row(row).head<3>().transpose()))
                                     .set("norm_N", s.force_norm[row]);
                               }))
      .set("guards", list_json(s.guards,
                               [&](const GuardTrace& g) {
                                 return Json::object()
                                     .set("guard", to_string(g.guard))
                                     .set("limit", g.limit)
                                     .set("first_act_step", step(g.first_act))
                                     .set("steps_acted", static_cast<std::int64_t>(g.acts));
                               }))
      .set("posterior", s.posterior ? posterior_json(s, first_step, shown) : Json());
}

Json advice_json(const AdviceRow& row) {
  const auto move_json = [](const AdviceRow::Move& m) {
    return Json::object().set("joint", m.joint).set("from_rad", m.from).set("to_rad", m.to);
  };
  return Json::object()
      .set("limits", to_string(row.limits))
      .set("endpoint", row.endpoint)
      .set("step", step_json(row.step))
      .set("conditions", list_json(row.conditions,
                                   [](const AdviceRow::Condition& c) {
                                     return Json::object()
                                         .set("quantity", to_string(c.quantity))
                                         .set("limit", c.limit)
                                         .set("unit", unit_of(c.quantity));
                                   }))
      .set("satisfied", row.satisfied)
      .set("found", row.found)
      .set("distance_rad", row.distance)
      .set("moves", list_json(row.moves, move_json))
      .set("alone", list_json(row.alone, [](const AdviceRow::Alone& a) {
             return Json::object()
                 .set("joint", a.joint)
                 .set("from_rad", a.from)
                 .set("below_rad", a.below)
                 .set("above_rad", a.above);
           }));
}

Json identified_json(const IdentifiedSpan& span) {
  return Json::object()
      .set("judged", span.judged)
      .set("first_beyond", step_json(span.first_beyond))
      .set("joint", span.joint.empty() ? Json() : Json(span.joint))
      .set("residual_Nm", span.residual)
      .set("largest_Nm", span.largest)
      .set("first_outside", step_json(span.first_outside))
      .set("speed_rad_per_s", span.speed)
      .set("identified_rad_per_s", span.identified);
}

Json reliability_table_json(const ReliabilityTable& table) {
  return Json::object()
      .set("episode", table.episode)
      .set("step", step_json(table.step))
      .set("endpoint", table.endpoint)
      .set("joints", list_json(table.rows, [](const ReliabilityTable::Row& r) {
             return Json::object()
                 .set("joint", r.joint)
                 .set("label", r.motor_label)
                 .set("redundancy", r.redundancy)
                 .set("detectable_bias_Nm", r.detectable_bias)
                 .set("torque_limit_Nm", r.torque_limit)
                 .set("external_force_N", r.external_force)
                 .set("prior_free_redundancy", r.prior_free_redundancy)
                 .set("prior_free_detectable_bias_Nm", r.prior_free_bias)
                 .set("undetectable", r.undetectable);
           }));
}

/// \param shown as for series_json
Json episode_json(const EpisodeAudit& a, const std::vector<Eigen::Index>& shown) {
  const Episode& e = a.episode;
  const Eigen::Index first = a.reconstruction.first_step;
  const Eigen::Index last = e.steps() - 1;
  Json statistics = Json::object()
                        .set("mean_Nm", a.reference.mean)
                        .set("mean_magnitude_Nm", a.reference.mean_magnitude)
                        .set("standard_deviation_Nm", a.reference.deviation)
                        .set("maximum_magnitude_Nm", a.reference.maximum)
                        .set("p99_magnitude_Nm", a.reference.p99)
                        .set("contamination", list_json(a.reference.contamination, [](const auto& c) {
                               return Json::object()
                                   .set("endpoint", c.endpoint)
                                   .set("mean_N", c.mean)
                                   .set("worst_N", c.worst)
                                   .set("worst_step", step_json(c.worst_step));
                             }));
  return Json::object()
      .set("name", e.name)
      .set("sha256", e.sha256)
      .set("steps", static_cast<std::int64_t>(e.steps()))
      .set("first_step", static_cast<std::int64_t>(first))
      .set("time_begin_s", e.has_time() ? Json(e.time[0]) : Json())
      .set("time_end_s", e.has_time() ? Json(e.time[last]) : Json())
      .set("sample_time_s", e.sample_time())
      .set("channels", list_json(e.channels,
                                 [](const EpisodeChannel& c) {
                                   return Json::object()
                                       .set("channel", c.name)
                                       .set("source", c.source)
                                       .set("stored_type", c.stored_type)
                                       .set("sha256", c.sha256);
                                 }))
      .set("missing", texts_json(e.missing))
      .set("notes", texts_json(e.notes))
      .set("invalid_steps", static_cast<std::int64_t>(e.invalid_steps.size()))
      .set("series",
           list_json(a.reconstruction.series, [&](const EstimateSeries& s) { return series_json(s, first, shown); }))
      .set("contact_share", a.contact_share)
      .set("peak_torque_Nm", a.peak_torque)
      .set("peak_torque_step", step_json(a.peak_torque_step))
      .set("peak_torque_joint", a.peak_torque_motor < 0 ? Json() : Json(a.ranges[a.peak_torque_motor].joint))
      .set("joint_ranges_rad", list_json(a.ranges,
                                         [](const JointRange& r) {
                                           return Json::object()
                                               .set("joint", r.joint)
                                               .set("label", r.label)
                                               .set("minimum", r.minimum)
                                               .set("maximum", r.maximum);
                                         }))
      .set("start_errors_rad", list_json(a.start_errors,
                                         [](const StartError& s) {
                                           return Json::object()
                                               .set("joint", s.joint)
                                               .set("label", s.label)
                                               .set("position", s.position)
                                               .set("target", s.target)
                                               .set("error", s.error);
                                         }))
      .set("reference_torque", std::move(statistics))
      .set("preflight", preflight_summary(a.preflight));
}

Json attribution_json(const Attribution& a, const Audit& audit) {
  Json joints = Json::array();
  for (Eigen::Index j = 0; j < a.residual.size(); ++j) {
    joints.push_back(Json::object()
                         .set("joint", audit.audited.ranges[j].joint)
                         .set("label", audit.motor_labels[j])
                         .set("tau_Nm", a.tau[j] + 0.0)
                         .set("gravity_Nm", a.gravity[j] + 0.0)
                         .set("residual_Nm", a.residual[j] + 0.0)
                         .set("contribution", vector_json(a.contribution.col(j))));
  }
  return Json::object()
      .set("step", step_json(a.step))
      .set("endpoint", a.endpoint)
      .set("estimator", to_string(a.estimator))
      .set("wrench", vector_json(a.wrench))
      .set("joints", std::move(joints));
}

Json spectrum_json(const PoseSpectrum& p) {
  return Json::object()
      .set("pose", p.pose)
      .set("endpoint", p.endpoint)
      .set("sigma", vector_json(p.sigma))
      .set("sigma_min", p.sigma_min)
      .set("kappa", p.kappa)
      .set("gain", p.gain)
      .set("height_m", p.height);
}

Json sweep_json(const JointSweep& s) {
  Json sigma = Json::array();
  for (Eigen::Index row = 0; row < s.sigma.rows(); ++row) sigma.push_back(vector_json(s.sigma.row(row).transpose()));
  return Json::object()
      .set("joint", s.joint)
      .set("label", s.label)
      .set("endpoint", s.endpoint)
      .set("position", s.position)
      .set("at_pose", spectrum_json(s.at_pose))
      .set("gain_joint", s.gain_joint)
      .set("gain_row", s.gain_row)
      .set("positions", vector_json(s.positions))
      .set("gain", vector_json(s.gain))
      .set("kappa", vector_json(s.kappa))
      .set("height_m", vector_json(s.height))
      .set("sigma", std::move(sigma));
}

Json junction_json(const JunctionLesson& junction) {
  return Json::object()
      .set("reference_joint", junction.poses.empty() ? Json() : Json(junction.reference_joint))
      .set("endpoint", junction.endpoint)
      .set("poses", list_json(junction.poses, [](const JunctionLesson::Pose& p) {
             return Json::object()
                 .set("origin_m", vector_json(p.origin))
                 .set("axis", vector_json(p.axis))
                 .set("lever_m", vector_json(p.lever))
                 .set("column", vector_json(p.column))
                 .set("distance_m", p.column.norm())
                 .set("spectrum", spectrum_json(p.spectrum));
           }));
}

Json lesson_json(const PlanarLesson& lesson) {
  return Json::object()
      .set("torque_Nm", lesson.torque)
      .set("poses", list_json(lesson.poses,
                              [](const PlanarLesson::Pose& p) {
                                return Json::object()
                                    .set("name", p.name)
                                    .set("title", p.title)
                                    .set("q", vector_json(p.q))
                                    .set("sigma", vector_json(p.sigma))
                                    .set("force_N", vector_json(p.force))
                                    .set("force_norm_N", p.force.norm());
                              }))
      .set("bend", vector_json(lesson.bend))
      .set("force_norm_N", vector_json(lesson.force))
      .set("sigma_min", vector_json(lesson.sigma_min));
}

Json knowledge_json(const ForceKnowledge& k) {
  return Json::object()
      .set("axes_N", vector_json(k.axis_sd))
      .set("principal_N", vector_json(k.force_sd))
      .set("worst_N", k.worst_sd())
      .set("worst_direction", vector_json(k.worst_direction()))
      .set("observable", k.observable);
}

/// Only joints whose rows are evidence; an infinite bias becomes null.
Json reliability_json(const EndpointReliability& reliability, const std::vector<std::string>& joints) {
  Json list = Json::array();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    if (std::isnan(reliability.redundancy[at])) continue;
    list.push_back(Json::object()
                       .set("joint", joints[j])
                       .set("redundancy", reliability.redundancy[at])
                       .set("minimal_detectable_bias_Nm", reliability.minimal_detectable_bias[at])
                       .set("external_force_N", reliability.external_force[at])
                       .set("prior_free_redundancy", reliability.prior_free_redundancy[at])
                       .set("prior_free_detectable_bias_Nm", reliability.prior_free_bias[at]));
  }
  return list;
}

}  // namespace

Json preflight_summary(const PreflightReport& report) {
  Json checks = Json::array();
  for (const auto* list : {&report.checks, &report.sd_checks, &report.conditioning_checks}) {
    for (const PreflightCheck& c : *list) {
      checks.push_back(Json::object()
                           .set("check", to_string(c.kind))
                           .set("subject", c.subject)
                           .set("joint", c.joint.empty() ? Json() : Json(c.joint))
                           .set("value", c.value)
                           .set("limit", c.limit)
                           .set("passed", c.passed));
    }
  }
  return Json::object()
      .set("passed", report.passed)
      .set("characteristic_length_m", report.characteristic_length)
      .set("budget_sd", report.budget_sd)
      .set("checks", std::move(checks))
      .set("endpoints", list_json(report.endpoints, [&](const PoseConditioning& p) {
             return Json::object()
                 .set("endpoint", p.endpoint)
                 .set("position_m", vector_json(p.position))
                 .set("kappa", p.kappa)
                 .set("kappa_scaled", p.kappa_scaled)
                 .set("sigma_min", p.sigma_min)
                 .set("manipulability", p.manipulability)
                 .set("reference_gain", vector_json(p.reference_gain))
                 .set("reference_force_gain", p.reference_force_gain)
                 .set("phantom", vector_json(p.phantom))
                 .set("posterior_phantom", vector_json(p.posterior_phantom))
                 .set("error_force_N", p.error_force)
                 .set("error_direction", vector_json(p.error_direction))
                 .set("whole_wrench", p.whole_wrench)
                 .set("sd_rest", knowledge_json(p.rest))
                 .set("sd_moving", knowledge_json(p.moving))
                 .set("total_redundancy", p.reliability.total_redundancy)
                 .set("prior_free_total_redundancy", p.reliability.prior_free_total)
                 .set("joints", reliability_json(p.reliability, report.joints));
           }));
}

Json audit_summary(const Audit& audit) {
  std::vector<Eigen::Index> shown;
  for (const Event& event : audit.events) shown.push_back(event.step);
  if (audit.focus_step >= 0) shown.push_back(audit.focus_step);
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  Json settings = Json::array();
  for (const OptionValue& option : audit.settings) {
    settings.push_back(Json::object()
                           .set("option", option.group + "." + option.info.name)
                           .set("value", option.value)
                           .set("unit", option.info.unit)
                           .set("meaning", option.info.meaning)
                           .set("source", option.source));
  }
  return Json::object()
      .set("schema", "antaeus.audit.summary/1")
      .set("antaeus_version", audit.version)
      .set("command", audit.command)
      .set("robot", Json::object()
                        .set("name", audit.robot)
                        .set("title", audit.robot_title)
                        .set("model_sha256", audit.model_sha256)
                        .set("profile_sha256", audit.profile_sha256)
                        .set("base", to_string(audit.base))
                        .set("base_source", to_string(audit.base_source))
                        .set("total_mass_kg", audit.total_mass)
                        .set("reference_joint", audit.reference_joint.empty() ? Json() : Json(audit.reference_joint)))
      .set("base_orientation", audit.base_orientation)
      .set("incident", audit.incident)
      .set("outcome", to_string(audit.outcome))
      .set("usable_share", audit.usable_share)
      .set("focus", Json::object()
                        .set("endpoint", audit.focus_endpoint)
                        .set("step", step_json(audit.focus_step))
                        .set("component", axis_name(audit.focus_axis)))
      .set("verdict", statements_json(audit.verdict))
      .set("cannot_tell", statements_json(audit.cannot_tell))
      .set("next_checks", statements_json(audit.next_checks))
      .set("events", list_json(audit.events,
                               [](const Event& e) {
                                 return Json::object()
                                     .set("step", step_json(e.step))
                                     .set("time_s", e.time)
                                     .set("kind", to_string(e.kind))
                                     .set("subject", e.subject)
                                     .set("value", e.value)
                                     .set("unit", e.unit)
                                     .set("text", e.text);
                               }))
      .set("counterfactuals", list_json(audit.counterfactuals,
                                        [](const Counterfactual& c) {
                                          return Json::object()
                                              .set("remedy", to_string(c.remedy))
                                              .set("title", c.title)
                                              .set("kind", to_string(c.kind))
                                              .set("endpoint", c.endpoint)
                                              .set("first_act_step", step_json(c.first_act))
                                              .set("first_act_time_s", c.first_act_time)
                                              .set("force_at_focus_N", vector_json(c.force_at_focus))
                                              .set("largest_force_read_N", c.largest_force_read)
                                              .set("consequence", c.consequence)
                                              .set("false_alarms", list_json(c.false_alarms, [](const auto& f) {
                                                     return Json::object()
                                                         .set("baseline", f.baseline)
                                                         .set("steps", static_cast<std::int64_t>(f.steps))
                                                         .set("share", f.share)
                                                         .set("degraded_steps",
                                                              static_cast<std::int64_t>(f.degraded_steps))
                                                         .set("degraded_share", f.degraded_share);
                                                   }));
                                        }))
      .set("attributions",
           list_json(audit.attributions, [&](const Attribution& a) { return attribution_json(a, audit); }))
      .set("pose_counterfactuals", list_json(audit.pose_counterfactuals,
                                             [](const PoseCounterfactual& p) {
                                               return Json::object()
                                                   .set("residuals_of", p.residuals_of)
                                                   .set("pose", p.pose)
                                                   .set("endpoint", p.endpoint)
                                                   .set("gain_Fz", p.gain)
                                                   .set("kappa", p.kappa)
                                                   .set("force_at_focus_N", p.force_at_focus)
                                                   .set("largest_force_N", p.largest_force);
                                             }))
      .set("tilt_sensitivity", list_json(audit.tilt,
                                         [](const TiltSensitivity& t) {
                                           return Json::object()
                                               .set("axis", t.axis)
                                               .set("angle_rad", t.angle)
                                               .set("largest_torque_Nm", t.largest_torque)
                                               .set("joint", t.joint)
                                               .set("phantom_force_N", t.phantom_force);
                                         }))
      .set("reference_rows", list_json(audit.reference_rows,
                                       [](const ReferenceRow& r) {
                                         return Json::object().set("endpoint", r.endpoint).set("norm", r.norm);
                                       }))
      .set("reliability", list_json(audit.reliability, reliability_table_json))
      .set("feasibility", list_json(audit.feasibility,
                                    [](const FeasibilityRow& f) {
                                      return Json::object()
                                          .set("estimator", to_string(f.estimator))
                                          .set("endpoint", f.endpoint.empty() ? Json() : Json(f.endpoint))
                                          .set("margin", to_string(f.margin))
                                          .set("unit", f.unit)
                                          .set("value", f.value)
                                          .set("sd", f.sd)
                                          .set("feasible", f.feasible);
                                    }))
      .set("cause_test", to_json(audit.cause_test))
      .set("identified", identified_json(audit.identified))
      .set("contact", Json::object()
                          .set("found", audit.contact.found)
                          .set("size_N", audit.contact.size)
                          .set("size_sd_N", audit.contact.size_sd)
                          .set("limit_N", audit.contact.limit)
                          .set("beyond", audit.contact.beyond()))
      .set("contacts", list_json(audit.contacts,
                                 [](const ContactInterval& c) {
                                   return Json::object()
                                       .set("endpoint", c.endpoint)
                                       .set("label", c.label)
                                       .set("from_step", step_json(c.from))
                                       .set("to_step", step_json(c.to))
                                       .set("from_s", c.from_time)
                                       .set("to_s", c.to_time)
                                       .set("size_N", c.size)
                                       .set("size_sd_N", c.size_sd);
                                 }))
      .set("advice", list_json(audit.advice, advice_json))
      .set("spectra", list_json(audit.spectra, spectrum_json))
      .set("sweeps", list_json(audit.sweeps, sweep_json))
      .set("junction", junction_json(audit.junction))
      .set("lessons", list_json(audit.lessons, lesson_json))
      .set("audited", episode_json(audit.audited, shown))
      .set("baselines", list_json(audit.baselines, [](const EpisodeAudit& b) { return episode_json(b, {}); }))
      .set("settings", std::move(settings));
}

}  // namespace antaeus
