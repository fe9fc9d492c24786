// What happened, newest first; a press goes to its moment. And the mark: somebody's own words for a moment.
import { element } from './format';
import type { Happened } from './live_stream';
import { clock } from './live_words';

const MOST_SHOWN = 200;
const LONGEST_MARK = 200;
const SIGNS: Record<string, [string, string]> = {
  alarm: ['\u25b2', 'bad'], refused: ['\u25a0', 'bad'], stop: ['\u2b23', 'bad'], recovered: ['\u25cf', 'good'], stream: ['\u223f', 'plain'],
  set_up: ['\u2699', 'doubtful'], mark: ['\u2691', 'plain'],
};
const NAMES: Record<string, string> = { set_up: 'set-up', recovered: 'recovered' };

export class Events {
  readonly root = element('section', { class: 'events', 'aria-labelledby': 'events-head' });
  readonly all: Happened[] = [];
  private readonly list = element('ol', { tabindex: '-1' });
  private readonly none = element('p', { class: 'quiet' }, 'Nothing yet. Alarms, refusals and marks appear here; select one to go to its time.');
  private last = 0; // id: they rise, and come once more with a new connection
  private chosen: HTMLElement | null = null;

  constructor(private readonly go: (event: Happened) => void) {
    this.root.append(element('h2', { id: 'events-head' }, 'What happened'), this.none, this.list);
  }

  /** \return whether it is new */
  take(event: Happened): boolean {
    if (event.id <= this.last) return false;
    this.last = event.id;
    this.all.push(event);
    this.none.hidden = true;
    const [sign, tone] = SIGNS[event.what] ?? ['\u2022', 'plain'];
    const time = element('time', { datetime: new Date(1000 * event.at).toISOString() }, clock(event.at, true));
    const words = element('span', { class: 'words' }, event.words);
    const where = event.endpoint === '' ? '' : ` \u00b7 ${event.endpoint}`;
    const button = element('button', { type: 'button', 'data-event': String(event.id), 'data-tone': tone },
      element('span', { class: 'sign', 'aria-hidden': 'true' }, sign), element('span', { class: 'what' }, time, ` ${NAMES[event.what] ?? event.what}${where}`, element('span', { class: 'quiet' }, ` \u00b7 sample ${event.index}`)), words);
    button.addEventListener('click', () => {
      this.choose(button);
      this.go(event);
    });
    this.list.prepend(element('li', {}, button));
    while (this.list.children.length > MOST_SHOWN) this.list.lastElementChild?.remove();
    if (this.all.length > MOST_SHOWN) this.all.shift();
    return true;
  }

  choose(button: HTMLElement | null): void {
    this.chosen?.removeAttribute('aria-current');
    this.chosen = button;
    button?.setAttribute('aria-current', 'true');
  }
}

/** Asks for a text, and hands it on. */
export class MarkDialog {
  readonly root = element('dialog', { class: 'mark', 'aria-labelledby': 'mark-head' });
  private readonly text = element('input', { type: 'text', id: 'mark-text', maxlength: String(LONGEST_MARK), autocomplete: 'off', placeholder: 'something happened here' });

  constructor(send: (text: string) => void) {
    const form = element('form', { method: 'dialog' }, element('h2', { id: 'mark-head' }, 'Mark this moment'),
      element('label', { for: 'mark-text' }, 'What happened? It is recorded with the current time.'), this.text,
      element('div', { class: 'row' }, element('button', { type: 'submit', class: 'strong' }, 'Mark'), element('button', { type: 'button', id: 'mark-cancel' }, 'Cancel')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send(this.text.value);
      this.root.close();
    });
    form.querySelector('#mark-cancel')?.addEventListener('click', () => this.root.close());
    this.root.append(form);
  }
  get open(): boolean {
    return this.root.open;
  }
  ask(): void {
    this.text.value = '';
    this.root.showModal();
    this.text.focus();
  }
}
