// One card an endpoint: the verdict in words, the estimate beside what the consumer reads; and what would help now.
import { element, named, number, setText } from './format';
import type { Hello, Moment } from './live_stream';
import { actionWords, meaning, ofStream, reasonsOf, remedy, standing, STOP } from './live_words';

const AXES = ['x', 'y', 'z'];
const MOST_REASONS = 3;
const MOST_HELP = 4;

class Card {
  readonly root: HTMLElement;
  private readonly sign = element('span', { class: 'sign', 'aria-hidden': 'true' });
  private readonly word = element('span', { class: 'word' });
  private readonly because = element('p', { class: 'because' });
  private readonly action = element('p', { class: 'action quiet' });
  private readonly cells: HTMLElement[][] = [];
  private readonly moments: HTMLElement[][] = [];
  private readonly nis = element('span', { class: 'quiet' });

  constructor(
    private readonly hello: Hello,
    private readonly place: number,
  ) {
    const label = hello.endpoints[place]?.label ?? '';
    const head = element('h3', {}, named(label, 40));
    const verdict = element('p', { class: 'verdict' }, this.sign, this.word);
    const more = element('details', {}, element('summary', {}, 'Moments and misfit'), this.table('Moment at', label, 'N\u00b7m', this.moments), element('p', { class: 'misfit' }, this.nis));
    this.root = element('article', { class: 'endpoint', 'data-endpoint': hello.endpoints[place]?.name ?? '' },
      element('div', { class: 'endpoint-head' }, head, verdict), this.because, this.table('Force at', label, 'N', this.cells), this.action, more);
  }

