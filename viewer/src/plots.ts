// Time series under one cursor and one zoom.
import uPlot from 'uplot';
import { intervalAt, nearest, overlay, type Data, type Interval, type Series } from './data';
import { compact, cssColor, element, faded, setText } from './format';

interface Line {
  name: string;
  color: string; // CSS custom property
  values: ArrayLike<number | null>;
  dash?: number[];
  width?: number;
  shown?: boolean;
  baseline?: boolean;
  scales?: boolean; // false: it may leave the panel
  doubt?: ArrayLike<number>; // one sd to each side, shaded
}

interface PanelSpec {
  id: string;
  title: string;
  unit: string;
  lines: Line[];
  log?: boolean;
  lanes?: boolean; // one lane a line, filled where it is 1 to 3
  words?: string[]; // what a lane's value is called
  timeline?: Interval[]; // whose reasons are written into the lanes
  mark?: { sample: number; text: string };
  tell?: (sample: number) => string;
}

const LEFT_AXIS = 58;
const PALETTE = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7'];
const FADED = ['--b1', '--b2', '--b3'];
const STATE_COLORS = ['--c3', '--c5', '--c2'];
const LANE_FONT = 11;

/** A logarithmic axis holds what is positive, and no more decades below than anybody reads. */
const LOG_FLOOR = 0.01;
function logRange(_plot: uPlot, min: number | null, max: number | null): [number, number] {
  const high = max !== null && Number.isFinite(max) && max > LOG_FLOOR ? max : 10 * LOG_FLOOR;
  const low = min !== null && Number.isFinite(min) && min > LOG_FLOOR ? min : LOG_FLOOR;
  return uPlot.rangeLog(low, Math.max(high, low), 10, true) as [number, number];
}
/** What a logarithmic axis cannot hold is a gap. */
const positive = (values: ArrayLike<number | null>): (number | null)[] =>
  Array.from(values, (v) => (v !== null && Number.isFinite(v) && v > 0 ? v : null));

/** uPlot breaks a line at null, not at NaN. */
function gaps(values: ArrayLike<number>): ArrayLike<number | null> {
  for (let i = 0; i < values.length; ++i) {
    if (!Number.isFinite(values[i] as number)) return Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  }
  return values;
}

class Panel {
  readonly root: HTMLElement;
  private readonly holder: HTMLElement;
  private readonly mark: HTMLElement;
  private readonly readings: HTMLElement[] = [];
  private readonly told: HTMLElement | null;
  private readonly bounds = new Map<number, [number, number]>(); // line -> the series of its strip
  plot: uPlot | null = null;

  constructor(
    private readonly owner: Plots,
    readonly spec: PanelSpec,
  ) {
    const head = element('div', { class: 'panel-head' });
    head.append(element('h4', {}, spec.title, element('span', { class: 'unit' }, spec.unit ? ` [${spec.unit}]` : '')));
    const legend = element('div', { class: 'legend', role: 'group', 'aria-label': `lines of ${spec.title}` });
    for (const line of spec.lines) {
      const reading = element('span', { class: 'reading' }, '\u2013');
      const toggle = element(
        'button',
        { type: 'button', class: 'key', 'aria-pressed': String(owner.isShown(spec.id, line)), 'data-line': line.name },
        element('span', { class: line.dash ? 'swatch dashed' : 'swatch', style: `--line:var(${line.color})` }),
        line.name,
        reading,
      );
      toggle.addEventListener('click', () => {
        const shown = toggle.getAttribute('aria-pressed') !== 'true';
        toggle.setAttribute('aria-pressed', String(shown));
        owner.remember(spec.id, line.name, shown);
        const own = spec.lines.indexOf(line) + 1;
        for (const at of [own, ...(this.bounds.get(own) ?? [])]) this.plot?.setSeries(at, { show: shown });
      });
      this.readings.push(reading);
      legend.append(toggle);
    }
    head.append(legend);
    this.holder = element('div', { class: 'plot' });
    this.mark = element('div', { class: 'cursor-line' });
    this.told = spec.tell ? element('p', { class: 'told-line quiet' }) : null;
    this.root = element('div', { class: 'panel', 'data-panel': spec.id }, head, ...(this.told ? [this.told] : []), this.holder);
  }

