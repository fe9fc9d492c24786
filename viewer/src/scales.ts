// Scales and axes of the plots.
import uPlot from 'uplot';
import type { Level } from './paint';

/** More decades than this below the largest value nobody reads. */
const MOST_DECADES = 8;
/** A level further from the data than so many times their range would press them flat. */
const NEAR = 3;
const NEAR_DECADES = 2;

/** What a logarithmic axis cannot hold is a gap. */
export function positive(values: ArrayLike<number | null>): (number | null)[] {
  return Array.from(values, (v) => (v !== null && Number.isFinite(v) && v > 0 ? v : null));
}

/** uPlot breaks a line at null, not at NaN. */
export function gaps(values: ArrayLike<number>): ArrayLike<number | null> {
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i] as number)) return Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  }
  return values;
}

type Range = [number, number];
type Ranger = (plot: uPlot, min: number | null, max: number | null) => Range;

export function logRange(levels: Level[]): Ranger {
  return (_plot, min, max) => {
    if (min === null || max === null || !(max > 0)) return [0.1, 10];
    let high = max;
    let low = Math.max(min, max * 10 ** -MOST_DECADES);
    const reach = 10 ** NEAR_DECADES;
    for (const { value } of levels) {
      if (!(value > 0) || value < low / reach || value > high * reach) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return uPlot.rangeLog(low, high, 10, true) as Range;
  };
}

export function linearRange(levels: Level[]): Ranger {
  return (_plot, min, max) => {
    if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
    const span = Math.max(max - min, 0.02 * Math.max(Math.abs(min), Math.abs(max)));
    let [low, high] = [min, max];
    for (const { value } of levels) {
      if (value < min - NEAR * span || value > max + NEAR * span) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (low === high) return low === 0 ? [-1, 1] : [low - 0.1 * Math.abs(low), high + 0.1 * Math.abs(high)];
    return uPlot.rangeNum(low, high, 0.1, true) as Range;
  };
}

/** Decades alone, as many as have room: the lines between them would be a grey band. */
export function decades(plot: uPlot, _axis: number, min: number, max: number): number[] {
  const [from, to] = [Math.ceil(Math.log10(min) - 1e-9), Math.floor(Math.log10(max) + 1e-9)];
  const room = Math.max(1, Math.floor(plot.bbox.height / window.devicePixelRatio / 24));
  const stride = Math.max(1, Math.ceil((to - from) / room));
  const splits: number[] = [];
  for (let power = from; power <= to; power += stride) splits.push(+`1e${power}`);
  return splits;
}

/** Steps have no fractions. */
export const WHOLE_STEPS = [1, 2, 5].flatMap((n) => [0, 1, 2, 3, 4, 5, 6, 7].map((p) => n * 10 ** p)).sort((a, b) => a - b);