  private table(what: string, label: string, unit: string, cells: HTMLElement[][]): HTMLElement {
    const body = element('tbody');
    const letter = unit === 'N' ? 'F' : 'M';
    for (const name of ['estimate', '\u00b1 one sd', 'consumer']) {
      const row = [0, 1, 2, 3].map(() => element('td', { class: 'n' }, '\u2013'));
      cells.push(row);
      body.append(element('tr', { class: name === 'consumer' ? 'read' : '' }, element('th', { scope: 'row' }, name), ...row));
    }
    const heads = [...AXES.map((axis) => letter + axis), `|${letter}|`].map((name) => element('th', { scope: 'col', class: 'n' }, name));
    return element('table', { class: 'numbers' }, element('caption', { class: 'unseen' }, `${what} the ${label}, in ${unit}`),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col', class: 'quiet' }, unit), ...heads)), body);
  }

  private fill(cells: HTMLElement[][], estimate: number[], sd: number[], read: number[], digits: number): void {
    const size = (v: number[]): number => Math.hypot(...v);
    // Of |F|: one sd along it, each axis by itself.
    // Large numbers need no tenths, and a narrow card has no room for them.
    const places = Math.max(size(estimate), size(read)) >= 100 ? 0 : digits;
    const along = size(estimate) > 0 ? Math.sqrt(estimate.reduce((sum, f, i) => sum + (f * (sd[i] as number)) ** 2, 0)) / size(estimate) : NaN;
    [[...estimate, size(estimate)], [...sd, along], [...read, size(read)]].forEach((row, r) => {
      row.forEach((value, c) => setText(cells[r]?.[c] as HTMLElement, number(value, places)));
    });
  }

  show(moment: Moment, stream: string): void {
    const { hello, place } = this;
    const above = ofStream(stream, moment.heldOff);
    const said = above ?? (moment.stop(place) ? STOP : standing(hello.verdicts[moment.state(place)] ?? ''));
    this.root.dataset.tone = said.tone;
    setText(this.sign, said.sign);
    setText(this.word, said.word);
    const reasons = reasonsOf(hello, moment, place);
    const words = reasons.slice(0, MOST_REASONS).map((reason) => meaning(hello, reason));
    if (reasons.length > MOST_REASONS) words.push(`${reasons.length - MOST_REASONS} more`);
    const text = words.join('; ');
    setText(this.because, above ? above.because : text === '' ? 'No reason against it.' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    const own = hello.verdicts[moment.verdict(place)] ?? '';
    const now = moment.verdict(place) === moment.state(place) ? '' : `; this sample alone: ${standing(own).word.toLowerCase()}`;
    const action = actionWords(hello.actions[moment.action(place)] ?? '');
    setText(this.action, above ? 'The consumer is given zero.' : `${action.charAt(0).toUpperCase()}${action.slice(1)}${now}.`);
    const gone = stream === 'silent' || stream === 'ended'; // held off: it comes as zero
    const three = (of: (axis: number) => number): number[] => [of(0), of(1), of(2)];
    this.fill(this.cells, three((i) => moment.force(place, i)), three((i) => moment.sd(place, i)), three((i) => (gone ? 0 : moment.consumer(place, i))), 1);
    this.fill(this.moments, three((i) => moment.moment(place, i)), three((i) => moment.sd(place, 3 + i)), three((i) => (gone ? 0 : moment.consumerMoment(place, i))), 2);
    const [nis, limit] = moment.nis(place);
    setText(this.nis, `Misfit (NIS) ${number(nis, 1)}, limit ${number(limit, 1)}`);
  }

  /** "left wrist: refused, a torque jumped", for readers who cannot see it. */
  sentence(moment: Moment, stream: string): string {
    const { hello, place } = this;
    const above = ofStream(stream, moment.heldOff);
    if (above) return `${hello.endpoints[place]?.label ?? ''}: ${above.word.toLowerCase()}`;
    const word = (moment.stop(place) ? STOP : standing(hello.verdicts[moment.state(place)] ?? '')).word.toLowerCase();
    const reason = reasonsOf(hello, moment, place)[0];
    return `${hello.endpoints[place]?.label ?? ''}: ${word}${reason ? `, ${meaning(hello, reason)}` : ''}`;
  }
}

const SPEAK_EVERY = 4000; // [ms]
const HELP_EVERY = 1500; // [ms] a sentence stays long enough to be read

export class Cards {
  readonly root = element('section', { class: 'endpoints', 'aria-label': 'verdicts and forces' });
  readonly help = element('section', { class: 'help', 'aria-labelledby': 'help-head' });
  readonly spoken = element('p', { class: 'unseen', 'aria-live': 'polite', id: 'spoken' });
  private readonly cards: Card[];
  private readonly list = element('ul');
  private readonly poses = element('ul', { class: 'poses' });
  private states = '';
  private spokeAt = -Infinity;
  private helpedAt = -Infinity;
  private helped = '';

  constructor(private readonly hello: Hello) {
    this.cards = hello.endpoints.map((_, place) => new Card(hello, place));
    this.root.append(...this.cards.map((card) => card.root));
    this.help.append(element('h2', { id: 'help-head' }, 'What would help now'), this.poses, this.list);
    this.hint([]);
  }

  /** stream: how it is now; "running" for a moment of the past. held: the view stands. */
  show(moment: Moment, stream: string, held: boolean): void {
    for (const card of this.cards) card.show(moment, stream);
    this.tellHelp(moment, held);
    // Only a change of a state is spoken, and not more often than it can be heard.
    const states = `${stream}${moment.heldOff}${this.hello.endpoints.map((_, place) => `${moment.state(place)}${moment.stop(place)}`).join()}`;
    const now = performance.now();
    if (states === this.states || now - this.spokeAt < SPEAK_EVERY) return;
    this.states = states;
    this.spokeAt = now;
    setText(this.spoken, `${this.cards.map((card) => card.sentence(moment, stream)).join('. ')}.`);
  }

  /** What the newest pose, and another one, would tell. */
  hint(lines: string[]): void {
    this.poses.hidden = lines.length === 0;
    this.poses.replaceChildren(...lines.map((line) => element('li', {}, `${line.charAt(0).toUpperCase()}${line.slice(1)}.`)));
  }

  private tellHelp(moment: Moment, held: boolean): void {
    const now = performance.now();
    if (!held && now - this.helpedAt < HELP_EVERY) return;
    const where = new Map<string, string[]>();
    this.hello.endpoints.forEach((endpoint, place) => {
      for (const reason of reasonsOf(this.hello, moment, place)) {
        const text = remedy(this.hello, reason);
        if (text !== '') where.set(text, [...(where.get(text) ?? []), endpoint.label]);
      }
    });
    const lines = [...where].slice(0, MOST_HELP);
    const key = JSON.stringify(lines);
    if (key === this.helped) return;
    this.helped = key;
    this.helpedAt = now;
    const everywhere = this.hello.endpoints.length;
    this.list.replaceChildren(...(lines.length === 0 ? [element('li', { class: 'quiet' }, 'Nothing: no reason stands against a force.')] : lines.map(([text, labels]) => {
      const line = element('li', {}, `${text.charAt(0).toUpperCase()}${text.slice(1)}`);
      if (everywhere > 1 && labels.length < everywhere) line.append(' ', element('span', { class: 'quiet' }, `(${labels.join(', ')})`));
      return line;
    })));
  }
}