  draw(width: number): void {
    this.plot?.destroy();
    const ink = cssColor('--quiet');
    const grid = { stroke: cssColor('--grid'), width: 1 };
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: '11px system-ui, sans-serif' };
    const guards = this.spec.lanes ?? false;
    const lanes = this.spec.lines.length;
    const strips: { of: number; line: Line; values: (number | null)[] }[] = [];
    this.bounds.clear();
    this.spec.lines.forEach((line, i) => {
      if (!line.doubt) return;
      const doubt = line.doubt;
      const first = lanes + 1 + strips.length;
      this.bounds.set(i + 1, [first, first + 1]);
      for (const side of [1, -1]) {
        const values = Array.from(line.values, (v, at) => (v === null ? null : v + side * (doubt[at] as number)));
        strips.push({ of: i + 1, line, values: gaps(values as number[]) as (number | null)[] });
      }
    });
    this.plot = new uPlot(
      {
        width,
        height: guards ? 34 + (this.spec.timeline ? 24 : 18) * lanes : 132,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, dist: 5 } },
        scales: {
          x: { time: false },
          y: guards ? { range: () => [0, lanes] } : this.spec.log ? { distr: 3, log: 10, range: logRange } : {},
        },
        axes: [
          { ...axis, size: 24 },
          guards
            ? { ...axis, size: LEFT_AXIS, grid: { show: false }, ticks: { show: false }, values: () => [] }
            : { ...axis, size: LEFT_AXIS, space: 26, values: (_u, ticks) => ticks.map((v) => (v === null ? '' : String(+v.toPrecision(6)).replace('-', '\u2212'))) },
        ],
        series: [
          {},
          ...this.spec.lines.map((line) => ({
            show: guards || this.owner.isShown(this.spec.id, line),
            stroke: cssColor(line.color),
            width: line.width ?? 1.5,
            dash: line.dash,
            points: { show: false },
            paths: guards ? () => null : undefined,
            auto: line.scales ?? true,
          })),
          ...strips.map(({ line }) => ({
            show: this.owner.isShown(this.spec.id, line),
            stroke: faded(line.color, 0.45),
            width: 0.75,
            points: { show: false },
          })),
        ] as uPlot.Series[],
        bands: [...this.bounds].map(([line, [high, low]]) => ({
          series: [high, low] as [number, number],
          fill: faded(this.spec.lines[line - 1]?.color ?? '', 0.2),
        })),
        hooks: {
          setScale: [(u, key) => key === 'x' && this.owner.zoomed(u)],
          drawClear: [(u) => this.shadeFocus(u)],
          draw: guards ? [(u) => this.drawLanes(u)] : this.spec.mark ? [(u) => this.drawMark(u)] : [],
        },
      },
      [this.owner.data.x, ...this.spec.lines.map((l) => (this.spec.log ? positive(l.values) : l.values)), ...strips.map((s) => s.values)] as unknown as uPlot.AlignedData,
      this.holder,
    );
    const over = this.plot.over;
    over.append(this.mark);
    const move = (event: MouseEvent | PointerEvent): void => {
      if (!this.plot) return;
      const left = event.clientX - over.getBoundingClientRect().left;
      this.owner.pointed(nearest(this.owner.data.x, this.plot.posToVal(left, 'x')));
    };
    over.addEventListener('mousemove', move);
    over.addEventListener('pointerdown', move);
  }

  private shadeFocus(u: uPlot): void {
    const at = this.owner.focusSample;
    if (at === null) return;
    const x = Math.round(u.valToPos(this.owner.data.x[at] as number, 'x', true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = cssColor('--accent');
    u.ctx.globalAlpha = 0.7;
    u.ctx.setLineDash([3, 3]);
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  /** A moment with a name, for example the first alarm. */
  private drawMark(u: uPlot): void {
    const { mark } = this.spec;
    if (!mark) return;
    const { ctx, bbox } = u;
    const x = u.valToPos(this.owner.data.x[mark.sample] as number, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    const ratio = window.devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = cssColor('--accent');
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `600 ${LANE_FONT * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = 'top';
    const width = ctx.measureText(mark.text).width;
    const fits = x + width + 8 * ratio < bbox.left + bbox.width;
    ctx.textAlign = fits ? 'left' : 'right';
    const at = fits ? x + 4 * ratio : x - 4 * ratio;
    ctx.strokeStyle = cssColor('--paper');
    ctx.lineWidth = 3 * ratio;
    ctx.lineJoin = 'round';
    ctx.strokeText(mark.text, at, bbox.top + 2 * ratio);
    ctx.fillText(mark.text, at, bbox.top + 2 * ratio);
    ctx.restore();
  }

  /** The lanes' names beside them, and the reasons of a state where they have room in its lane. */
  private nameLanes(u: uPlot): void {
    const { ctx, bbox } = u;
    const ratio = window.devicePixelRatio;
    const height = bbox.height / this.spec.lines.length;
    ctx.save();
    ctx.font = `${LANE_FONT * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    ctx.fillStyle = cssColor('--ink');
    ctx.textAlign = 'right';
    this.spec.lines.forEach((line, lane) => ctx.fillText(line.name, bbox.left - 6 * ratio, bbox.top + (lane + 0.5) * height));
    ctx.textAlign = 'left';
    const { data } = this.owner;
    for (const interval of this.spec.timeline ?? []) {
      if (!interval.reasons) continue;
      const place = (row: number) => u.valToPos(data.x[nearest(data.rows, row)] as number, 'x', true);
      const left = Math.max(place(interval.from), bbox.left) + 5 * ratio;
      const right = Math.min(place(interval.to), bbox.left + bbox.width) - 3 * ratio;
      if (right - left < 30 * ratio) continue;
      let text = interval.reasons;
      while (text.includes(',') && ctx.measureText(text + ' \u2026').width > right - left) text = text.slice(0, text.lastIndexOf(','));
      if (text !== interval.reasons) text += ' \u2026';
      if (ctx.measureText(text).width > right - left) continue;
      ctx.fillText(text, left, bbox.top + (data.states.length - 1 - interval.state + 0.5) * height);
    }
    ctx.restore();
  }

  /** One lane a guard, filled where it acts. */
  private drawLanes(u: uPlot): void {
    const { ctx, bbox } = u;
    const lanes = this.spec.lines.length;
    const height = bbox.height / lanes;
    const x = this.owner.data.x;
    const [from, to] = [nearest(x, u.scales.x?.min ?? 0), nearest(x, u.scales.x?.max ?? 0)];
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.spec.lines.forEach((line, lane) => {
      const top = bbox.top + lane * height;
      ctx.fillStyle = cssColor('--soft');
      ctx.fillRect(bbox.left, top + 2, bbox.width, height - 4);
      ctx.fillStyle = this.spec.timeline ? faded(line.color, 0.42) : cssColor(line.color);
      let start = -1;
      for (let i = from; i <= to + 1; ++i) {
        const code = i <= to ? (line.values[i] as number) : 0;
        const acts = code >= 1 && code <= 3;
        if (acts && start < 0) start = i;
        if (!acts && start >= 0) {
          const left = u.valToPos(x[start] as number, 'x', true);
          const right = u.valToPos(x[Math.min(i, x.length - 1)] as number, 'x', true);
          ctx.fillRect(left, top + 3, Math.max(1.5, right - left), height - 6);
          start = -1;
        }
      }
    });
    ctx.restore();
    if (this.spec.timeline) this.nameLanes(u);
  }

  cursor(sample: number): void {
    if (!this.plot) return;
    const left = this.plot.valToPos(this.owner.data.x[sample] as number, 'x');
    const inside = left >= 0 && left <= this.plot.over.clientWidth;
    this.mark.style.transform = `translateX(${Math.round(left)}px)`;
    this.mark.style.opacity = inside ? '1' : '0';
    const { words, tell } = this.spec;
    this.spec.lines.forEach((line, i) => {
      const value = line.values[sample];
      const doubt = line.doubt ? ` \u00b1 ${compact(line.doubt[sample])}` : '';
      setText(this.readings[i] as HTMLElement, words ? (words[value ?? 4] ?? '') : compact(value) + doubt);
    });
    if (this.told && tell) setText(this.told, tell(sample));
  }
}

export class Plots {
  readonly root = element('div', { class: 'panels' });
  readonly focusSample: number | null;
  private panels: Panel[] = [];
  private shown = new Map<string, boolean>();
  private range: [number, number];
  private busy = false;
  baselines = true;

  constructor(
    readonly data: Data,
    readonly pointed: (sample: number) => void,
  ) {
    const x = data.x;
    this.range = [x[0] ?? 0, x[x.length - 1] ?? 1];
    this.focusSample = data.focus.row === null ? null : nearest(data.rows, data.focus.row);
  }

  isShown(panel: string, line: Line): boolean {
    if (line.baseline && !this.baselines) return false;
    return this.shown.get(`${panel}/${line.name}`) ?? line.shown ?? true;
  }
  remember(panel: string, line: string, shown: boolean): void {
    this.shown.set(`${panel}/${line}`, shown);
  }

  /** The same zoom for every panel. */
  zoomed(source: uPlot): void {
    const { min, max } = source.scales.x ?? {};
    if (this.busy || min === undefined || max === undefined || min === null || max === null) return;
    this.busy = true;
    this.range = [min, max];
    for (const panel of this.panels) {
      const scale = panel.plot?.scales.x;
      if (panel.plot && panel.plot !== source && scale && (scale.min !== min || scale.max !== max)) {
        panel.plot.setScale('x', { min, max });
      }
    }
    // uPlot commits in a microtask, where the other panels' hooks run: they must not echo.
    queueMicrotask(() => queueMicrotask(() => (this.busy = false)));
    this.root.dispatchEvent(new CustomEvent('zoomed'));
  }
  zoom(min: number, max: number): void {
    const first = this.panels[0]?.plot;
    first?.setScale('x', { min, max });
  }
  zoomOut(): void {
    this.zoom(this.data.x[0] as number, this.data.x[this.data.x.length - 1] as number);
  }
  get view(): [number, number] {
    return this.range;
  }

  build(series: Series, joints: number[]): void {
    const data = this.data;
    const reference = data.reference;
    const overlays = (pick: (b: Data['baselines'][number]) => ArrayLike<number> | null): Line[] =>
      data.baselines.flatMap((b, i) => {
        const values = pick(b);
        if (!values) return [];
        const color = FADED[i % FADED.length] as string;
        return [{ name: b.name, color, values: overlay(data, b, values), dash: [5, 3], width: 1.25, baseline: true }];
      });
    const of = (b: Data['baselines'][number]) => b.series.find((s) => s.endpoint === series.endpoint);
    const specs: PanelSpec[] = [];
    const force = (i: number) => gaps(series.force.column(i) as Float32Array);
    specs.push({
      id: 'force',
      title: `Force at the ${series.label}, ${series.sign.replace('_', ' ')}`,
      unit: 'N',
      lines: [
        { name: '|F|', color: '--c0', values: force(3), width: 2 },
        { name: 'Fx', color: '--c3', values: force(0), shown: false },
        { name: 'Fy', color: '--c5', values: force(1), shown: false },
        { name: 'Fz', color: '--c2', values: force(2) },
        ...(series.guarded
          ? [{ name: '|F| behind guards', color: '--c1', values: gaps(series.guarded.column(3) as Float32Array) }]
          : []),
        ...(series.stacked
          ? [{ name: 'Fz stacked', color: '--c4', values: gaps(series.stacked.column(2) as Float32Array), shown: false }]
          : []),
        ...overlays((b) => of(b)?.force.column(3) ?? null),
      ],
    });
    const label = (motor: number) => data.motors[motor]?.label ?? `motor ${motor}`;
    const { posterior } = series;
    if (posterior) {
      const of_posterior = (i: number) => gaps(posterior.force.column(i) as Float32Array);
      const doubt = (i: number) => posterior.sd.column(i);
      specs.push({
        id: 'posterior',
        title: `Posterior at the ${series.label}, \u00b1 one sd shaded`,
        unit: 'N',
        lines: [
          { name: 'Fz', color: '--c1', values: of_posterior(2), doubt: doubt(2), width: 2 },
          { name: 'Fx', color: '--c3', values: of_posterior(0), doubt: doubt(0), shown: false },
          { name: 'Fy', color: '--c5', values: of_posterior(1), doubt: doubt(1), shown: false },
          { name: 'Fz behind its guard', color: '--c3', values: gaps(posterior.guarded.column(2) as Float32Array), dash: [5, 3] },
          { name: 'Fz as deployed', color: '--c2', values: force(2), scales: false },
        ],
      });
      const state = posterior.state.column(0);
      specs.push({
        id: 'states',
        title: 'The posterior\u2019s guard',
        unit: '',
        lanes: true,
        words: ['', 'now'],
        timeline: posterior.timeline,
        lines: [2, 1, 0].map((lane) => ({
          name: data.states[lane] as string,
          color: STATE_COLORS[lane] as string,
          values: Uint8Array.from(state, (code) => Number(Math.min(2, code) === lane)),
        })),
        tell: (sample) => {
          const at = intervalAt(posterior.timeline, data.rows[sample] as number);
          if (!at) return '';
          const why = at.reasons ? `: ${at.reasons}` : '';
          return `${data.states[at.state] ?? ''} from step ${data.firstStep + at.from} to ${data.firstStep + at.to}${why}. The consumer reads ${data.names.consumer_action[at.action] ?? ''}.`;
        },
      });
      specs.push({
        id: 'nis',
        title: 'NIS: above its limit the torques contradict every contact within the prior',
        unit: '',
        log: true,
        mark: posterior.firstAlarm === null ? undefined : {
          sample: nearest(data.rows, posterior.firstAlarm),
          text: `first test alarm, step ${data.firstStep + posterior.firstAlarm}`,
        },
        lines: [
          { name: 'NIS', color: '--c0', values: gaps(posterior.nis.column(0) as Float32Array), width: 2 },
          { name: 'limit', color: '--c2', values: gaps(posterior.nisLimit.column(0) as Float32Array), dash: [8, 4] },
          ...overlays((b) => of(b)?.nis?.column(0) ?? null),
        ],
      });
      specs.push({
        id: 'worst-sd',
        title: 'Sd of the force in the direction of which least is known',
        unit: 'N',
        lines: [
          { name: 'worst sd', color: '--c0', values: gaps(posterior.worstSd.column(0) as Float32Array), width: 2 },
          ...overlays((b) => of(b)?.worstSd?.column(0) ?? null),
        ],
      });
      specs.push({
        id: 'bias',
        title: 'Smallest torque error that a test finds, contacts within the prior',
        unit: 'N\u00b7m',
        log: true,
        lines: posterior.motors.map((motor, i) => ({
          name: label(motor),
          color: PALETTE[i % PALETTE.length] as string,
          values: gaps(posterior.detectableBias.column(i) as Float32Array),
          dash: i < PALETTE.length ? undefined : [5, 3],
          shown: joints.includes(motor),
        })),
      });
    }
    const perJoint = (from: Data['tau'], dash?: number[], suffix = ''): Line[] =>
      from
        ? joints.map((motor, i) => ({
            name: label(motor) + suffix,
            color: PALETTE[i % PALETTE.length] as string,
            values: gaps(from.column(motor) as Float32Array),
            dash,
          }))
        : [];
    specs.push({
      id: 'residual',
      title: 'Residual, torque beyond gravity',
      unit: 'N\u00b7m',
      lines: [
        ...perJoint(data.residual),
        ...(reference === null
          ? []
          : overlays((b) => b.residual?.column(0) ?? null).map((l) => ({ ...l, name: `${label(reference)}, ${l.name}` }))),
      ],
    });
    if (series.gain && reference !== null) {
      specs.push({
        id: 'gain',
        title: `Gain: Fz per torque of ${label(reference)}`,
        unit: 'N/(N\u00b7m)',
        lines: [
          { name: 'gain', color: '--c0', values: gaps(series.gain.column(0) as Float32Array) },
          ...overlays((b) => of(b)?.gain.column(0) ?? null),
        ],
      });
    }
    if (series.kappa) {
      specs.push({
        id: 'kappa',
        title: 'Condition number \u03ba',
        unit: '',
        lines: [
          { name: '\u03ba', color: '--c0', values: gaps(series.kappa.column(0) as Float32Array) },
          ...overlays((b) => of(b)?.kappa.column(0) ?? null),
        ],
      });
    }
    if (series.sigmaMin) {
      specs.push({
        id: 'sigma',
        title: 'Smallest singular value \u03c3',
        unit: '',
        lines: [
          { name: '\u03c3 min', color: '--c0', values: gaps(series.sigmaMin.column(0) as Float32Array) },
          ...overlays((b) => of(b)?.sigmaMin.column(0) ?? null),
        ],
      });
    }
    if (series.guards.length > 0) {
      specs.push({
        id: 'guards',
        title: 'Each guard alone: filled where it would act',
        unit: '',
        lanes: true,
        words: data.names.guard_action,
        lines: series.guards.map((g, i) => ({
          name: g.name.replace(/_/g, ' '),
          color: PALETTE[i % PALETTE.length] as string,
          values: g.action.column(0),
        })),
      });
    }
    if (data.tau) specs.push({ id: 'tau', title: 'Motor torque', unit: 'N\u00b7m', lines: perJoint(data.tau) });
    if (data.q) {
      specs.push({
        id: 'target',
        title: 'Position (line) and target (dashes)',
        unit: 'rad',
        lines: [...perJoint(data.q), ...perJoint(data.target, [4, 3], ' target')],
      });
    }
    for (const panel of this.panels) panel.plot?.destroy();
    this.panels = specs.map((spec) => new Panel(this, spec));
    this.root.replaceChildren(...this.panels.map((p) => p.root));
    this.layout();
  }

  /** Draws every panel anew: at first, at a new width, in new colours. */
  layout(): void {
    const width = Math.max(280, this.root.clientWidth);
    const [min, max] = this.range;
    this.busy = true;
    for (const panel of this.panels) {
      panel.draw(width);
      panel.plot?.setScale('x', { min, max });
    }
    // Scales are known only when uPlot has committed them: the cursor is placed after that.
    queueMicrotask(() =>
      queueMicrotask(() => {
        this.busy = false;
        this.root.dispatchEvent(new CustomEvent('zoomed'));
      }),
    );
  }

  cursor(sample: number): void {
    for (const panel of this.panels) panel.cursor(sample);
  }
}
