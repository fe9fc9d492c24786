// All panels, under one cursor and one zoom.
import type uPlot from 'uplot';
import type { Choice } from './choice';
import { Data } from './data';
import { element, setText, toneVariable } from './format';
import { comparisonVariable, Panel, type Owner } from './panel';
import type { Line, ViewPanel } from './payload';

const PAPER_WIDTH = 500; // [px] on A4: two beside each other where a wide table shrinks the print, else one
const GUTTER = 58;
const WIDE_GUTTER = 96; // names of lanes stand in it

export class Panels implements Owner {
  readonly root = element('div', { class: 'panels' });
  gutter = GUTTER;
  comparisons = true;
  printed = false; // all plots, at the paper's width
  private readonly always = element('div');
  private readonly more = element('button', { type: 'button', id: 'more-plots', 'aria-expanded': 'false', 'aria-controls': 'detail-plots' });
  private readonly detail = element('div', { id: 'detail-plots' });
  private panels: Panel[] = []; // on the shared axis
  private apart: Panel[] = []; // each a whole comparison, on that run's axis
  private readonly shown = new Map<string, boolean>();
  private range: [number, number];
  private busy = false;
  private open = false;

  constructor(
    readonly data: Data,
    private readonly choice: Choice,
    readonly pointed: (sample: number) => void,
  ) {
    this.range = this.whole();
    this.detail.hidden = true;
    this.root.append(this.always, this.more, this.detail);
    this.more.addEventListener('click', () => {
      this.open = !this.open;
      this.build();
      this.layout();
    });
  }

  private whole(): [number, number] {
    const x = this.data.x;
    return [x[0] ?? 0, x[x.length - 1] ?? 1];
  }

  isShown(panel: string, line: Line): boolean {
    return this.shown.get(`${panel}/${line.name}`) ?? line.shown;
  }
  remember(panel: string, line: string, shown: boolean): void {
    this.shown.set(`${panel}/${line}`, shown);
  }
  variable(line: Line): string {
    const run = this.data.runOf(line.channel);
    if (run > 0) return comparisonVariable(run);
    return toneVariable(line.follows_choice ? this.choice.tone(line.when) : line.tone);
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
    this.range = [min, max];
    this.panels.find((panel) => panel.plot)?.plot?.setScale('x', { min, max });
  }
  zoomOut(): void {
    this.zoom(...this.whole());
  }
  get view(): [number, number] {
    return this.range;
  }

  /** The lines of a panel that belong to what is chosen; null where the panel has no place now. */
  private linesOf(spec: ViewPanel): Line[] | null {
    if (!this.choice.meets(spec.when)) return null;
    if (spec.run > 0) return this.comparisons ? spec.lines : null;
    if (spec.lanes.length > 0) return [];
    const all = spec.lines.filter((line) => this.comparisons || this.data.runOf(line.channel) === 0);
    const lines = all.filter((line) => this.choice.meets(line.when));
    const waiting = all.some((line) => this.choice.couldMeet(line.when));
    return lines.length > 0 || waiting || spec.lines.length === 0 ? lines : null;
  }

  /** A panel of a whole comparison: its own axis, cursor and zoom. */
  private makeApart(spec: ViewPanel, lines: Line[]): Panel {
    const panels = this;
    const panel: Panel = new Panel(
      {
        data: new Data(this.data.views, spec.run),
        get gutter() {
          return panels.gutter;
        },
        isShown: (id, line) => this.isShown(id, line),
        remember: (id, line, shown) => this.remember(id, line, shown),
        variable: (line) => toneVariable(line.tone),
        pointed: (sample) => panel.cursor(sample),
        zoomed: () => undefined,
        redraw: () => panel.draw(this.width()),
      },
      spec,
      lines,
    );
    this.apart.push(panel);
    return panel;
  }

  /** Makes the panels for what is chosen; `layout` draws them. */
  build(): void {
    for (const panel of [...this.panels, ...this.apart]) panel.plot?.destroy();
    this.panels = [];
    this.apart = [];
    const always: HTMLElement[] = [];
    const detail: HTMLElement[] = [];
    const open = this.open || this.printed;
    let hidden = 0;
    for (const spec of this.data.views.panels) {
      const lines = this.linesOf(spec);
      if (!lines) continue;
      if (spec.detail) ++hidden;
      if (spec.detail && !open) continue;
      const panel = spec.run > 0 ? this.makeApart(spec, lines) : new Panel(this, spec, lines);
      if (spec.run === 0) this.panels.push(panel);
      (spec.detail ? detail : always).push(panel.root);
    }
    this.always.replaceChildren(...always);
    this.detail.replaceChildren(...detail);
    this.detail.hidden = !open;
    this.more.hidden = hidden === 0;
    this.more.setAttribute('aria-expanded', String(this.open));
    setText(this.more, `${this.open ? 'Fewer plots' : 'More plots'} (${hidden})`);
  }

  /** Draws every panel anew: at first, at a new width, in new colours. */
  layout(): void {
    const named = this.data.views.panels.some((p) => p.lanes.length > 0);
    this.gutter = named && (this.printed || this.width() >= 600) ? WIDE_GUTTER : GUTTER;
    this.draw(this.panels);
    for (const panel of this.apart) panel.draw(this.width());
  }
  redraw(panel: Panel): void {
    this.draw([panel]);
  }
  private width(): number {
    return this.printed ? PAPER_WIDTH : Math.max(240, this.root.clientWidth);
  }
  private draw(panels: Panel[]): void {
    const [min, max] = this.range;
    this.busy = true;
    for (const panel of panels) {
      panel.draw(this.width());
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
