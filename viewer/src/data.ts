// The payload as the library writes it (src/report/payload.cpp), decoded into typed arrays.

interface Packed {
  type: 'f32' | 'f64' | 'i32' | 'u8';
  shape: [number, number];
  data: string;
}

export type Pose = number[]; // 3 x 4, row by row: rotation | translation

export interface Shape {
  kind: 'box' | 'cylinder' | 'capsule' | 'sphere' | 'mesh';
  pose: Pose;
  size: [number, number, number];
  color: [number, number, number, number];
  triangles?: Packed;
}

export interface Joint {
  name: string;
  type: 'revolute' | 'prismatic' | 'fixed';
  parent: string;
  child: string;
  pose: Pose;
  axis: [number, number, number];
  motor: number | null;
}

export interface RobotTree {
  title: string;
  root: string;
  links: { name: string; shapes: Shape[] }[];
  joints: Joint[];
}

interface RawPosterior {
  worst_sd: Packed;
  nis: Packed;
  // Of the audited episode alone:
  sd?: Packed;
  axes?: Packed | null;
  nis_threshold?: Packed;
  first_alarm?: number | null;
  alarms?: number;
  guarded?: Packed;
  state?: Packed;
  timeline?: { intervals: Packed; reasons: string[] };
  motors?: number[];
  detectable_bias?: Packed;
}

interface RawSeries {
  endpoint: string;
  label: string;
  estimator: string;
  sign: string;
  force: Packed;
  guarded?: Packed;
  gain?: Packed;
  kappa?: Packed;
  sigma_min?: Packed;
  verdict?: Packed;
  contribution?: Packed;
  posterior?: RawPosterior;
  guards?: { name: string; limit: number | null; acts: number; action: Packed }[];
}

interface RawBaseline {
  name: string;
  rows: Packed;
  time: Packed | null;
  reference_residual: Packed | null;
  series: { endpoint: string; force: Packed; gain: Packed; kappa: Packed; sigma_min: Packed; posterior: RawPosterior | null }[];
}

/** What the codes of enumerations are called, in the order of their values. */
interface Names {
  verdict: string[];
  guard_action: string[];
  consumer_action: string[];
}

interface RawPayload {
  names: Names;
  name: string;
  first_step: number;
  steps: number;
  sampling: { bin: number; whole_begin: number; whole_end: number };
  focus: { row: number | null; endpoint: string };
  rows: Packed;
  time: Packed | null;
  motors: { joint: string; label: string }[];
  reference_motor: number | null;
  q: Packed | null;
  target: Packed | null;
  tau: Packed | null;
  residual: Packed | null;
  series: RawSeries[];
  baselines: RawBaseline[];
  events: { step: number; kind: string; text: string }[];
  robot: RobotTree;
}

type Numbers = Float32Array | Float64Array | Int32Array | Uint8Array;

/** Columns of equal length. */
export class Columns {
  constructor(
    private readonly values: Numbers,
    readonly count: number,
    readonly length: number,
  ) {}
  column(index: number): Numbers {
    return this.values.subarray(index * this.length, (index + 1) * this.length);
  }
  at(index: number, sample: number): number {
    return this.values[index * this.length + sample] ?? NaN;
  }
}

export function unpack(packed: Packed): Columns {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const kinds = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u8: Uint8Array };
  const Kind = kinds[packed.type];
  return new Columns(new Kind(bytes.buffer as ArrayBuffer), packed.shape[0], packed.shape[1]);
}

const maybe = (packed: Packed | null | undefined): Columns | null => (packed ? unpack(packed) : null);

export interface Guard {
  name: string;
  limit: number | null;
  acts: number;
  action: Columns;
}

/** Successive rows in one state of the posterior's guard: 0 ok, 1 degraded, 2 refused. */
export interface Interval {
  from: number;
  to: number;
  state: number;
  action: number;
  reasons: string;
}

export interface Posterior {
  force: Columns; // Fx Fy Fz |F|
  sd: Columns; // of Fx Fy Fz
  axes: Columns | null; // three principal axes of the force's covariance, each as long as its sd; ascending
  worstSd: Columns;
  nis: Columns;
  nisLimit: Columns;
  firstAlarm: number | null; // row
  alarms: number;
  guarded: Columns; // Fx Fy Fz |F|
  state: Columns;
  timeline: Interval[];
  motors: number[];
  detectableBias: Columns; // one column a motor above
}

export interface Series {
  endpoint: string;
  label: string;
  sign: string;
  force: Columns; // Fx Fy Fz |F|
  stacked: Columns | null;
  guarded: Columns | null;
  gain: Columns | null;
  kappa: Columns | null;
  sigmaMin: Columns | null;
  verdict: Columns | null;
  contribution: Columns | null;
  posterior: Posterior | null;
  guards: Guard[];
}

export interface Baseline {
  name: string;
  x: ArrayLike<number>;
  residual: Columns | null;
  series: {
    endpoint: string;
    force: Columns;
    gain: Columns;
    kappa: Columns;
    sigmaMin: Columns;
    worstSd: Columns | null;
    nis: Columns | null;
  }[];
}

