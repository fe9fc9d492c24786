// What is drawn onto a plot besides its lines: levels, moments, lanes.
import type uPlot from 'uplot';
import { nearest, type Data, type LaneText } from './data';
import { cssColor, cut, faded, toneVariable } from './format';
import type { Lane, Numbers } from './payload';

export const FONT_SIZE = 11;
const font = (ratio: number, weight = ''): string => `${weight} ${FONT_SIZE * ratio}px system-ui, sans-serif`.trim();

/** Text that stays legible on lines. */
function outlined(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, ratio: number): void {
  ctx.strokeStyle = cssColor('--paper');
  ctx.lineWidth = 3 * ratio;
  ctx.lineJoin = 'round';
  ctx.setLineDash([]);
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

/** The row at which the cursor stood at first. */
export function drawFocus(u: uPlot, data: Data): void {
  if (data.focus === null) return;
  const { ctx, bbox } = u;
  const x = Math.round(u.valToPos(data.x[data.focus] as number, 'x', true));
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = cssColor('--accent');
  ctx.globalAlpha = 0.7;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

export interface Level {
  value: number;
  label: string;
}
/** Levels across the panel, each with its name where no other name stands. */
export function drawLevels(u: uPlot, levels: Level[]): void {
  const { ctx, bbox } = u;
  const ratio = window.devicePixelRatio;
  const taken: number[] = [];
  ctx.save();
  ctx.font = font(ratio);
  ctx.textAlign = 'right';
  for (const { value, label } of levels) {
    const y = Math.round(u.valToPos(value, 'y', true));
    if (!Number.isFinite(y) || y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = cssColor('--accent');
    ctx.lineWidth = ratio;
    ctx.setLineDash([2 * ratio, 2 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const above = y - bbox.top > (FONT_SIZE + 4) * ratio;
    const at = above ? y - 3 * ratio : y + 3 * ratio;
    if (label === '' || taken.some((other) => Math.abs(other - at) < FONT_SIZE * ratio)) continue;
    taken.push(at);
    ctx.textBaseline = above ? 'bottom' : 'top';
    ctx.fillStyle = cssColor('--accent');
    outlined(ctx, cut(label, 36), bbox.left + bbox.width - 4 * ratio, at, ratio);
  }
  ctx.restore();
}

/** Moments with a name, for example the first alarm. A name without room is left out. */
export function drawMarks(u: uPlot, data: Data, marks: { row: number; text: string }[]): void {
  const { ctx, bbox } = u;
  const ratio = window.devicePixelRatio;
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.font = font(ratio, '600');
  ctx.textBaseline = 'top';
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([]);
  ctx.textAlign = 'left';
  ctx.strokeStyle = ctx.fillStyle = cssColor('--accent');
  const shown = [...marks].sort((a, b) => a.row - b.row)
    .map((mark) => ({ x: u.valToPos(data.x[data.sampleOf(mark.row)] as number, 'x', true), text: cut(mark.text, 48) }))
    .filter(({ x }) => x >= bbox.left && x <= right);
  ctx.beginPath();
  for (const { x } of shown) {
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  let taken = bbox.left;
  for (const { x, text } of shown) {
    const width = ctx.measureText(text).width;
    const fits = x + width + 8 * ratio < right;
    const left = fits ? x + 4 * ratio : x - 4 * ratio - width;
    if (left < taken) continue;
    outlined(ctx, text, left, bbox.top + 2 * ratio, ratio);
    taken = left + width + 4 * ratio;
  }
  ctx.restore();
}

/** One lane below the other, filled where its code is, with its name beside it. */
export function drawLanes(u: uPlot, data: Data, lanes: Lane[], texts: LaneText[][]): void {
  const { ctx, bbox } = u;
  const ratio = window.devicePixelRatio;
  const height = bbox.height / lanes.length;
  const written = texts.some((one) => one.length > 0);
  const x = data.x;
  const from = nearest(x, u.scales.x?.min ?? 0);
  const to = nearest(x, u.scales.x?.max ?? 0);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  lanes.forEach((lane, place) => {
    const codes: Numbers = data.values(lane.channel);
    const top = bbox.top + place * height;
    ctx.fillStyle = cssColor('--soft');
    ctx.fillRect(bbox.left, top + 2, bbox.width, height - 4);
    ctx.fillStyle = written ? faded(toneVariable(lane.tone), 0.42) : cssColor(toneVariable(lane.tone));
    let start = -1;
    for (let i = from; i <= to + 1; ++i) {
      const filled = i <= to && lane.filled[codes[i] as number] === true;
      if (filled && start < 0) start = i;
      if (!filled && start >= 0) {
        const left = u.valToPos(x[start] as number, 'x', true);
        const right = u.valToPos(x[Math.min(i, x.length - 1)] as number, 'x', true);
        ctx.fillRect(left, top + 3, Math.max(1.5, right - left), height - 6);
        start = -1;
      }
    }
  });
  ctx.restore();
  ctx.save();
  ctx.font = font(ratio);
  ctx.textBaseline = 'middle';
  ctx.fillStyle = cssColor('--ink');
  lanes.forEach((lane, place) => {
    const middle = bbox.top + (place + 0.5) * height;
    ctx.textAlign = 'right';
    ctx.fillText(shortened(ctx, lane.name, bbox.left - 8 * ratio), bbox.left - 6 * ratio, middle);
    ctx.textAlign = 'left';
    for (const one of texts[place] ?? []) drawLaneText(u, data, one, middle);
  });
  ctx.restore();
}

function shortened(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  let short = text;
  for (let most = text.length; most > 2 && ctx.measureText(short).width > room; ) short = cut(text, --most);
  return short;
}

/** Written where it has room; parts between commas are dropped from its end first. */
function drawLaneText(u: uPlot, data: Data, one: LaneText, middle: number): void {
  if (one.text === '') return;
  const { ctx, bbox } = u;
  const ratio = window.devicePixelRatio;
  const place = (row: number): number => u.valToPos(data.x[data.sampleOf(row)] as number, 'x', true);
  const left = Math.max(place(one.from), bbox.left) + 5 * ratio;
  const right = Math.min(place(one.to), bbox.left + bbox.width) - 3 * ratio;
  if (right - left < 30 * ratio) return;
  let text = one.text;
  while (text.includes(',') && ctx.measureText(`${text} \u2026`).width > right - left) text = text.slice(0, text.lastIndexOf(','));
  if (text !== one.text) text += ' \u2026';
  if (ctx.measureText(text).width > right - left) return;
  ctx.fillText(text, left, middle);
}
