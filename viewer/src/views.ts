// The linked views: everything follows one cursor, a sample of the page's run.
import { BarView } from './bars';
import { Choice } from './choice';
import { nearest, type Data } from './data';
import { element, number, readingText, setText } from './format';
import { followSteps } from './links';
import { Panels } from './panels';
import { NoWebGL, SceneView } from './scene';
import { selectorControls, type Controls } from './selectors';
import { RowTable } from './table';
import { Toolbar } from './toolbar';

const AROUND_FOCUS = 40; // rows to both sides
const ROWS_PER_SECOND = 50; // of play where the run has no time

export class Viewer {
  private sample: number;
  private readonly choice: Choice;
  private readonly toolbar: Toolbar;
  private readonly controls: Controls;
  private readonly panels: Panels;
  private readonly table: RowTable;
  private readonly bars: BarView[];
  private scenes: SceneView[] = [];
  private shownScenes: SceneView[] = [];
  private pending = 0;
  private playing = 0;
  private speakLater = 0;
  private readonly here = element('p', { class: 'here-line', id: 'here' });
  private readonly spoken = element('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });

  constructor(
    private readonly data: Data,
    private readonly root: HTMLElement,
  ) {
    this.sample = data.focus ?? 0;
    this.choice = new Choice(data.views.selectors, () => this.rebuild());
    this.controls = selectorControls(data, this.choice);
    this.toolbar = new Toolbar(data, {
      go: (sample) => this.go(sample),
      togglePlay: () => this.togglePlay(),
      focus: () => this.focus(),
      whole: () => this.panels.zoomOut(),
      comparisons: (shown) => {
        this.panels.comparisons = shown;
        this.rebuild();
      },
      sample: () => this.sample,
    }, this.controls.inToolbar);
    this.panels = new Panels(data, this.choice, (sample) => this.go(sample));
    this.table = new RowTable(data, this.choice, (sample) => this.go(sample));
    this.bars = data.views.bars.map((spec) => new BarView(data, this.choice, spec));
    this.layout();
    this.rebuild();
    followSteps((step) => this.follow(step));
    this.update();
  }

  private layout(): void {
    const { data, root } = this;
    const beside = element('div', { class: 'robot-column' });
    let noWebGL = false;
    for (const spec of data.views.scenes) {
      try {
        const scene = new SceneView(data, this.choice, spec);
        this.scenes.push(scene);
        beside.append(scene.root);
      } catch (error) {
        if (!(error instanceof NoWebGL)) throw error;
        noWebGL = true;
      }
    }
    if (noWebGL) beside.append(element('p', { class: 'quiet note', id: 'no-webgl' }, 'This browser has no WebGL: nothing is drawn in space.'));
    beside.append(this.here, ...this.bars.map((bars) => bars.root));
    const alone = data.views.scenes.length === 0 && data.views.bars.length === 0;
    root.replaceChildren(this.toolbar.root, ...this.controls.below,
      element('div', { class: alone ? 'views alone' : 'views' }, beside, this.panels.root),
      element('p', { class: 'quiet note', id: 'resolution' }, this.resolution()),
      ...(data.samples > 1 ? [element('p', { class: 'quiet note', id: 'how-to' }, this.howTo())] : []),
      ...(data.views.note ? [element('p', { class: 'quiet note', id: 'views-note' }, data.views.note)] : []),
      this.table.root, this.spoken);
    root.tabIndex = 0;
    root.setAttribute('role', 'group');
    root.setAttribute('aria-label', 'Linked views. Arrow keys move the cursor, space plays.');
    this.listen();
    this.stick(beside);
  }

  /** Below the toolbar while it has room; a taller column scrolls with the page until its end is seen. */
  private stick(column: HTMLElement): void {
    const place = (): void => {
      const below = this.toolbar.root.offsetHeight + 8;
      column.style.setProperty('--stick', `${Math.min(below, window.innerHeight - column.offsetHeight - 8)}px`);
    };
    new ResizeObserver(place).observe(column);
    window.addEventListener('resize', place);
  }

  /** What the keys and a pointer do; on a touch screen what fingers do. */
  private howTo(): string {
    const scene = this.scenes.length > 0;
    if (window.matchMedia('(hover: none) and (pointer: coarse)').matches) {
      return `Drag across a plot to move the cursor.${scene ? ' Drag the robot to turn it, pinch to zoom it.' : ''}`;
    }
    const robot = scene ? ' Drag the robot to turn it; after a click on it the wheel zooms, and a double-click shows all of it again.' : '';
    return `Keys, after a click on a plot: \u2190 and \u2192 move the cursor by one, with Shift by ten; Home and End go to the ends; Space plays and stops. ` +
      `In a plot: drag to zoom, double-click for the whole run.${robot}`;
  }

  /** How the run is drawn. */
  private resolution(): string {
    const { run, samples, time, hasComparisons } = this.data;
    if (samples < 2) return 'The run has a single row: its numbers are listed, and nothing is drawn along it.';
    const axis = `The horizontal axis is the ${time ? 'time in s' : 'step'}.`;
    const together = hasComparisons ? ' What is compared starts together with this run.' : '';
    if (run.bin <= 1) return `Every step is drawn. ${axis}${together}`;
    const [from, to] = [run.first_step + run.whole_begin, run.first_step + run.whole_end - 1];
    const whole = run.whole_end > run.whole_begin ? `Steps ${from} to ${to} are drawn one by one; elsewhere each` : 'Each';
    return `${whole} ${run.bin} steps are drawn by their minimum and maximum, and scenes by one of them. ${axis}${together}`;
  }

  private listen(): void {
    const { root, panels } = this;
    root.addEventListener('keydown', (event) => this.key(event));
    root.addEventListener('pointerdown', (event) => {
      if (event.target instanceof Element && event.target.closest('.u-over')) root.focus({ preventScroll: true });
    });
    let width = root.clientWidth;
    new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      panels.layout();
      for (const scene of this.shownScenes) scene.resize();
      this.schedule();
    }).observe(root);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.rebuild());
    panels.root.addEventListener('zoomed', () => this.schedule());
  }

  /** Makes everything for what is chosen now. */
  private rebuild(): void {
    this.panels.build();
    this.panels.layout();
    this.table.build();
    this.controls.refresh();
    for (const bars of this.bars) bars.refresh();
    this.shownScenes = this.scenes.filter((scene) => scene.refresh());
    for (const scene of this.shownScenes) scene.resize();
    this.schedule();
  }

  /** On paper: every plot of what is chosen, in its colours and at its width. */
  print(on: boolean): void {
    document.documentElement.classList.toggle('printed', on);
    this.panels.printed = on;
    this.rebuild();
    // The cursor is placed when the plots have committed their scales, without waiting for a frame.
    if (on) queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => this.update())));
  }

  /** A link to a step: the cursor goes there, and the views come into sight. */
  private follow(step: string): void {
    this.toolbar.steps.ask(step, true);
    (document.getElementById('explore') ?? this.root).scrollIntoView();
  }

  private focus(): void {
    const { data } = this;
    if (data.focus === null) return;
    this.go(data.focus);
    const from = data.x[Math.max(0, data.focus - AROUND_FOCUS)] as number;
    const to = data.x[Math.min(data.samples - 1, data.focus + AROUND_FOCUS)] as number;
    if (to > from) this.panels.zoom(from, to);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.matches('input, select')) return;
    const page = event.shiftKey ? 10 : 1;
    const to = { ArrowLeft: this.sample - page, ArrowRight: this.sample + page, Home: 0, End: this.data.samples - 1 }[event.key];
    if (to !== undefined) {
      this.go(to);
    } else if (event.key === ' ' && !target.matches('button, summary')) {
      this.togglePlay();
    } else {
      return;
    }
    event.preventDefault();
  }

  private togglePlay(): void {
    const { data } = this;
    if (data.samples < 2) return;
    if (this.playing) {
      cancelAnimationFrame(this.playing);
      this.playing = 0;
    } else {
      const [from, to] = this.panels.view;
      let at = data.x[this.sample] as number;
      if (at >= to || at < from || this.sample === data.samples - 1) at = from;
      let before = performance.now();
      const frame = (now: number): void => {
        at += ((now - before) / 1000) * this.toolbar.speed * (data.time ? 1 : ROWS_PER_SECOND);
        before = now;
        this.go(nearest(data.x, Math.min(at, to)));
        if (at >= to) this.togglePlay();
        else this.playing = requestAnimationFrame(frame);
      };
      this.playing = requestAnimationFrame(frame);
    }
    this.toolbar.playing(this.playing !== 0);
  }

  go(sample: number): void {
    this.sample = Math.max(0, Math.min(sample, this.data.samples - 1));
    this.schedule();
  }
  private schedule(): void {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.update());
  }

  /** The cursor's place and what the readings say there. */
  private told(posed: boolean): string {
    const { data, sample } = this;
    const time = data.time ? `, ${number(data.time[sample], 3)}\u00a0s` : '';
    const bin = data.isWhole(sample) ? '' : ` (${data.run.bin} steps drawn as minimum and maximum)`;
    const parts = data.views.readings.filter((r) => this.choice.meets(r.when)).map((r) => readingText(data, r, sample));
    if (!posed) parts.push('no numbers at this step for the pose');
    return `Step ${data.stepName(sample)}${time}${bin}${parts.length > 0 ? ': ' : ''}${parts.join('; ')}`;
  }

  /** Moves every view to the cursor, in one frame. */
  private update(): void {
    const start = performance.now();
    this.pending = 0;
    const { sample } = this;
    this.panels.cursor(sample);
    for (const bars of this.bars) bars.cursor(sample);
    this.table.cursor(sample);
    let posed = true;
    for (const scene of this.shownScenes) posed = scene.show(sample) && posed;
    const text = this.told(posed);
    setText(this.here, text);
    this.toolbar.cursor(sample, text);
    window.clearTimeout(this.speakLater);
    this.speakLater = window.setTimeout(() => setText(this.spoken, text), 400);
    performance.clearMeasures('antaeus-cursor');
    performance.measure('antaeus-cursor', { start, end: performance.now() });
  }
}