export interface Data {
  names: Names;
  states: string[]; // of the posterior's guard, best first; a worse verdict counts as the last
  name: string;
  firstStep: number;
  steps: number;
  sampling: { bin: number; whole_begin: number; whole_end: number };
  focus: { row: number | null; endpoint: string };
  rows: ArrayLike<number>;
  x: Float64Array; // time, or the step where the log has no time stamps; never decreasing
  hasTime: boolean;
  motors: { joint: string; label: string }[];
  reference: number | null;
  q: Columns | null;
  target: Columns | null;
  tau: Columns | null;
  residual: Columns | null;
  series: Series[];
  baselines: Baseline[];
  events: { step: number; kind: string; text: string }[];
  robot: RobotTree;
}

function posterior(raw: RawSeries | undefined): Posterior | null {
  const more = raw?.posterior;
  if (!raw || !more?.sd || !more.nis_threshold || !more.guarded || !more.state || !more.timeline || !more.detectable_bias) return null;
  const columns = unpack(more.timeline.intervals);
  const { reasons } = more.timeline;
  return {
    force: unpack(raw.force),
    sd: unpack(more.sd),
    axes: maybe(more.axes),
    worstSd: unpack(more.worst_sd),
    nis: unpack(more.nis),
    nisLimit: unpack(more.nis_threshold),
    firstAlarm: more.first_alarm ?? null,
    alarms: more.alarms ?? 0,
    guarded: unpack(more.guarded),
    state: unpack(more.state),
    timeline: Array.from({ length: columns.length }, (_, i) => ({
      from: columns.at(0, i),
      to: columns.at(1, i),
      state: columns.at(2, i),
      action: columns.at(3, i),
      reasons: reasons[columns.at(4, i)] ?? '',
    })),
    motors: more.motors ?? [],
    detectableBias: unpack(more.detectable_bias),
  };
}

/** The guard's interval that holds a row. */
export function intervalAt(timeline: Interval[], row: number): Interval | null {
  let low = 0;
  let high = timeline.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((timeline[middle] as Interval).from <= row) low = middle;
    else high = middle - 1;
  }
  return timeline[low] ?? null;
}

function axis(time: Packed | null, rows: ArrayLike<number>, first: number): Float64Array {
  if (time) return Float64Array.from(unpack(time).column(0));
  return Float64Array.from(rows, (row) => first + row);
}

export function decode(text: string): Data {
  const raw = JSON.parse(text) as RawPayload;
  const rows = unpack(raw.rows).column(0);
  const x = axis(raw.time, rows, raw.first_step);
  const series: Series[] = [];
  for (const one of raw.series) {
    if (one.estimator !== 'deployed') continue;
    const stacked = raw.series.find((s) => s.endpoint === one.endpoint && s.estimator === 'stacked');
    series.push({
      endpoint: one.endpoint,
      label: one.label,
      sign: one.sign,
      force: unpack(one.force),
      stacked: maybe(stacked?.force),
      guarded: maybe(one.guarded),
      gain: maybe(one.gain),
      kappa: maybe(one.kappa),
      sigmaMin: maybe(one.sigma_min),
      verdict: maybe(one.verdict),
      contribution: maybe(one.contribution),
      posterior: posterior(raw.series.find((s) => s.endpoint === one.endpoint && s.estimator === 'posterior')),
      guards: (one.guards ?? []).map((g) => ({ ...g, action: unpack(g.action) })),
    });
  }
  return {
    names: raw.names,
    states: raw.names.verdict.slice(0, 3),
    name: raw.name,
    firstStep: raw.first_step,
    steps: raw.steps,
    sampling: raw.sampling,
    focus: raw.focus,
    rows,
    x,
    hasTime: raw.time !== null,
    motors: raw.motors,
    reference: raw.reference_motor,
    q: maybe(raw.q),
    target: maybe(raw.target),
    tau: maybe(raw.tau),
    residual: maybe(raw.residual),
    series,
    baselines: raw.baselines.map((b) => {
      const own = unpack(b.rows).column(0);
      return {
        name: b.name,
        x: axis(b.time, own, 0),
        residual: maybe(b.reference_residual),
        series: b.series.map((s) => ({
          endpoint: s.endpoint,
          force: unpack(s.force),
          gain: unpack(s.gain),
          kappa: unpack(s.kappa),
          sigmaMin: unpack(s.sigma_min),
          worstSd: maybe(s.posterior?.worst_sd),
          nis: maybe(s.posterior?.nis),
        })),
      };
    }),
    events: raw.events,
    robot: raw.robot,
  };
}

/** The sample nearest to x; the first of equals. */
export function nearest(x: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = x.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && wanted - (x[low - 1] as number) < (x[low] as number) - wanted) return low - 1;
  return low;
}

/** A baseline's column on the audited run's axis: both start together. Null where the baseline has no sample. */
export function overlay(data: Data, baseline: Baseline, values: ArrayLike<number>): (number | null)[] {
  const last = baseline.x.length - 1;
  const shift = (baseline.x[0] as number) - (data.x[0] as number);
  return Array.from(data.x, (x) => {
    const wanted = x + shift;
    if (wanted > (baseline.x[last] as number)) return null;
    const value = values[nearest(baseline.x, wanted)] as number;
    return Number.isFinite(value) ? value : null;
  });
}
