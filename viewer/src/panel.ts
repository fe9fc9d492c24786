// One panel: a plot or lanes, its legend with the numbers at the cursor, and what is told above it.
import uPlot from 'uplot';
import { laneTexts, nearest, textAt, type Data, type LaneText } from './data';
import { compact, cssColor, element, faded, named, setText, swatch, tick, toneVariable } from './format';
import { drawFocus, drawLanes, drawLevels, drawMarks, FONT_SIZE, type Level } from './paint';
import type { Line, Numbers, ViewPanel } from './payload';
import { decades, gaps, linearRange, logRange, positive, WHOLE_STEPS } from './scales';

const PLOT_HEIGHT = 132;
const COMPARISONS = ['--b1', '--b2', '--b3'];

/** What a panel asks of the panels around it. */
export interface Owner {
  readonly data: Data;
  readonly gutter: number; // [px] left of every plot, so that all share one axis
  isShown(panel: string, line: Line): boolean;
  remember(panel: string, line: string, shown: boolean): void;
  variable(line: Line): string;
  pointed(sample: number): void;
  zoomed(source: uPlot): void;
  redraw(panel: Panel): void;
}

interface Strip {
  of: number; // line
  high: ArrayLike<number>;
  low: ArrayLike<number>;
}

export class Panel {
  readonly root: HTMLElement;
  plot: uPlot | null = null;
  private readonly holder = element('div', { class: 'plot' });
  private readonly empty = element('p', { class: 'quiet nothing' });
  private readonly mark = element('div', { class: 'cursor-line' });
  private readonly readings: HTMLElement[] = [];
  private readonly told: HTMLElement | null;
  private readonly texts: LaneText[][];
  private readonly levels: Level[];
  private readonly strips: Strip[];
  private readonly lanes: boolean;
  private left = NaN;

  constructor(
    private readonly owner: Owner,
    private readonly spec: ViewPanel,
    private readonly lines: Line[],
  ) {
    this.lanes = spec.lanes.length > 0;
    this.texts = laneTexts(spec.texts, spec.lanes.length);
    this.levels = spec.limits.filter((l): l is Level => l.value !== null && Number.isFinite(l.value));
    this.strips = lines.flatMap((line, of) => this.stripOf(line, of));
    const head = element('div', { class: 'panel-head' });
    head.append(element('h4', { title: spec.title }, spec.title, element('span', { class: 'unit' }, spec.unit ? ` [${spec.unit}]` : '')));
    const legend = element('div', { class: 'legend', role: 'group', 'aria-label': `${this.lanes ? 'lanes' : 'lines'} of ${spec.title}` });
    for (const lane of spec.lanes) legend.append(this.laneKey(lane.name, toneVariable(lane.tone)));
    for (const line of lines) legend.append(this.lineKey(line));
    head.append(legend);
    const telling = this.texts.some((lane) => lane.some((one) => one.sentence !== ''));
    this.told = telling ? element('p', { class: 'told-line quiet' }) : null;
    this.root = element('div', { class: 'panel', 'data-panel': spec.id }, head, ...(this.told ? [this.told] : []), this.empty, this.holder);
    this.empty.hidden = true;
  }

  private reading(): HTMLElement {
    const made = element('span', { class: 'reading' }, '\u2013');
    this.readings.push(made);
    return made;
  }
  private laneKey(name: string, variable: string): HTMLElement {
    return element('span', { class: 'key', 'data-line': name }, swatch(variable, 'block'), named(name), this.reading());
  }
  private lineKey(line: Line): HTMLElement {
    const { owner, spec } = this;
    const dashed = line.dashed || owner.data.runOf(line.channel) > 0;
    const key = element('button', { type: 'button', class: 'key', 'aria-pressed': String(owner.isShown(spec.id, line)), 'data-line': line.name },
      swatch(owner.variable(line), dashed ? 'dashed' : ''), named(line.name), this.reading());
    key.addEventListener('click', () => {
      const shown = key.getAttribute('aria-pressed') !== 'true';
      key.setAttribute('aria-pressed', String(shown));
      owner.remember(spec.id, line.name, shown);
      const at = this.lines.indexOf(line);
      if (!this.plot || this.nothing() !== '') {
        owner.redraw(this);
        return;
      }
      this.plot.setSeries(at + 1, { show: shown });
      this.strips.forEach((strip, i) => {
        if (strip.of !== at) return;
        for (const side of [0, 1]) this.plot?.setSeries(1 + this.lines.length + 2 * i + side, { show: shown });
      });
    });
    return key;
  }

