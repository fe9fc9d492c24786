// Where a typed step, a typed time or a link sends the cursor.
import { nearest, type Data } from './data';
import { number } from './format';

/** Half of what a time is shown with, so that every time on the page can be typed. */
const SHOWN = 0.0006;

/** What the log has, in words: "steps 0 to 76, or 21.1 s to 22.6 s". */
export function rangeText(data: Data): string {
  const first = data.run.first_step;
  const steps = `steps ${first} to ${first + data.run.steps - 1}`;
  if (!data.time) return steps;
  const last = data.time[data.samples - 1];
  return `${steps}, or ${number(data.time[0], 3)}\u00a0s to ${number(last, 3)}\u00a0s`;
}

/** The sample that a text names: "8" is a step, "22.6" and "22.6 s" are times. Null where the run has none such. */
export function sampleOf(data: Data, text: string): number | null {
  const plain = text.trim().replace('\u2212', '-');
  if (/^[+-]?\d+$/.test(plain)) return sampleOfStep(data, Number(plain));
  const typed = /^([+-]?(?:\d+[.,]?\d*|[.,]\d+))\s*s?$/i.exec(plain);
  if (!typed || !data.time) return null;
  const time = Number((typed[1] as string).replace(',', '.'));
  const [first, last] = [data.time[0] as number, data.time[data.samples - 1] as number];
  return time >= first - SHOWN && time <= last + SHOWN ? nearest(data.time, time) : null;
}

export function sampleOfStep(data: Data, step: number): number | null {
  const row = step - data.run.first_step;
  return row >= 0 && row < data.run.steps ? data.sampleOf(row) : null;
}
