// The page of antaeus watch: one socket in, everything else is drawn here. No text is ever parsed as HTML.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import './viewer.css';
import './live.css';
import { element, number, setText } from './format';
import { Cards } from './live_cards';
import { Events, MarkDialog } from './live_events';
import { forcePlot, Joints, type LivePlot, type Owner } from './live_plots';
import { LiveRobot } from './live_robot';
import { Connection, Layout, Recent, type Facts, type Happened, type Hello, type Link, type Moment, type Told } from './live_stream';
import { clock, streamWords } from './live_words';
import { parse, type Views } from './payload';
import { NoWebGL } from './scene';

const WINDOWS: [string, number][] = [['20 s', 20], ['1 min', 60], ['3 min', 180]];
const SPANS = [2, 5, 10, 20, 60]; // [s] of the plots while the watch is young
const TEXT_EVERY = 100; // [ms] faster nobody reads
const BEFORE = 0.6; // share of the window that lies before an event that is gone to
const COUNTS: [string, string][] = [
  ['received', 'received'], ['samples', 'used'], ['lost', 'lost'], ['repeated', 'repeated'], ['out_of_order', 'out of order'], ['late', 'late'],
  ['undecodable', 'not readable'], ['oversized', 'too large'], ['dropped', 'dropped, the queue was full'], ['restarts', 'restarts of the sender'],
  ['clock_jumps', 'jumps of its clock'], ['silences', 'silences'],
];

/** What tests read. */
interface Told4Tests {
  frames: number; // that came
  drawn: number; // that were drawn
  bytes: number;
  since: number; // performance.now() [ms]
  cursor: number | null;
  paused: boolean;
  bins: number;
}
declare global {
  interface Window {
    antaeusLive: Told4Tests;
  }
}
const counted: Told4Tests = { frames: 0, drawn: 0, bytes: 0, since: performance.now(), cursor: null, paused: false, bins: 0 };
window.antaeusLive = counted;

class LivePage implements Owner {
  readonly recent: Recent;
  private readonly cards: Cards;
  private readonly joints: Joints;
  private readonly forces: LivePlot[];
  private readonly happened = new Events((event) => this.goTo(event.at));
  private readonly layout: Layout;
  private readonly mark: MarkDialog;
  private readonly banner = element('p', { class: 'banner', role: 'status' });
  private readonly chip = element('span', { class: 'chip' });
  private readonly rate = element('span', { class: 'quiet rates' });
  private readonly back = element('button', { type: 'button', id: 'back', class: 'strong' }, 'Back to live');
  private readonly stop = element('button', { type: 'button', id: 'pause' }, 'Pause');
  private readonly windows = element('div', { class: 'windows', role: 'group', 'aria-label': 'how much of the past the plots show' });
  private readonly robotBox = element('div', { class: 'robot-column' });
  private readonly sign = element('p', { class: 'quiet note' });
  private readonly facts = element('dl', { class: 'facts' });
  private readonly notes = element('ul', { class: 'stream-notes' });
  private readonly problem = element('p', { class: 'problem' });
  private robot: LiveRobot | null = null;
  private told: Facts | null = null;
  private link: Link = 'connecting';
  private closedBecause = '';
  private window = 60;
  private at: number | null = null; // where the cursor stands while it is paused
  private viewEnd = 0; // of the plots while paused
  private dirty = false;
  private binsCame = false;
  private wroteAt = -Infinity;
  private lastFrame = -Infinity; // performance.now()
  private markedAt = 0;

  constructor(
    readonly hello: Hello,
    private readonly views: Views | null,
    private readonly send: (message: object) => boolean,
    place: HTMLElement,
  ) {
    this.layout = new Layout(hello.motors.length, hello.endpoints.length);
    this.recent = new Recent(this.layout, hello.bins);
    this.cards = new Cards(hello);
    this.forces = hello.endpoints.map((_, i) => forcePlot(this, i));
    this.joints = new Joints(this);
    this.mark = new MarkDialog((text) => this.sendMark(text));
    document.title = `${hello.title || hello.robot} \u2013 antaeus watch`;
    place.replaceChildren(...this.build());
    this.listen();
    this.tellSign(hello.sign);
    this.tellState();
    document.documentElement.dataset.ready = 'true';
    requestAnimationFrame(() => this.tick());
  }

  // Making ---------------------------------------------------------------------------------------------------------------

