// The last minutes: a force plot an endpoint and the plot of one joint's residual, under one cursor and one time axis.
import uPlot from 'uplot';
import { compact, cssColor, element, faded, named, number, setText, swatch, tick } from './format';
import type { Hello, Happened, Moment, Recent } from './live_stream';
import { clock } from './live_words';
import { LIMIT_SDS } from './live_robot';
import { FONT_SIZE } from './paint';
import { linearRange } from './scales';

const HEIGHT = 150;
const GUTTER = 48;
const LANE = 9; // [px] of the verdicts below a plot's top
const TONES = ['--c1', '--c2', '--c3'];

export interface Owner {
  readonly hello: Hello;
  readonly recent: Recent;
  events(): Happened[];
  range(): [number, number]; // seconds since 1970
  cursor(): number | null;
  pressed(time: number): void;
  pointed(time: number): void;
}

type Column = (number | null)[];
interface Curve {
  label: string;
  tone: string;
  dashed?: boolean;
  value: (bin: Moment) => number;
  least?: (bin: Moment) => number;
  most?: (bin: Moment) => number;
}
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

export class LivePlot {
  readonly root: HTMLElement;
  private readonly holder = element('div', { class: 'plot' });
  private readonly readings: HTMLElement[] = [];
  private readonly line = element('div', { class: 'cursor-line' });
  private plot: uPlot | null = null;
  private times: number[] = [];

  constructor(
    private readonly owner: Owner,
    head: HTMLElement,
    private readonly curves: Curve[],
    private readonly code: ((bin: Moment) => number) | null, // 0: nothing to tell; 1, 2, …: ever worse
    private readonly unit: string,
  ) {
    const legend = element('div', { class: 'legend' });
    for (const curve of curves) {
      const reading = element('span', { class: 'reading' }, '\u2013');
      this.readings.push(reading);
      if (curve.label === '') continue;
      legend.append(element('span', { class: 'key' }, swatch(curve.tone, curve.dashed ? 'dashed' : ''), named(curve.label), reading));
    }
    const top = element('div', { class: 'panel-head' }, head, legend);
    this.root = element('div', { class: 'panel' }, top, this.holder);
  }

  /** The bins in the range, with a gap where the stream had one. */
  private columns(): [number[], ...Column[]] {
    const { owner } = this;
    const [from, to] = owner.range();
    const wide = 3 * owner.hello.bin;
    this.times = [];
    const columns: Column[] = this.curves.flatMap((curve) => (curve.least && curve.most ? [[], [], []] : [[]]));
    let before = NaN;
    for (const bin of owner.recent.bins) {
      if (bin.time < from - 1 || bin.time > to + 1) continue;
      if (bin.time - before > wide) {
        this.times.push(before + owner.hello.bin);
        for (const column of columns) column.push(null);
      }
      before = bin.time;
      this.times.push(bin.time);
      let place = 0;
      for (const curve of this.curves) {
        columns[place++]?.push(known(curve.value(bin)));
        if (!curve.least || !curve.most) continue;
        columns[place++]?.push(known(curve.most(bin)));
        columns[place++]?.push(known(curve.least(bin)));
      }
    }
    return [this.times, ...columns];
  }

