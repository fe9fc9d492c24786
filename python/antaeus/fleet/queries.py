"""What people ask of a fleet, as SQL that can be copied: the report's tables, `antaeus fleet sql DIR --query NAME`, and what both stand on.

Three rules hold in all of them. Logs of a day are alike, so what is compared over time is the median of a day's logs. Events come in
flocks, so intervals of their rates are those of Poisson, widened by as much as logs scatter more than chance lets them (`dispersion`).
A word such as "more" or "grows" stands only where 99.9 % intervals say so: in a thousand comparisons of what is alike, one is wrong.
"""

import dataclasses
import typing

# What every connection has beside the tables. z is in standard deviations of a normal: 1.96 for 95 %, 3.29 for 99.9 %.
# Byar's approximation of Poisson's limits is within 2 % of the exact ones from 4 events on, and 0.03 events below.
PRELUDE = """
CREATE VIEW logs AS
  SELECT id, robot, unit, software, try_cast(left(date, 10) AS DATE) AS day, duration_s / 3600 AS hours, alarms, contacts, phantoms,
         refused_s / nullif(ok_s + degraded_s + refused_s, 0) AS refused_share, untouched_s, untouched_covered, force_max, worst_time,
         path, tags
  FROM episodes WHERE status = 'done' AND copy_of = '' AND isfinite(duration_s) AND duration_s > 0;
CREATE MACRO poisson_low(n, z) AS
  CASE WHEN n <= 0 THEN 0.0 ELSE n * pow(greatest(0.0, 1 - 1 / (9 * n) - z / (3 * sqrt(n))), 3) END;
CREATE MACRO poisson_high(n, z) AS (n + 1) * pow(1 - 1 / (9 * (n + 1)) + z / (3 * sqrt(n + 1)), 3);
CREATE MACRO dispersion(n, hours, squares, logs) AS
  CASE WHEN logs > 1 AND n > 0 THEN greatest(1.0, (hours / n * squares - n) / (logs - 1)) ELSE 1.0 END;
CREATE MACRO rate_low(n, hours, dispersion, z) AS dispersion * poisson_low(n / dispersion, z) / nullif(hours, 0);
CREATE MACRO rate_high(n, hours, dispersion, z) AS dispersion * poisson_high(n / dispersion, z) / nullif(hours, 0);
CREATE MACRO t_95(df) AS CASE WHEN df < 1 THEN NULL WHEN df <= 6 THEN [12.71, 4.30, 3.18, 2.78, 2.57, 2.45][df]
  ELSE 1.96 * (1 + 1.21 / df + 1.8 / (df * df)) END;
CREATE MACRO t_99(df) AS CASE WHEN df < 1 THEN NULL WHEN df <= 6 THEN [63.7, 9.92, 5.84, 4.60, 4.03, 3.71][df]
  ELSE 2.576 * (1 + 1.91 / df + 5.0 / (df * df)) END;
CREATE MACRO t_999(df) AS CASE WHEN df < 1 THEN NULL WHEN df <= 6 THEN [637.0, 31.6, 12.9, 8.61, 6.87, 5.96][df]
  ELSE 3.29 * (1 + 2.96 / df + 12.0 / (df * df)) END;
CREATE MACRO scatter(xs, lost) AS  -- sd; a wild number counts as one that is three times as far off as most
  sqrt(list_sum(list_transform(xs, lambda x: pow(least(abs(x - list_median(xs)), 4.45 * list_aggregate(xs, 'mad')), 2)))
       / greatest(len(xs) - lost, 1));
CREATE MACRO drift(days) AS TABLE
  WITH figures AS (
    SELECT l.robot, l.unit, j.joint, l.day, figure.quantity, figure.value, figure.sd,
           max(l.day) OVER (PARTITION BY l.robot, l.unit) AS latest
    FROM joints j JOIN logs l USING (id),
         unnest([{quantity: 'offset', value: j.offset, sd: j.offset_sd}, {quantity: 'coulomb', value: j.coulomb, sd: j.coulomb_sd},
                 {quantity: 'viscous', value: j.viscous, sd: j.viscous_sd}, {quantity: 'noise', value: j.noise, sd: 0.0}]) AS f(figure)
    WHERE l.day IS NOT NULL AND isfinite(figure.value)),
  of_a_day AS (
    SELECT robot, unit, joint, quantity, day, median(value)::DOUBLE AS value, coalesce(median(sd) FILTER (isfinite(sd)), 0.0) AS sd,
           count(*) AS logs, min(day) OVER same AS first_day, max(day) OVER same AS last_day
    FROM figures WHERE date_diff('day', day, latest) < days
    GROUP BY robot, unit, joint, quantity, day
    WINDOW same AS (PARTITION BY robot, unit, joint, quantity)),
  points AS (  -- a day each, or a week each where they span more than 60 days
    SELECT robot, unit, joint, quantity, any_value(first_day) AS first_day, any_value(last_day) AS last_day,
           median(date_diff('day', first_day, day))::DOUBLE AS t, median(value) AS value, median(sd) AS sd, sum(logs) AS logs
    FROM of_a_day
    GROUP BY robot, unit, joint, quantity,
             CASE WHEN date_diff('day', first_day, last_day) > 60 THEN date_diff('day', first_day, day) // 7
                  ELSE date_diff('day', first_day, day) END),
  slopes AS (  -- the median of the slopes between all pairs: Theil and Sen's, which a third of wild points does not move
    SELECT robot, unit, joint, quantity, median((b.value - a.value) / (b.t - a.t)) AS slope
    FROM points a JOIN points b USING (robot, unit, joint, quantity) WHERE b.t > a.t
    GROUP BY robot, unit, joint, quantity),
  fits AS (
    SELECT robot, unit, joint, quantity, any_value(slope) AS slope, any_value(first_day) AS first_day, any_value(last_day) AS last_day,
           count(*) AS points, sum(logs)::BIGINT AS logs, median(value - slope * t) AS start, var_pop(t) * count(*) AS spread,
           scatter(list(value - slope * t), 2) AS scatter, median(sd) AS stated
    FROM points JOIN slopes USING (robot, unit, joint, quantity) GROUP BY robot, unit, joint, quantity)
  SELECT robot, unit, joint, quantity, first_day, last_day, logs, points, start, 7 * slope AS slope_week,
         7 * greatest(scatter, stated) / sqrt(spread) AS slope_week_sd, 30 * slope / nullif(abs(start), 0) AS growth_month,
         points >= 4 AND abs(slope) * sqrt(spread) > greatest(t_99(points - 2) * scatter, 2.58 * stated) AS likely,
         points >= 4 AND abs(slope) * sqrt(spread) > greatest(t_999(points - 2) * scatter, 3.29 * stated) AS sure
  FROM fits
"""