  private build(): HTMLElement[] {
    const { hello } = this;
    const marking = element('button', { type: 'button', id: 'mark', title: 'Key m' }, 'Mark ', element('kbd', { 'aria-hidden': 'true' }, 'm'));
    marking.addEventListener('click', () => this.askMark());
    this.stop.addEventListener('click', () => this.pause(this.now()));
    this.back.addEventListener('click', () => this.goLive());
    for (const [name, seconds] of WINDOWS) {
      const button = element('button', { type: 'button', 'data-seconds': String(seconds) }, name);
      button.addEventListener('click', () => {
        this.window = seconds;
        // What is looked at stays in view.
        if (this.at !== null) this.viewEnd = Math.min(this.now(), this.at + (1 - BEFORE) * this.span());
        this.tellWindow();
        this.drawPlots();
      });
      this.windows.append(button);
    }
    this.tellWindow();
    const title = element('h1', {}, hello.title || hello.robot);
    const head = element('header', { class: 'live-head' },
      element('div', { class: 'names' }, element('p', { class: 'kicker' }, 'antaeus watch \u00b7 ', element('span', { class: 'source', title: hello.source }, hello.source)), title),
      element('div', { class: 'state' }, this.chip, this.rate),
      element('div', { class: 'actions' }, this.windows, this.stop, this.back, marking));
    const stream = element('details', { class: 'stream' }, element('summary', {}, 'Stream'), this.problem, this.facts, this.notes);
    const forces = element('section', { class: 'forces', 'aria-label': 'forces of the last minutes' }, ...this.forces.map((plot) => plot.root));
    if (!this.views) this.robotBox.append(element('p', { class: 'quiet note' }, 'The robot\u2019s shapes did not come: load the page again to see it.'), this.sign);
    const right = element('div', { class: 'judged' }, this.cards.root, this.cards.help);
    return [head, this.banner, element('div', { class: hello.endpoints.length > 2 ? 'top many' : 'top' }, this.robotBox, right, this.happened.root), forces, this.joints.root, stream, this.cards.spoken, this.mark.root];
  }

  private tellWindow(): void {
    for (const button of this.windows.children) button.setAttribute('aria-pressed', String(button.getAttribute('data-seconds') === String(this.window)));
  }

  private makeRobot(): void {
    if (this.robot || !this.views) return;
    try {
      this.robot = new LiveRobot(this.views, this.layout, this.recent.now, this.hello.floating);
      this.robotBox.replaceChildren(this.robot.view.root, this.sign);
      this.robot.view.resize();
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      this.robotBox.replaceChildren(element('p', { class: 'quiet note' }, 'The robot needs WebGL, which this browser does not have.'), this.sign);
      this.robot = null;
    }
  }