  private stripOf(line: Line, of: number): Strip[] {
    const { data } = this.owner;
    if (line.low >= 0 && line.high >= 0) return [{ of, high: data.values(line.high), low: data.values(line.low) }];
    if (line.sd < 0 || line.channel < 0) return [];
    const [middle, sd] = [data.values(line.channel), data.values(line.sd)];
    const side = (sign: number): Float64Array => Float64Array.from(middle, (v, i) => v + sign * (sd[i] as number));
    return [{ of, high: side(1), low: side(-1) }];
  }

  /** Why there is no plot; empty where there is one. */
  private nothing(): string {
    if (this.lanes) return '';
    const { owner, spec } = this;
    if (this.lines.length === 0 && spec.lines.length > 0) return 'nothing is chosen here';
    const shown = this.lines.map((line) => owner.isShown(spec.id, line));
    if (this.lines.length > 0 && !shown.includes(true)) return 'no line is shown';
    const has = (values: ArrayLike<number>): boolean => {
      for (let i = 0; i < values.length; ++i) {
        const v = values[i] as number;
        if (Number.isFinite(v) && (!spec.logarithmic || v > 0)) return true;
      }
      return false;
    };
    const any = this.lines.some((line, i) => shown[i] && has(owner.data.values(line.channel))) ||
      this.strips.some((strip) => shown[strip.of] && (has(strip.low) || has(strip.high)));
    return any ? '' : 'no numbers here';
  }

  private drawable(values: ArrayLike<number>): ArrayLike<number | null> {
    if (values.length === 0) return new Array<null>(this.owner.data.samples).fill(null);
    return this.spec.logarithmic ? positive(values) : gaps(values);
  }

  draw(width: number): void {
    this.plot?.destroy();
    this.plot = null;
    const { data } = this.owner;
    const reason = this.nothing();
    setText(this.empty, reason);
    this.empty.hidden = reason === '';
    // A single row is told by its numbers: it has no extent to be drawn along.
    this.holder.hidden = reason !== '' || data.samples < 2;
    if (this.holder.hidden) return;
    const ofLines = this.lines.map((l) => this.drawable(data.values(l.channel)));
    const ofStrips = this.strips.flatMap((s) => [this.drawable(s.high), this.drawable(s.low)]);
    this.plot = new uPlot(this.options(width), [data.x, ...ofLines, ...ofStrips] as unknown as uPlot.AlignedData, this.holder);
    const over = this.plot.over;
    over.append(this.mark);
    const move = (event: PointerEvent): void => {
      if (!this.plot) return;
      const left = event.clientX - over.getBoundingClientRect().left;
      this.owner.pointed(nearest(data.x, this.plot.posToVal(left, 'x')));
    };
    over.addEventListener('pointermove', move);
    over.addEventListener('pointerdown', move);
  }