@dataclasses.dataclass(frozen=True)
class Query:
    """An example query: its rows are the report's, where the report shows them."""

    title: str
    answers: str  # what it tells, and by which rule
    sql: str
    empty: str  # why there may be no row


_RATES = """
SELECT {group}, logs, hours, alarms, alarms / nullif(hours, 0) AS per_hour, rate_low(alarms, hours, dispersion, 1.96) AS low,
       rate_high(alarms, hours, dispersion, 1.96) AS high, dispersion
FROM (SELECT {group}, count(*) AS logs, sum(hours) AS hours, sum(alarms)::BIGINT AS alarms,
             dispersion(sum(alarms), sum(hours), sum(alarms * alarms / hours), count(*)) AS dispersion
      FROM ({rows}) GROUP BY {group})
ORDER BY per_hour DESC, {group}"""


def _dedent(text: str) -> str:
    return text.strip() + "\n"


def _cells(group: str, cell: str, steps: str, events: str, least_logs: int) -> str:
    """Alarms and hours in and out of each cell of a pose."""
    return f"""
WITH spent AS (
  SELECT s.robot, s.endpoint, {cell.format('s')}, s.id, sum(s.seconds) / 3600 AS hours, sum(s.refused) / nullif(sum(s.samples), 0) AS refused
  FROM steps s{steps} WHERE isfinite(s.seconds) GROUP BY ALL),
seen AS (
  SELECT e.robot, e.endpoint, {cell.format('e')}, e.id, count(*) AS alarms FROM events e{events} WHERE e.kind = 'alarm' GROUP BY ALL),
cells AS (
  SELECT robot, endpoint, {group}, count(*) AS logs, count(alarms) AS logs_with_alarms, sum(hours) AS hours,
         coalesce(sum(alarms), 0)::BIGINT AS alarms, avg(refused) AS refused_share,
         dispersion(coalesce(sum(alarms), 0), sum(hours), sum(coalesce(alarms, 0) * coalesce(alarms, 0) / hours), count(*)) AS dispersion
  FROM spent LEFT JOIN seen USING (robot, endpoint, {group}, id) WHERE hours > 0 GROUP BY robot, endpoint, {group}),
beside AS (
  SELECT *, sum(alarms) OVER same - alarms AS alarms_elsewhere, sum(hours) OVER same - hours AS hours_elsewhere
  FROM cells WINDOW same AS (PARTITION BY robot, endpoint{', joint' if 'joint' in group else ''}))
SELECT robot, endpoint, {group}, logs, logs_with_alarms, hours, alarms, alarms / hours AS per_hour,
       rate_low(alarms, hours, dispersion, 1.96) AS low, rate_high(alarms, hours, dispersion, 1.96) AS high, refused_share,
       alarms_elsewhere / nullif(hours_elsewhere, 0) AS per_hour_elsewhere,
       CASE WHEN hours_elsewhere > 0 AND logs_with_alarms >= 3
             AND rate_low(alarms, hours, dispersion, 3.29) > 2 * rate_high(alarms_elsewhere, hours_elsewhere, dispersion, 1.96)
            THEN 'alarms'
            WHEN logs >= 3 AND refused_share > 0.5 THEN 'no usable force' ELSE '' END AS avoid
FROM beside WHERE logs >= {least_logs} ORDER BY avoid = '', per_hour / (per_hour_elsewhere + 1) DESC, hours DESC, robot, endpoint, {group}"""