  private listen(): void {
    new ResizeObserver(() => {
      this.robot?.view.resize();
      this.drawPlots();
    }).observe(this.robotBox.parentElement ?? document.body);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const plot of this.forces) plot.forget();
      this.joints.recolor();
      this.robot?.view.refresh();
      this.drawPlots();
    });
    document.addEventListener('keydown', (event) => {
      if (this.mark.open || event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (typing) return;
      const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
      if (event.key === 'm' || event.key === 'M') this.askMark();
      else if (event.key === 'p' || event.key === 'P') this.at === null ? this.pause(this.now()) : this.goLive();
      else if (event.key === 'Escape' && this.at !== null) this.goLive();
      else if (step !== 0 && this.at !== null) this.pause(this.at + step * this.hello.bin * (event.shiftKey ? 10 : 1));
      else return;
      event.preventDefault();
    });
    window.setInterval(() => this.tellState(), 500);
  }

  // Owner of the plots -----------------------------------------------------------------------------------------------------

  events(): Happened[] {
    return this.happened.all;
  }
  range(): [number, number] {
    const end = this.at === null ? this.now() : this.viewEnd;
    return [end - this.span(), end];
  }
  /** What was chosen, or less while there is not so much past. It grows by steps, so that lines do not creep. */
  private span(): number {
    const past = this.now() - (this.recent.bins[0]?.time ?? this.now());
    return Math.min(this.window, SPANS.find((seconds) => seconds > past) ?? this.window);
  }
  cursor(): number | null {
    return this.at;
  }
  pressed(time: number): void {
    this.pause(time, true);
  }
  pointed(time: number): void {
    if (this.at !== null) this.pause(time, true);
  }

  private now(): number {
    // Bins come while the view stands, samples do not.
    const last = this.recent.bins[this.recent.bins.length - 1]?.time ?? -Infinity;
    return Math.max(last, this.recent.now?.time ?? (Number.isFinite(last) ? last : Date.now() / 1000));
  }

  // Time -----------------------------------------------------------------------------------------------------------------

  /** The view stands at a time: plots, robot and numbers. */
  private pause(time: number, keepView = false): void {
    const bins = this.recent.bins;
    const first = bins[0]?.time ?? time;
    const last = bins[bins.length - 1]?.time ?? time;
    const fresh = this.at === null;
    const nearest = this.recent.at(Math.min(last, Math.max(first, time)));
    this.at = nearest?.time ?? time;
    if (fresh) {
      this.viewEnd = this.now();
      this.send({ kind: 'pause', on: true });
    }
    if (!keepView && (this.at > this.viewEnd || this.at < this.viewEnd - this.span())) this.viewEnd = Math.min(last, this.at + (1 - BEFORE) * this.span());
    if (fresh || !keepView) this.drawPlots();
    else this.moveCursor();
    const moment = nearest ?? this.recent.now;
    if (moment) {
      this.robot?.show(moment, true);
      this.write(moment);
    }
    this.tellState();
  }
  private goTo(time: number): void {
    if (this.at === null) this.send({ kind: 'pause', on: true });
    this.at = this.recent.holding(time)?.time ?? time;
    this.window = Math.min(this.window, 60);
    this.viewEnd = Math.min(this.now(), this.at + (1 - BEFORE) * this.span());
    this.pause(this.at);
    this.tellWindow();
    this.back.focus({ preventScroll: true });
    this.forces[0]?.root.scrollIntoView({ block: 'nearest' });
  }
  private goLive(): void {
    if (this.at === null) return;
    this.at = null;
    this.happened.choose(null);
    this.send({ kind: 'pause', on: false });
    this.dirty = true;
    this.drawPlots();
    this.tellState();
  }

  // Drawing --------------------------------------------------------------------------------------------------------------

  private drawPlots(): void {
    for (const plot of this.forces) plot.draw();
    this.joints.draw(this.at === null ? null : this.recent.at(this.at));
    this.moveCursor();
  }
  private moveCursor(): void {
    for (const plot of this.forces) plot.move();
    this.joints.move();
    counted.cursor = this.at;
    counted.paused = this.at !== null;
  }
  private write(moment: Moment): void {
    this.cards.show(moment, this.at === null ? this.stream() : 'running', this.at !== null);
    for (const plot of this.forces) plot.read(moment);
    this.joints.read(moment);
  }

  private tick(): void {
    requestAnimationFrame(() => this.tick());
    const moment = this.recent.now;
    if (this.at !== null || !moment) return;
    if (this.dirty) {
      this.dirty = false;
      this.robot?.show(moment);
      counted.drawn += 1;
      const now = performance.now();
      if (now - this.wroteAt > TEXT_EVERY) {
        this.wroteAt = now;
        this.write(moment);
      }
    }
    if (this.binsCame) {
      this.binsCame = false;
      this.drawPlots();
    }
  }

  // What it is told ------------------------------------------------------------------------------------------------------

  samples(buffer: ArrayBuffer): void {
    counted.bytes += buffer.byteLength;
    if (this.recent.take(buffer)) this.binsCame = true;
    else {
      counted.frames += 1;
      this.lastFrame = performance.now();
      this.dirty = true;
      if (this.at === null) this.robot?.count();
    }
    counted.bins = this.recent.bins.length;
    if (!this.robot && this.recent.now) this.makeRobot();
  }
  hear(message: Told): void {
    if (message.kind === 'event') {
      this.happened.take(message);
      this.binsCame = true;
    } else if (message.kind === 'facts') {
      this.told = message;
      this.tellFacts(message);
      this.tellState();
    } else if (message.kind === 'hint') {
      this.cards.hint(message.lines);
    } else if (message.kind === 'sign') {
      this.tellSign(message.sign);
    }
  }
  linked(link: Link, reason: string): void {
    this.link = link;
    this.closedBecause = reason;
    // The server forgets with the socket that this view stands still.
    if (link === 'open' && this.at !== null) this.send({ kind: 'pause', on: true });
    this.tellState();
  }

  private tellSign(sign: string): void {
    const whose = sign === 'on_environment' ? 'of the robot on its contacts' : sign === 'on_robot' ? 'of contacts on the robot' : '';
    setText(this.sign, `Forces are those ${whose || 'of the profile\u2019s sign'}, in world axes. A link\u2019s colour is the residual of its joint, from one sd up to its limit: blue above zero, orange below.`);
  }

  /** How the stream is, as far as this page knows. */
  private stream(): string {
    return this.link === 'open' ? (this.told?.stream ?? 'waiting') : 'lost';
  }

  private tellState(): void {
    const quiet = (performance.now() - this.lastFrame) / 1000;
    const stream = this.stream();
    const words = this.link === 'open' ? streamWords(this.told, this.hello.source, Number.isFinite(quiet) ? quiet : 0)
      : `No connection to antaeus watch${this.closedBecause ? ` (${this.closedBecause})` : ''}: it has ended, or the network is gone. Trying again.`;
    const paused = this.at !== null;
    const stopped = this.at === null ? '' : `Stopped at ${clock(this.at, true)}, ${number(Math.max(0, this.now() - this.at), 1)}\u00a0s before the newest sample. Arrow keys move, Escape goes back to live.`;
    const text = [words, stopped].filter((part) => part !== '').join(' ');
    setText(this.banner, text);
    this.banner.hidden = text === '';
    this.banner.dataset.tone = words === '' ? 'plain' : stream === 'held_off' || stream === 'waiting' ? 'doubtful' : 'bad';
    this.stop.hidden = paused;
    this.back.hidden = !paused;
    const names: Record<string, string> = { running: '\u25cf live', held_off: '\u25b2 held off', silent: '\u25a0 silent', ended: '\u25a0 ended', waiting: '\u25cb waiting', lost: '\u2715 no connection' };
    setText(this.chip, paused && stream === 'running' ? '\u2016 stopped' : (names[stream] ?? stream));
    this.chip.dataset.tone = stream === 'running' ? (paused ? 'plain' : 'good') : stream === 'waiting' || stream === 'held_off' ? 'doubtful' : 'bad';
    if (document.documentElement.dataset.stream !== stream && this.at === null && this.recent.now) this.write(this.recent.now);
    document.documentElement.dataset.stream = stream;
    document.documentElement.dataset.paused = String(paused);
    if (!this.robot && this.views && stream === 'waiting') this.makeRobot();
  }

  private tellFacts(facts: Facts): void {
    const count = (name: string): number => Number(facts[name] ?? 0);
    const bad = ['lost', 'late', 'repeated', 'out_of_order', 'undecodable', 'dropped'].filter((name) => count(name) > 0).map((name) => `${count(name)} ${name.replace(/_/g, ' ')}`);
    setText(this.rate, `${facts.rate === null ? '' : `${number(facts.rate, facts.rate < 100 ? 1 : 0)}\u00a0Hz, `}${bad.length > 0 ? bad.join(', ') : 'nothing lost or late'}`);
    const rows: [string, string][] = [['rate', facts.rate === null ? '\u2013' : `${number(facts.rate, 1)}\u00a0Hz`]];
    for (const [name, label] of COUNTS) rows.push([label, String(count(name))]);
    const ms = (value: number | null): string => (value === null ? 'the sender has no clock' : `${number(1000 * value, 2)}\u00a0ms`);
    rows.push(['sender\u2019s clock against this one', ms(facts.clock_offset)], ['from stamp to result', ms(facts.latency)]);
    if (this.facts.children.length !== rows.length) this.facts.replaceChildren(...rows.map(() => element('div', {}, element('dt'), element('dd', { class: 'n' }))));
    rows.forEach(([label, value], i) => {
      const row = this.facts.children[i] as HTMLElement;
      setText(row.children[0] as HTMLElement, label);
      setText(row.children[1] as HTMLElement, value);
    });
    setText(this.problem, facts.last_problem === '' ? '' : `Last problem: ${facts.last_problem}`);
    if (this.notes.children.length !== facts.notes.length) this.notes.replaceChildren(...facts.notes.map(() => element('li')));
    facts.notes.forEach((note, i) => setText(this.notes.children[i] as HTMLElement, note));
  }

  // Marks ----------------------------------------------------------------------------------------------------------------

  private askMark(): void {
    this.markedAt = performance.now();
    this.mark.ask();
  }
  private sendMark(text: string): void {
    // What is marked is when the key was pressed, not when the words were found.
    const ago = Math.min(600, Math.max(0, (performance.now() - this.markedAt) / 1000));
    if (!this.send({ kind: 'mark', text, ago })) {
      setText(this.banner, 'The mark was not sent: there is no connection.');
      this.banner.hidden = false;
    }
  }
}

async function start(): Promise<void> {
  const place = document.getElementById('live');
  if (!place) return;
  const wait = element('p', { class: 'banner', role: 'status' }, 'Connecting to antaeus watch \u2026');
  place.replaceChildren(wait);
  // Without the robot's shapes the numbers are there all the same.
  const views = await fetch(`scene.json${window.location.search}`).then(async (got) => (got.ok ? parse(await got.text()) : null), () => null);
  let page: LivePage | null = null;
  let hello = '';
  const connection: Connection = new Connection(
    (message) => {
      if (message.kind !== 'hello') page?.hear(message);
      else {
        const { clock: _clock, ...lasting } = message;
        const text = JSON.stringify({ ...lasting, sign: '' });
        // Another watch on the same port has other joints.
        if (page && text !== hello) window.location.reload();
        hello = text;
        if (!page) page = new LivePage(message, views, (told) => connection.send(told), place);
        page.linked('open', '');
      }
    },
    (buffer) => page?.samples(buffer),
    (link, reason) => {
      if (page && link !== 'open') page.linked(link, reason);
      else if (!page && link === 'lost') setText(wait, `No connection to antaeus watch${reason ? ` (${reason})` : ''}. Trying again.`);
    },
  );
}

void start();
