// The runs' samples and the channels over them, decoded when first asked for.
import { unpack, type ChannelId, type Numbers, type RawTexts, type Run, type Views } from './payload';

interface Axis {
  rows: Numbers;
  time: Numbers | null;
}

/** Time is an axis only where every sample has one and it goes on. */
function axisOf(run: Run): Axis {
  const rows = unpack(run.rows);
  const time = run.time ? unpack(run.time) : null;
  const last = rows.length - 1;
  const usable = time !== null && time.every((t) => Number.isFinite(t)) && (last === 0 || (time[last] as number) > (time[0] as number));
  return { rows, time: usable ? time : null };
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

/** For each sample of the page's run the one of a comparison, which starts together with it; -1 beyond its end. */
function alignment(own: Axis, other: Axis): Int32Array {
  const timed = own.time !== null && other.time !== null;
  const a = timed ? (own.time as Numbers) : own.rows;
  const b = timed ? (other.time as Numbers) : other.rows;
  const shift = (b[0] as number) - (a[0] as number);
  const end = b[b.length - 1] as number;
  return Int32Array.from(a, (x) => (x + shift > end ? -1 : nearest(b, x + shift)));
}

const NOTHING = new Float32Array(0);

/** What a scene is posed by: numbers by channel and sample. */
export interface Samples {
  readonly samples: number;
  at(channel: ChannelId, sample: number): number;
  values(channel: ChannelId): Numbers;
  /** The largest size of a channel. */
  peak(channel: ChannelId): number;
}

export class Data implements Samples {
  readonly run: Run;
  readonly rows: Numbers;
  readonly time: Numbers | null; // per sample [s]
  readonly x: Float64Array; // time, or the step where the run has none; never decreasing
  readonly focus: number | null; // sample
  private readonly own: Axis;
  private readonly places: (Int32Array | null | undefined)[] = [];
  private readonly cache = new Map<ChannelId, Numbers>();
  private readonly peaks = new Map<ChannelId, number>();
  private readonly firstAfter: number; // sample behind the rows that are there one by one

  /** index: the run whose samples are the axis. */
  constructor(readonly views: Views, private readonly index = 0) {
    this.run = views.runs[index] as Run;
    this.own = axisOf(this.run);
    this.rows = this.own.rows;
    this.time = this.own.time;
    const first = this.run.first_step;
    this.x = this.time ? Float64Array.from(this.time) : Float64Array.from(this.rows, (row) => first + row);
    const after = this.rows.findIndex((row) => row >= this.run.whole_end);
    this.firstAfter = after < 0 ? this.rows.length : after;
    this.focus = index === 0 && views.focus >= 0 && views.focus < this.run.steps ? this.sampleOf(views.focus) : null;
  }

  get samples(): number {
    return this.rows.length;
  }
  get hasComparisons(): boolean {
    return this.views.runs.length > 1;
  }
  sampleOf(row: number): number {
    return nearest(this.rows, row);
  }
  stepOf(sample: number): number {
    return this.run.first_step + (this.rows[sample] as number);
  }
  /** The run that a channel is compared from; 0 for one of this axis. */
  runOf(channel: ChannelId): number {
    const run = this.views.channels[channel]?.run ?? 0;
    return run === this.index ? 0 : run;
  }

  private placesOf(run: number): Int32Array | null {
    const known = this.places[run];
    if (known !== undefined) return known;
    const other = this.views.runs[run];
    const found = other && other.steps > 0 ? alignment(this.own, axisOf(other)) : null;
    this.places[run] = found;
    return found;
  }

  /** A channel's value at every sample of the axis; nothing for no channel. */
  values(channel: ChannelId): Numbers {
    const raw = this.views.channels[channel];
    if (!raw) return NOTHING;
    const known = this.cache.get(channel);
    if (known) return known;
    let values = unpack(raw);
    if (raw.run !== this.index) {
      const places = this.placesOf(raw.run);
      const other = values;
      values = Float32Array.from(this.rows, (_, i) => {
        const at = places ? (places[i] as number) : -1;
        return at < 0 ? NaN : (other[at] ?? NaN);
      });
    }
    this.cache.set(channel, values);
    return values;
  }
  at(channel: ChannelId, sample: number): number {
    return channel < 0 ? NaN : (this.values(channel)[sample] ?? NaN);
  }

  /** The largest size of a channel in the run. */
  peak(channel: ChannelId): number {
    let most = this.peaks.get(channel);
    if (most !== undefined) return most;
    most = 0;
    for (const v of this.values(channel)) if (Math.abs(v) > most && Number.isFinite(v)) most = Math.abs(v);
    this.peaks.set(channel, most);
    return most;
  }

  /** A sample is one row, or the least or the largest value of a bin. Bins have two samples, in this order. */
  private kind(sample: number): 'row' | 'min' | 'max' {
    const { bin, whole_begin, whole_end } = this.run;
    const row = this.rows[sample] as number;
    if (bin <= 1 || (row >= whole_begin && row < whole_end)) return 'row';
    const first = row < whole_begin ? 0 : this.firstAfter;
    if ((sample - first) % 2 === 1) return 'max';
    const next = this.rows[sample + 1];
    // The last bin of a stretch may be a single row.
    return next === undefined || (row < whole_begin && next >= whole_begin) ? 'row' : 'min';
  }
  isWhole(sample: number): boolean {
    return this.kind(sample) === 'row';
  }
  /** A sample's step; of a bin it is a place, and which of the bin's two values is shown. */
  stepName(sample: number): string {
    const kind = this.kind(sample);
    const step = String(this.stepOf(sample));
    return kind === 'row' ? step : `${kind} near ${step}`;
  }
}

/** Rows in succession with a text, in one lane. */
export interface LaneText {
  from: number;
  to: number;
  text: string;
  sentence: string;
}

/** The texts of each lane, by their first row. */
export function laneTexts(raw: RawTexts | undefined, lanes: number): LaneText[][] {
  const all: LaneText[][] = Array.from({ length: lanes }, () => []);
  if (!raw) return all;
  const [from, to, lane, text, sentence] = [raw.from, raw.to, raw.lane, raw.text, raw.sentence].map(unpack) as [Numbers, Numbers, Numbers, Numbers, Numbers];
  for (let i = 0; i < from.length; ++i) {
    all[lane[i] as number]?.push({
      from: from[i] as number,
      to: to[i] as number,
      text: raw.strings[text[i] as number] ?? '',
      sentence: raw.strings[sentence[i] as number] ?? '',
    });
  }
  for (const one of all) one.sort((a, b) => a.from - b.from);
  return all;
}

/** The text that holds a row. */
export function textAt(texts: LaneText[], row: number): LaneText | null {
  let low = 0;
  let high = texts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((texts[middle] as LaneText).from <= row) low = middle;
    else high = middle - 1;
  }
  const found = texts[low];
  return found && found.from <= row && row <= found.to ? found : null;
}