  private options(width: number): uPlot.Options {
    const { owner, spec, lanes } = this;
    const { data } = owner;
    const grid = { stroke: cssColor('--grid'), width: 1 };
    const axis = { stroke: cssColor('--quiet'), grid, ticks: { ...grid, size: 4 }, font: `${FONT_SIZE}px system-ui, sans-serif` };
    const rows = spec.lanes.length;
    const laneHeight = this.texts.some((one) => one.length > 0) ? 24 : 18;
    const values = (_u: uPlot, ticks: (number | null)[]): string[] => ticks.map((v) => (v === null ? '' : tick(v)));
    const logarithmic = { distr: 3 as const, log: 10 as const, range: logRange(this.levels) };
    return {
      width,
      height: lanes ? 34 + laneHeight * rows : PLOT_HEIGHT,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, dist: 5 } },
      scales: {
        x: { time: false },
        y: (lanes ? { range: () => [0, rows] } : spec.logarithmic ? logarithmic : { range: linearRange(this.levels) }) as uPlot.Scale,
      },
      axes: [
        { ...axis, size: 24, values, ...(data.time ? {} : { incrs: WHOLE_STEPS }) },
        lanes
          ? { ...axis, size: owner.gutter, grid: { show: false }, ticks: { show: false }, values: () => [] }
          : { ...axis, size: owner.gutter, space: 26, values, ...(spec.logarithmic ? { splits: decades } : {}) },
      ],
      series: [
        {},
        ...this.lines.map((line) => this.seriesOf(line)),
        ...this.strips.flatMap(({ of }) => {
          const line = this.lines[of] as Line;
          const edge = { show: owner.isShown(spec.id, line), stroke: faded(owner.variable(line), 0.45), width: 0.75, points: { show: false }, auto: line.scales };
          return [edge, { ...edge }];
        }),
      ] as uPlot.Series[],
      bands: this.strips.map(({ of }, i) => ({
        series: [1 + this.lines.length + 2 * i, 2 + this.lines.length + 2 * i] as [number, number],
        fill: faded(owner.variable(this.lines[of] as Line), 0.2),
      })),
      hooks: {
        setScale: [(u, key) => key === 'x' && owner.zoomed(u)],
        drawClear: [(u) => drawFocus(u, data)],
        draw: [
          (u) => {
            if (lanes) drawLanes(u, data, spec.lanes, this.texts);
            else drawLevels(u, this.levels);
            if (spec.marks.length > 0) drawMarks(u, data, spec.marks);
          },
        ],
      },
    };
  }

  private seriesOf(line: Line): object {
    const other = this.owner.data.runOf(line.channel) > 0;
    return {
      show: this.owner.isShown(this.spec.id, line),
      stroke: cssColor(this.owner.variable(line)),
      width: line.wide ? 2 : other ? 1.25 : 1.5,
      dash: line.dashed || other ? [5, 3] : undefined,
      points: { show: false },
      auto: line.scales,
    };
  }

  private lineReading(line: Line, sample: number): string {
    const { data } = this.owner;
    if (line.channel < 0) return `${compact(data.at(line.low, sample))} \u2026 ${compact(data.at(line.high, sample))}`;
    const value = data.at(line.channel, sample);
    // What single precision leaves of a difference is no number on a linear axis.
    const noise = !this.spec.logarithmic && Math.abs(value) < 1e-7 * data.peak(line.channel);
    const text = compact(noise ? 0 : value);
    return line.sd < 0 || !Number.isFinite(value) ? text : `${text} \u00b1 ${compact(data.at(line.sd, sample))}`;
  }

  cursor(sample: number): void {
    const { data } = this.owner;
    if (this.plot) {
      const left = this.plot.valToPos(data.x[sample] as number, 'x');
      const inside = left >= 0 && left <= this.plot.over.clientWidth;
      if (left !== this.left) this.mark.style.transform = `translateX(${Math.round(left)}px)`;
      this.mark.style.opacity = inside ? '1' : '0';
      this.left = left;
    }
    this.lines.forEach((line, i) => setText(this.readings[i] as HTMLElement, this.lineReading(line, sample)));
    this.spec.lanes.forEach((lane, i) => {
      const codes: Numbers = data.values(lane.channel);
      setText(this.readings[i] as HTMLElement, lane.words[codes[sample] as number] ?? '\u2013');
    });
    if (!this.told) return;
    const row = data.rows[sample] as number;
    setText(this.told, this.texts.map((lane) => textAt(lane, row)?.sentence ?? '').filter((s) => s !== '').join(' '));
  }
}

/** Comparisons stand behind the page's own run. */
export const comparisonVariable = (run: number): string => COMPARISONS[(run - 1) % COMPARISONS.length] as string;
