// The report's front end: every view follows one cursor.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import './viewer.css';
import { decode, nearest, type Data, type Series } from './data';
import { compact, element, number, setText } from './format';
import { isWhole, JointList, StepTable, stepName } from './lists';
import { Plots } from './plots';
import { METERS_PER_SD, RobotView } from './robot';

class Viewer {
  private sample: number;
  private series: Series;
  private joints: number[];
  private readonly plots: Plots;
  private readonly list: JointList;
  private readonly table: StepTable;
  private robot: RobotView | null = null;
  private pending = 0;
  private playing = 0;
  private readonly play = element('button', { type: 'button', id: 'play', 'aria-pressed': 'false' }, 'Play');
  private readonly speed = element('select', { id: 'speed', 'aria-label': 'speed of play' });
  private readonly slider = element('input', { type: 'range', id: 'cursor', min: '0', 'aria-label': 'cursor' });
  private readonly search = element('input', { type: 'number', id: 'step-search', 'aria-label': 'go to step' });
  private readonly here = element('p', { class: 'here-line', id: 'here' });
  private readonly spoken = element('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  private readonly resolution = element('p', { class: 'quiet note', id: 'resolution' });
  private speakLater = 0;

  constructor(
    private readonly data: Data,
    private readonly root: HTMLElement,
  ) {
    this.sample = data.focus.row === null ? 0 : nearest(data.rows, data.focus.row);
    this.series = data.series.find((s) => s.endpoint === data.focus.endpoint) ?? (data.series[0] as Series);
    this.joints = this.firstJoints();
    this.plots = new Plots(data, (sample) => this.go(sample));
    this.list = new JointList(data, (motor) => this.toggle(motor));
    this.table = new StepTable(data, (sample) => this.go(sample));
    this.layout();
    this.rebuild();
    this.update();
  }

  /** The reference joint and the two that add most at the focus step. */
  private firstJoints(): number[] {
    const parts = this.series.contribution;
    const order = this.data.motors
      .map((_, motor) => ({ motor, size: Math.abs(parts?.at(motor, this.sample) ?? 0) || 0 }))
      .sort((a, b) => b.size - a.size)
      .map((entry) => entry.motor);
    const chosen = this.data.reference === null ? [] : [this.data.reference];
    for (const motor of order) if (chosen.length < 3 && !chosen.includes(motor)) chosen.push(motor);
    return chosen;
  }

  private layout(): void {
    const data = this.data;
    this.slider.max = String(data.rows.length - 1);
    this.search.min = String(data.firstStep);
    this.search.max = String(data.firstStep + data.steps - 1);
    this.search.placeholder = 'step';
    const long = (data.x[data.x.length - 1] as number) - (data.x[0] as number) >= 10;
    for (const factor of [0.1, 0.25, 1, 4, 20]) {
      const option = element('option', { value: String(factor) }, `${factor}\u00d7`);
      option.selected = factor === (long ? 1 : 0.25);
      this.speed.append(option);
    }
    const endpoint = element('select', { id: 'endpoint', 'aria-label': 'endpoint' });
    for (const series of data.series) {
      const option = element('option', { value: series.endpoint }, series.label);
      option.selected = series === this.series;
      endpoint.append(option);
    }
    endpoint.addEventListener('change', () => {
      this.series = data.series.find((s) => s.endpoint === endpoint.value) ?? this.series;
      this.rebuild();
      this.schedule();
    });
    const baselines = element('button', { type: 'button', id: 'baselines', 'aria-pressed': 'true' }, 'Baselines');
    baselines.addEventListener('click', () => {
      this.plots.baselines = !this.plots.baselines;
      baselines.setAttribute('aria-pressed', String(this.plots.baselines));
      this.rebuild();
      this.schedule();
    });
    const whole = element('button', { type: 'button', id: 'zoom-out' }, 'Whole run');
    whole.addEventListener('click', () => this.plots.zoomOut());
    const focus = element('button', { type: 'button', id: 'focus-step' }, 'Focus step');
    focus.addEventListener('click', () => {
      if (data.focus.row === null) return;
      const at = nearest(data.rows, data.focus.row);
      const last = data.rows.length - 1;
      this.go(at);
      this.plots.zoom(data.x[Math.max(0, at - 40)] as number, data.x[Math.min(last, at + 40)] as number);
    });
    const bar = element('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'cursor and view' },
      this.play, this.speed, this.slider, element('label', {}, 'step ', this.search),
      ...(data.series.length > 1 ? [endpoint] : []), focus, whole, ...(data.baselines.length > 0 ? [baselines] : []));
    const body = element('div', { class: 'robot-column' });
    try {
      this.robot = new RobotView(data);
      this.robot.scale(this.series.force.at(3, this.sample));
      const newton = compact(this.series.force.at(3, this.sample));
      body.append(this.robot.root, element('p', { class: 'quiet note' }, `Arrow: the force as deployed, half a metre for ${newton} N. Colour: what each joint adds to Fz.`));
      if (data.series.some((s) => s.posterior?.axes)) {
        body.append(element('p', { class: 'quiet note', id: 'ellipsoid-note' }, element('span', { class: 'swatch round', style: '--line:var(--c1)' }),
          `Ellipsoid at each hand: one standard deviation of the posterior\u2019s force, ${METERS_PER_SD * 10} m for 10 N. The double arrow is the direction of which least is known.`));
      }
    } catch {
      body.append(element('p', { class: 'quiet note' }, 'This browser has no WebGL: the robot is not drawn.'));
    }
    body.append(this.here, this.list.root);
    this.root.replaceChildren(bar, element('div', { class: 'views' }, body, this.plots.root), this.resolution, this.table.root, this.spoken);
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', 'Linked views. Arrow keys move the cursor, space plays.');

    const { bin, whole_begin, whole_end } = data.sampling;
    setText(this.resolution, bin === 1
      ? 'Every step of the log is drawn. Drag in a plot to zoom, double-click for the whole run. Baselines start together with this run. The robot\u2019s base is drawn upright and in place: the log does not say where it was.'
      : `Steps ${data.firstStep + whole_begin} to ${data.firstStep + whole_end - 1} are drawn one by one; elsewhere each ${bin} steps are drawn by their minimum and maximum, and the robot by the pose of one of them. Drag in a plot to zoom, double-click for the whole run.`);

    this.slider.addEventListener('input', () => this.go(Number(this.slider.value)));
    this.search.addEventListener('change', () => {
      const step = Number(this.search.value);
      if (this.search.value !== '' && Number.isFinite(step)) this.go(nearest(data.rows, step - data.firstStep));
    });
    this.play.addEventListener('click', () => this.togglePlay());
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener('pointerdown', (event) => {
      if (event.target instanceof Element && event.target.closest('.u-over')) this.root.focus({ preventScroll: true });
    });
    let width = this.root.clientWidth;
    new ResizeObserver(() => {
      if (this.root.clientWidth === width) return;
      width = this.root.clientWidth;
      this.plots.layout();
      this.robot?.resize();
      this.schedule();
    }).observe(this.root);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.plots.layout();
      this.schedule();
    });
    this.plots.root.addEventListener('zoomed', () => this.schedule());
    for (const link of document.querySelectorAll<HTMLElement>('[data-step]')) {
      link.addEventListener('click', () => this.go(nearest(data.rows, Number(link.dataset.step) - data.firstStep)));
    }
  }

  private rebuild(): void {
    this.plots.build(this.series, this.joints);
    this.list.build(this.series, this.joints);
    this.robot?.resize();
  }

  private toggle(motor: number): void {
    this.joints = this.joints.includes(motor) ? this.joints.filter((m) => m !== motor) : [...this.joints, motor];
    this.rebuild();
    this.schedule();
    const label = this.data.motors[motor]?.label ?? '';
    this.root.querySelector<HTMLElement>(`[data-joint="${CSS.escape(label)}"]`)?.focus();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.matches('input, select')) return;
    const page = event.shiftKey ? 10 : 1;
    const last = this.data.rows.length - 1;
    const to = { ArrowLeft: this.sample - page, ArrowRight: this.sample + page, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      this.go(to);
    } else if (event.key === ' ' && !target.matches('button')) {
      this.togglePlay();
    } else {
      return;
    }
    event.preventDefault();
  }

  private togglePlay(): void {
    if (this.playing) {
      cancelAnimationFrame(this.playing);
      this.playing = 0;
    } else {
      const [from, to] = this.plots.view;
      const x = this.data.x;
      let at = x[this.sample] as number;
      if (at >= to || at < from || this.sample === x.length - 1) at = from;
      let before = performance.now();
      const frame = (now: number): void => {
        const rate = this.data.hasTime ? 1 : 50;
        at += ((now - before) / 1000) * Number(this.speed.value) * rate;
        before = now;
        this.go(nearest(x, Math.min(at, to)));
        if (at >= to) this.togglePlay();
        else this.playing = requestAnimationFrame(frame);
      };
      this.playing = requestAnimationFrame(frame);
    }
    this.play.setAttribute('aria-pressed', String(this.playing !== 0));
    setText(this.play, this.playing ? 'Pause' : 'Play');
  }

  go(sample: number): void {
    this.sample = Math.max(0, Math.min(sample, this.data.rows.length - 1));
    this.schedule();
  }

  private schedule(): void {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.update());
  }

  private posteriorText(): string {
    const { posterior } = this.series;
    if (!posterior) return '';
    const { sample } = this;
    const state = this.data.states[Math.min(2, posterior.state.at(0, sample))] ?? '';
    return `; posterior Fz ${compact(posterior.force.at(2, sample))} \u00b1 ${compact(posterior.sd.at(2, sample))} N, ${state}`;
  }

  /** Moves every view to the cursor, in one frame. */
  private update(): void {
    const start = performance.now();
    this.pending = 0;
    const { data, series, sample } = this;
    this.plots.cursor(sample);
    this.list.cursor(series, sample);
    this.table.cursor(series, sample);
    this.robot?.show(series, sample);
    this.slider.value = String(sample);
    const bin = isWhole(data, sample) ? '' : ` (${data.sampling.bin} steps drawn as minimum and maximum)`;
    const time = data.hasTime ? `, ${number(data.x[sample], 3)} s` : '';
    const text = `Step ${stepName(data, sample)}${time}: |F| ${compact(series.force.at(3, sample))} N at the ${series.label}${bin}${this.posteriorText()}`;
    setText(this.here, text);
    this.slider.setAttribute('aria-valuetext', text);
    window.clearTimeout(this.speakLater);
    this.speakLater = window.setTimeout(() => setText(this.spoken, text), 400);
    performance.clearMeasures('antaeus-cursor');
    performance.measure('antaeus-cursor', { start, end: performance.now() });
  }
}

function start(): void {
  const payload = document.getElementById('payload');
  const place = document.getElementById('viewer');
  if (!payload || !place) return;
  const data = decode(payload.textContent ?? '');
  if (data.series.length === 0 || data.rows.length === 0) return;
  document.documentElement.classList.add('live');
  new Viewer(data, place);
  document.documentElement.dataset.ready = 'true';
}

// The page is painted first; it can be read while the views are made.
requestAnimationFrame(() => window.setTimeout(start));