  draw(): void {
    const width = this.holder.clientWidth;
    if (width < 50) return;
    if (!this.plot) this.make(width);
    if (!this.plot) return;
    if (this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
    const [min, max] = this.owner.range();
    this.plot.batch(() => {
      this.plot?.setData(this.columns() as unknown as uPlot.AlignedData, false);
      this.plot?.setScale('x', { min, max });
    });
    this.move();
  }
  /** Made anew, as for other colours. */
  forget(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private make(width: number): void {
    const grid = { stroke: cssColor('--grid'), width: 1 };
    const axis = { stroke: cssColor('--quiet'), grid, ticks: { ...grid, size: 4 }, font: `${FONT_SIZE}px system-ui, sans-serif` };
    const series: object[] = [{}];
    const bands: uPlot.Band[] = [];
    for (const curve of this.curves) {
      const stroke = cssColor(curve.tone);
      series.push({ stroke, width: curve.dashed ? 1.25 : 1.5, dash: curve.dashed ? [4, 3] : undefined, points: { show: false } });
      if (!curve.least || !curve.most) continue;
      const edge = { stroke: 'transparent', width: 0, points: { show: false } };
      series.push(edge, { ...edge });
      bands.push({ series: [series.length - 2, series.length - 1], fill: faded(curve.tone, 0.22) });
    }
    this.plot = new uPlot({
      width, height: HEIGHT, padding: [this.code ? LANE + 6 : 8, 8, 0, 0], legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: linearRange([]) as uPlot.Scale.Range } },
      axes: [
        { ...axis, size: 22, space: 76, values: (_u, ticks) => ticks.map((t) => clock(t, ticks.length > 1 && (ticks[1] as number) - (ticks[0] as number) < 1)) },
        { ...axis, size: GUTTER, space: 26, values: (_u, ticks) => ticks.map((v) => tick(v)) },
      ],
      series: series as uPlot.Series[],
      bands,
      hooks: { draw: [(u) => this.paint(u)] },
    }, [[], ...series.slice(1).map(() => [])] as unknown as uPlot.AlignedData, this.holder);
    const over = this.plot.over;
    over.append(this.line);
    const time = (event: PointerEvent): number => this.plot?.posToVal(event.clientX - over.getBoundingClientRect().left, 'x') ?? NaN;
    over.addEventListener('pointermove', (event) => this.owner.pointed(time(event)));
    over.addEventListener('pointerup', (event) => this.owner.pressed(time(event)));
  }