QUERIES: typing.Final[dict[str, Query]] = {
    "alarms_by_robot": Query(
        "Alarms per hour, by robot",
        "Which robot's readings contradict each other most often, with hours and 95 % intervals.",
        _dedent(_RATES.format(group="robot", rows="SELECT robot, hours, alarms::DOUBLE AS alarms FROM logs")),
        "no log was computed"),
    "alarms_by_unit": Query(
        "Alarms per hour, by unit",
        "Which individual robot has most of them; units are the tag unit.",
        _dedent(_RATES.format(group="robot, unit", rows="SELECT robot, unit, hours, alarms::DOUBLE AS alarms FROM logs WHERE unit <> ''")),
        "no log has the tag unit"),
    "alarms_by_joint": Query(
        "Alarms per hour, by joint",
        "Which joint's residual stands out most in the alarms. Hours are those of all logs of the robots that have the joint.",
        _dedent(_RATES.format(group="robot, joint", rows="""
        SELECT l.robot, j.joint, l.id, any_value(l.hours) AS hours, count(e.id)::DOUBLE AS alarms
        FROM logs l JOIN joints j USING (id) LEFT JOIN events e ON e.id = l.id AND e.kind = 'alarm' AND e.joint = j.joint
        GROUP BY l.robot, j.joint, l.id""")),
        "no log was computed"),
    "poses": Query(
        "Poses, joint by joint",
        "Positions of a joint when alarms occur: alarms per hour while it is within half a radian (or half a metre) from a position on, "
        "against all other positions. Avoid is 'alarms' where the rate is above twice that elsewhere, by the 99.9 % limit and in three "
        "logs or more, and 'no usable force' where more than half of its time is refused.",
        _dedent(_cells("joint, position", "p.joint AS joint, floor(p.value / 0.5) * 0.5 AS position",
                       ", unnest(list_zip(s.pose_joints, s.pose)) AS u(pair), (SELECT pair[1] AS joint, pair[2] AS value) AS p",
                       ", unnest(list_zip(e.pose_joints, e.pose)) AS u(pair), (SELECT pair[1] AS joint, pair[2] AS value) AS p", 1)),
        "no step has a pose"),
    "whole_poses": Query(
        "Whole poses",
        "The same of all joints of the limb together, each rounded to half a radian, where three logs have been: of use where robots repeat their work.",
        _dedent(_cells("pose", "list_transform({0}.pose, lambda x: round(x / 0.5) * 0.5) AS pose", "", "", 3)),
        "no step has a pose, or no whole pose was taken in three logs"),
    "worst_minutes": Query(
        "Worst minutes",
        "Which minute to look at: most alarms first, then the largest force against its sd; two of a log at most.",
        _dedent("""
WITH minutes AS (
  SELECT e.robot, e.id, floor(e.worst_time / 60)::BIGINT AS minute, count(*) AS alarms, max(e.force) AS force,
         max(e.force / nullif(e.sd, 0)) AS force_over_sd, arg_max(e.worst_time, e.force / nullif(e.sd, 0)) AS at_s,
         mode(e.joint ORDER BY e.joint) AS joint, arg_max(e.reason, e.force / nullif(e.sd, 0)) AS reason
  FROM events e WHERE e.kind = 'alarm' GROUP BY e.robot, e.id, minute)
SELECT m.robot, l.unit, m.id, m.at_s, m.alarms, m.force, m.force_over_sd, m.joint, m.reason, l.software, l.day, l.path
FROM minutes m JOIN logs l USING (id)
QUALIFY row_number() OVER (PARTITION BY m.id ORDER BY m.alarms DESC, m.force_over_sd DESC NULLS LAST, m.minute) <= 2
ORDER BY m.alarms DESC, m.force_over_sd DESC NULLS LAST, m.id, m.minute LIMIT 50"""),
        "no alarm was raised"),
    "friction_growth": Query(
        "Joints whose friction grew by a fifth in a month",
        "Coulomb friction of the last 60 days of each unit, by the robust slope over days; growth of 20 % in 30 days or more, which the "
        "99 % interval takes for growth. For joint 3 alone: AND joint = 'panda_joint3'.",
        _dedent("""
SELECT robot, unit, joint, growth_month, start, slope_week, slope_week_sd, points, logs, first_day, last_day
FROM drift(60) WHERE quantity = 'coulomb' AND growth_month >= 0.2 AND likely
ORDER BY growth_month DESC, robot, unit, joint"""),
        "no joint's friction grew so much, or logs have no tag date, or there are fewer than 4 days of them"),
    "drift": Query(
        "Drift of offsets, friction and noise",
        "All of them over all time, one value per day: the robust slope per week with its sd. Sure where the 99.9 % interval excludes "
        "zero; the largest against their sd come first.",
        _dedent("""
SELECT robot, unit, joint, quantity, start, slope_week, slope_week_sd, growth_month, sure, points, logs, first_day, last_day
FROM drift(100000) WHERE points >= 3
ORDER BY sure DESC, abs(slope_week) / nullif(slope_week_sd, 0) DESC NULLS LAST, robot, unit, joint, quantity"""),
        "logs have no tag date, or there are fewer than 3 days of them"),
    "offset_steps": Query(
        "Offsets that stepped with a software version",
        "The offset of each unit's joint under one version against that under the version before, one value per day; listed where the step "
        "is beyond its 99.9 % interval.",
        _dedent("""
WITH of_a_day AS (
  SELECT l.robot, l.unit, j.joint, l.software, coalesce(l.day::VARCHAR, l.id) AS day, min(l.day) AS first, median(j.offset)::DOUBLE AS value,
         coalesce(median(j.offset_sd) FILTER (isfinite(j.offset_sd)), 0.0) AS sd
  FROM joints j JOIN logs l USING (id) WHERE isfinite(j.offset) AND l.software <> '' GROUP BY ALL),
versions AS (
  SELECT robot, unit, joint, software, min(first) AS first_day, count(*) AS days, median(value) AS value,
         scatter(list(value), 1) AS scatter, median(sd) AS stated FROM of_a_day GROUP BY robot, unit, joint, software),
steps AS (
  SELECT *, lag(software) OVER same AS before, lag(value) OVER same AS value_before, lag(days) OVER same AS days_before,
         lag(scatter) OVER same AS scatter_before, lag(stated) OVER same AS stated_before
  FROM versions WINDOW same AS (PARTITION BY robot, unit, joint ORDER BY first_day, software)),
judged AS (
  SELECT *, value - value_before AS step, days + days_before - 2 AS df,  -- the sd of a median is 1.2533 times that of a mean
         1.2533 * sqrt(pow(greatest(scatter, stated), 2) / days + pow(greatest(scatter_before, stated_before), 2) / days_before) AS step_sd
  FROM steps WHERE before IS NOT NULL)
SELECT robot, unit, joint, software, before, value, value_before, step, step_sd, days, days_before
FROM judged WHERE df >= 3 AND abs(step) > t_999(df) * step_sd
ORDER BY abs(step) / nullif(step_sd, 0) DESC, robot, unit, joint, software"""),
        "no offset stepped, or logs have no tag software, or there are fewer than five days of two versions"),
    "odd_logs": Query(
        "Logs in which a joint differs",
        "Offset or friction of one log against the other logs of the unit, of which there must be five: beyond five sd, an offset also "
        "beyond the torque's own noise and friction by a fifth. The log to open when a value jumps for a day.",
        _dedent("""
WITH figures AS (
  SELECT l.robot, l.unit, j.joint, figure.quantity, l.id, l.path, l.software, l.day, figure.value::DOUBLE AS value, figure.sd,
         figure.least::DOUBLE AS least
  FROM joints j JOIN logs l USING (id),
       unnest([{quantity: 'offset', value: j.offset, sd: j.offset_sd, least: j.noise},
               {quantity: 'coulomb', value: j.coulomb, sd: j.coulomb_sd, least: 0.2 * j.coulomb}]) AS f(figure)
  WHERE isfinite(figure.value)),
usual AS (
  SELECT robot, unit, joint, quantity, count(*) AS logs, median(value) AS value, 1.4826 * mad(value) AS scatter, median(least) AS least
  FROM figures GROUP BY robot, unit, joint, quantity)
SELECT f.robot, f.unit, f.joint, f.quantity, f.value, u.value AS usual,
       sqrt(pow(u.scatter, 2) + pow(coalesce(f.sd, 0), 2)) AS sd, f.id, f.software, f.day, f.path, u.logs
FROM figures f JOIN usual u USING (robot, unit, joint, quantity)
WHERE u.logs >= 5 AND abs(f.value - u.value) > greatest(5 * sqrt(pow(u.scatter, 2) + pow(coalesce(f.sd, 0), 2)), u.least)
ORDER BY abs(f.value - u.value) / nullif(sqrt(pow(u.scatter, 2) + pow(coalesce(f.sd, 0), 2)), 0) DESC, f.id, f.joint, f.quantity"""),
        "no joint differs in any one log, or no unit has five logs"),
    "suspect_setups": Query(
        "Logs that disagree with their profile",
        "Configuration errors that antaeus check finds in logs: torques of another sign, unit or order. Do not trust their forces.",
        _dedent("""
SELECT robot, unit, software, setup_fault AS finding, count(*) AS logs, min(path) AS example
FROM episodes WHERE status = 'done' AND copy_of = '' AND setup_fault <> ''
GROUP BY robot, unit, software, finding ORDER BY logs DESC, robot, unit, software, finding"""),
        "the check finds no error in any log"),
    "versions": Query(
        "Software versions compared",
        "Each version of a robot's software against the one before: alarms per hour, share of refused samples, coverage of zero. The word "
        "compares alarms by the 99.9 % interval of their ratio, from five logs of each version on.",
        _dedent("""
WITH versions AS (
  SELECT robot, software, min(day) AS first_day, count(*) AS logs, sum(hours) AS hours, sum(alarms)::DOUBLE AS alarms,
         dispersion(sum(alarms), sum(hours), sum(alarms * alarms / hours), count(*)) AS dispersion, avg(refused_share) AS refused_share,
         t_95(count(refused_share) - 1) * stddev_samp(refused_share) / sqrt(count(refused_share)) AS refused_doubt,
         avg(untouched_covered) FILTER (isfinite(untouched_covered) AND untouched_s > 0) AS coverage
  FROM logs WHERE software <> '' GROUP BY robot, software),
pairs AS (
  SELECT *, lag(software) OVER same AS before, lag(logs) OVER same AS logs_before,
         ln((alarms + 0.5) / hours) - ln((lag(alarms) OVER same + 0.5) / lag(hours) OVER same) AS change,
         sqrt(dispersion / (alarms + 0.5) + lag(dispersion) OVER same / (lag(alarms) OVER same + 0.5)) AS change_sd
  FROM versions WINDOW same AS (PARTITION BY robot ORDER BY first_day, software))
SELECT robot, software, first_day, logs, hours, alarms::BIGINT AS alarms, alarms / hours AS per_hour,
       rate_low(alarms, hours, dispersion, 1.96) AS low, rate_high(alarms, hours, dispersion, 1.96) AS high, refused_share, refused_doubt,
       coverage, before, exp(change) AS ratio, exp(change - 3.29 * change_sd) AS ratio_low, exp(change + 3.29 * change_sd) AS ratio_high,
       CASE WHEN before IS NULL THEN '' WHEN least(logs, logs_before) < 5 THEN 'too few logs'
            WHEN change > 3.29 * change_sd THEN 'more alarms' WHEN change < -3.29 * change_sd THEN 'fewer alarms'
            ELSE 'no difference shown' END AS word
FROM pairs ORDER BY robot, first_day, software"""),
        "no log has the tag software"),
    "coverage": Query(
        "Coverage of zero without contact",
        "The share of contact-free samples whose 95 % ellipsoid holds zero, as the mean over logs with the interval over logs: samples of a "
        "log are alike. It ought to be 0.95; The word is 'lies' where even the upper limit is below 0.9.",
        _dedent("""
WITH robots AS (
  SELECT robot, software, count(*) AS logs, sum(untouched_s) / 3600 AS hours, avg(untouched_covered) AS coverage,
         t_95(count(*) - 1) * stddev_samp(untouched_covered) / sqrt(count(*)) AS doubt
  FROM logs WHERE untouched_s >= 1 AND isfinite(untouched_covered) GROUP BY robot, software)
SELECT robot, software, logs, hours, coverage, greatest(coverage - doubt, 0) AS low, least(coverage + doubt, 1) AS high,
       CASE WHEN doubt IS NULL THEN 'one log' WHEN coverage + doubt < 0.9 THEN 'lies' ELSE '' END AS word
FROM robots ORDER BY coverage, robot, software"""),
        "no log has time declared contact-free (tag untouched, or antaeus fleet --untouched)"),
    "noisy_joints": Query(
        "Noisy joints",
        "Joints whose torque is noisier than that of the same joint of the other units by half, or grows noisier by a fifth in a month.",
        _dedent("""
WITH of_a_day AS (
  SELECT l.robot, l.unit, j.joint, coalesce(l.day::VARCHAR, l.id) AS day, median(j.noise)::DOUBLE AS noise
  FROM joints j JOIN logs l USING (id) WHERE isfinite(j.noise) AND j.noise > 0 GROUP BY ALL),
units AS (
  SELECT robot, unit, joint, count(*) AS days, median(noise) AS noise, scatter(list(ln(noise)), 1) AS scatter
  FROM of_a_day GROUP BY robot, unit, joint),
others AS (
  SELECT a.robot, a.unit, a.joint, count(*) AS units, median(b.noise) AS noise, scatter(list(ln(b.noise)), 1) AS scatter
  FROM units a JOIN units b ON a.robot = b.robot AND a.joint = b.joint AND a.unit <> b.unit GROUP BY a.robot, a.unit, a.joint)
SELECT u.robot, u.unit, u.joint, u.noise, o.noise AS of_others, u.noise / o.noise AS ratio, NULL AS growth_month, u.days,
       'above other units' AS why
FROM units u JOIN others o USING (robot, unit, joint)
WHERE o.units >= 2 AND u.noise / o.noise > 1.5 AND ln(u.noise / o.noise) > 3.29 * sqrt(pow(o.scatter, 2) + 1.57 * pow(u.scatter, 2) / u.days)
UNION ALL
SELECT robot, unit, joint, start, NULL, NULL, growth_month, points, 'grows'
FROM drift(60) WHERE quantity = 'noise' AND growth_month >= 0.2 AND sure
ORDER BY ALL"""),
        "no joint is noisier than its like; that needs three units or more, or four days"),
    "standing_forces": Query(
        "Forces that never go away",
        "Logs in which an endpoint's force is significantly not zero for more than half of the usable time, ten seconds or more: a load that "
        "is not in the profile, an offset, a wrong model. Upright is the share of the force along gravity's axis: near 1 it is a weight. The "
        "named log is the one with the largest force.",
        _dedent("""
WITH ends AS (
  SELECT s.robot, s.id, s.endpoint, sum(s.above) / nullif(sum(s.ok + s.degraded), 0) AS share, sum(s.seconds) AS seconds,
         avg(s.Fx) AS Fx, avg(s.Fy) AS Fy, avg(s.Fz) AS Fz
  FROM steps s WHERE isfinite(s.Fx) AND isfinite(s.seconds) GROUP BY s.robot, s.id, s.endpoint),
forces AS (
  SELECT e.*, l.unit, l.software, l.day, l.path, sqrt(Fx * Fx + Fy * Fy + Fz * Fz) AS force FROM ends e JOIN logs l USING (id))
SELECT robot, unit, endpoint, software, count(*) FILTER (share > 0.5 AND seconds >= 10) AS logs, count(*) AS of_logs,
       avg(share) FILTER (share > 0.5 AND seconds >= 10) AS share, median(force) FILTER (share > 0.5 AND seconds >= 10) AS force,
       median(abs(Fz) / nullif(force, 0)) FILTER (share > 0.5 AND seconds >= 10) AS upright,
       min(day) FILTER (share > 0.5 AND seconds >= 10) AS first_day, max(day) FILTER (share > 0.5 AND seconds >= 10) AS last_day,
       arg_max(id, force) FILTER (share > 0.5 AND seconds >= 10) AS id, arg_max(path, force) FILTER (share > 0.5 AND seconds >= 10) AS path
FROM forces GROUP BY robot, unit, endpoint, software HAVING logs > 0 ORDER BY logs DESC, robot, unit, endpoint, software"""),
        "no force stood for more than half of a log"),
    "phantoms": Query(
        "Phantoms",
        "Forces beyond their own uncertainty without contact, known where logs contain the truth or state their contact-free time.",
        _dedent("""
SELECT e.robot, l.unit, l.software, count(*) AS phantoms, count(DISTINCT e.id) AS logs, max(e.force) AS force_max,
       mode(e.joint ORDER BY e.joint) AS joint, arg_max(e.id, e.force) AS id, arg_max(e.worst_time, e.force) AS at_s
FROM events e JOIN logs l USING (id) WHERE e.kind = 'phantom'
GROUP BY e.robot, l.unit, l.software ORDER BY phantoms DESC, e.robot, l.unit, l.software"""),
        "no phantom was seen, or no log states its contact-free time"),
    "failures": Query(
        "Logs that gave no result, by cause",
        "How many, with one of them.",
        _dedent("""
SELECT robot, cause, count(*) AS logs, min(path) AS example, arg_min(reason, path) AS reason
FROM episodes WHERE status <> 'done' AND copy_of = '' GROUP BY robot, cause ORDER BY logs DESC, robot, cause"""),
        "every log gave a result"),
}