  /** Verdicts as a lane above the plot, higher where they are worse; events as lines. */
  private paint(u: uPlot): void {
    const { ctx, bbox } = u;
    const ratio = window.devicePixelRatio;
    const { owner, code } = this;
    const [from, to] = owner.range();
    ctx.save();
    if (code) {
      const tones = ['', '--c5', '--accent'];
      const bottom = bbox.top - 3 * ratio;
      const width = Math.max(1, u.valToPos(from + owner.hello.bin, 'x', true) - u.valToPos(from, 'x', true)) + 0.5;
      for (const bin of owner.recent.bins) {
        const worse = Math.min(2, code(bin));
        if (worse === 0 || bin.time < from || bin.time > to) continue;
        ctx.fillStyle = cssColor(tones[worse] as string);
        const tall = (worse === 1 ? 0.45 : 1) * LANE * ratio;
        ctx.fillRect(u.valToPos(bin.time, 'x', true) - width, bottom - tall, width, tall);
      }
    }
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    for (const event of owner.events()) {
      if (event.at < from || event.at > to) continue;
      ctx.strokeStyle = cssColor(event.what === 'mark' ? '--link' : event.what === 'recovered' ? '--calm' : '--accent');
      const x = Math.round(u.valToPos(event.at, 'x', true));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** The cursor's line, and the numbers there. */
  move(): void {
    const at = this.owner.cursor();
    const [from, to] = this.owner.range();
    const shown = at !== null && this.plot !== null && at >= from && at <= to;
    this.line.style.opacity = shown ? '1' : '0';
    if (shown) this.line.style.transform = `translateX(${Math.round(this.plot?.valToPos(at, 'x') ?? 0)}px)`;
  }
  read(moment: Moment): void {
    this.curves.forEach((curve, i) => {
      const value = curve.value(moment);
      setText(this.readings[i] as HTMLElement, Number.isFinite(value) ? `${Math.abs(value) < 1e-3 ? '0' : number(value, Math.abs(value) < 10 ? 2 : 1)}\u00a0${this.unit}` : '\u2013');
    });
  }
}

export function forcePlot(owner: Owner, place: number): LivePlot {
  const { hello } = owner;
  const head = element('h3', {}, 'Force at the ', named(hello.endpoints[place]?.label ?? '', 40), element('span', { class: 'unit' }, ' [N]'));
  const ofAxis = (axis: number): Curve => ({
    label: `F${'xyz'[axis] as string}`, tone: TONES[axis] as string, value: (bin) => bin.force(place, axis),
    least: (bin) => bin.forceLeast(place, axis), most: (bin) => bin.forceMost(place, axis),
  });
  const read: Curve = { label: '|F| the consumer reads', tone: '--c0', dashed: true, value: (bin) => Math.hypot(bin.consumer(place, 0), bin.consumer(place, 1), bin.consumer(place, 2)) };
  return new LivePlot(owner, head, [ofAxis(0), ofAxis(1), ofAxis(2), read], (bin) => (bin.stop(place) || bin.heldOff ? 2 : bin.state(place)), 'N');
}

export function residualPlot(owner: Owner, motor: number): LivePlot {
  const joint = owner.hello.motors[motor] as Hello['motors'][number];
  const head = element('h3', {}, 'Residual of ', named(joint.name, 40), element('span', { class: 'unit' }, ` [${joint.unit}]`));
  const limit = (sign: number) => (bin: Moment): number => sign * LIMIT_SDS * bin.residualSd(motor);
  return new LivePlot(owner, head, [
    { label: 'residual', tone: '--c1', value: (bin) => bin.residual(motor), least: (bin) => bin.least(motor), most: (bin) => bin.most(motor) },
    { label: `limit, ${LIMIT_SDS} sd`, tone: '--accent', dashed: true, value: limit(1) },
    { label: '', tone: '--accent', dashed: true, value: limit(-1) },
  ], null, joint.unit);
}

/** How far a joint stands out: its largest residual in the range, as a number and in limits. */
function outstanding(bins: Moment[], motor: number): { peak: number; share: number } {
  const found = { peak: 0, share: 0 };
  for (const bin of bins) {
    const limit = LIMIT_SDS * bin.residualSd(motor);
    for (const value of [bin.least(motor), bin.most(motor)]) {
      if (Math.abs(value) > Math.abs(found.peak)) found.peak = value;
      if (limit > 0 && Math.abs(value) / limit > found.share) found.share = Math.abs(value) / limit;
    }
  }
  return found;
}

const SMALL_HEIGHT = 44;
const FIRST_SHOWN = 8;
/** Joints change places no more often, so that a finger finds what the eye has found. */
const SORT_EVERY = 3000; // [ms]

class Small {
  readonly root: HTMLButtonElement;
  share = 0;
  peak = 0;
  private readonly canvas = element('canvas', { 'aria-hidden': 'true' });
  private readonly value = element('span', { class: 'value' }, '\u2013');

  constructor(
    private readonly hello: Hello,
    readonly motor: number,
    chosen: () => void,
  ) {
    const joint = hello.motors[motor] as Hello['motors'][number];
    this.root = element('button', { type: 'button', class: 'joint', 'data-motor': joint.name, title: joint.name },
      element('span', { class: 'joint-head' }, named(joint.label, 20), this.value), this.canvas);
    this.root.addEventListener('click', chosen);
  }

  draw(bins: Moment[], from: number, to: number, now: Moment | null): void {
    const { motor, canvas } = this;
    const joint = this.hello.motors[motor] as Hello['motors'][number];
    const out = this.share >= 1;
    this.root.dataset.out = String(out);
    if (now) {
      const limit = LIMIT_SDS * now.residualSd(motor);
      setText(this.value, `${out ? `\u25b2\u00a0${compact(this.peak)}` : compact(now.residual(motor))}, ${Number.isFinite(limit) ? `limit\u00a0${compact(limit)}\u00a0${joint.unit}` : 'no evidence'}`);
    }
    const ratio = Math.min(2, window.devicePixelRatio);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = SMALL_HEIGHT * ratio;
    if (width < 10) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const ctx = canvas.getContext('2d');
    if (!ctx) return;
    ctx.clearRect(0, 0, width, height);
    let scale = 0;
    for (const bin of bins) {
      const limit = LIMIT_SDS * bin.residualSd(motor);
      for (const size of [1.3 * limit, 1.05 * Math.abs(bin.least(motor)), 1.05 * Math.abs(bin.most(motor))]) if (size > scale && Number.isFinite(size)) scale = size;
    }
    if (scale === 0) return;
    const x = (time: number): number => ((time - from) / (to - from)) * width;
    const y = (value: number): number => height / 2 - (value / scale) * (height / 2);
    const strip = (low: (bin: Moment) => number, high: (bin: Moment) => number, color: string): void => {
      ctx.fillStyle = color;
      const wide = Math.max(1, (this.hello.bin / (to - from)) * width) + 0.5;
      for (const bin of bins) {
        const [bottom, top] = [y(low(bin)), y(high(bin))];
        if (Number.isFinite(bottom + top)) ctx.fillRect(x(bin.time) - wide, top, wide, Math.max(ratio, bottom - top));
      }
    };
    strip((bin) => -LIMIT_SDS * bin.residualSd(motor), (bin) => LIMIT_SDS * bin.residualSd(motor), cssColor('--band'));
    strip((bin) => bin.least(motor), (bin) => bin.most(motor), cssColor(out ? '--accent' : '--c1'));
  }
}

export class Joints {
  readonly root = element('section', { class: 'joints', 'aria-labelledby': 'joints-head' });
  private readonly grid = element('div', { class: 'joint-grid' });
  private readonly large = element('div');
  private readonly more = element('button', { type: 'button', class: 'more', 'aria-expanded': 'false' });
  private readonly small: Small[];
  private plot: LivePlot | null = null;
  private chosen = -1;
  private byHand = false;
  private open = false;
  private sortedAt = -Infinity;

  constructor(private readonly owner: Owner) {
    const { hello } = owner;
    this.small = hello.motors.map((_, motor) => new Small(hello, motor, () => {
      this.byHand = true;
      this.choose(motor);
    }));
    this.more.addEventListener('click', () => {
      this.open = !this.open;
      this.arrange(true);
      this.draw(null);
    });
    const note = element('p', { class: 'quiet note' }, `Torque that the model does not explain, least and most of every ${hello.bin}\u00a0s. The band is the limit: ${LIMIT_SDS} sd of what model and noise explain. Joints that stand out come first.`);
    this.root.append(element('h2', { id: 'joints-head' }, 'Residual of every joint'), note, this.large, this.grid, this.more);
  }

  private choose(motor: number): void {
    if (this.chosen === motor) return;
    this.chosen = motor;
    this.plot?.forget();
    this.plot = residualPlot(this.owner, motor);
    this.large.replaceChildren(this.plot.root);
    for (const one of this.small) one.root.setAttribute('aria-pressed', String(one.motor === motor));
    this.plot.draw();
  }

  private inRange(): Moment[] {
    const [from, to] = this.owner.range();
    return this.owner.recent.bins.filter((bin) => bin.time >= from && bin.time <= to);
  }

  /** Joints that stand out first; those that do not, in the robot's order. */
  private arrange(force: boolean): void {
    const now = performance.now();
    if (!force && now - this.sortedAt < SORT_EVERY) return;
    this.sortedAt = now;
    const order = [...this.small].sort((a, b) => (Math.max(1, b.share) - Math.max(1, a.share)) || a.motor - b.motor);
    const shown = this.open ? order : order.slice(0, FIRST_SHOWN);
    const focused = document.activeElement;
    if (shown.some((one, i) => this.grid.children[i] !== one.root) || this.grid.children.length !== shown.length) {
      this.grid.replaceChildren(...shown.map((one) => one.root));
      if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) focused.focus();
    }
    this.more.hidden = order.length <= FIRST_SHOWN;
    this.more.setAttribute('aria-expanded', String(this.open));
    setText(this.more, this.open ? `Only ${FIRST_SHOWN} joints` : `All ${order.length} joints`);
    if (!this.byHand && order[0]) this.choose(order[0].motor);
  }

  draw(now: Moment | null): void {
    const bins = this.inRange();
    const [from, to] = this.owner.range();
    for (const one of this.small) Object.assign(one, outstanding(bins, one.motor));
    this.arrange(false);
    for (const one of this.small) if (one.root.isConnected) one.draw(bins, from, to, now ?? this.owner.recent.now);
    this.plot?.draw();
  }
  move(): void {
    this.plot?.move();
  }
  read(moment: Moment): void {
    this.plot?.read(moment);
  }
  recolor(): void {
    this.plot?.forget();
  }
}
