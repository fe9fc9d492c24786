// The box in which a step or a time is typed. It shows the cursor's step while nobody types.
import type { Data } from './data';
import { cut, element, setText } from './format';
import { rangeText, sampleOf } from './steps';

export class StepBox {
  readonly box = element('input', { type: 'text', id: 'step-search', size: '8', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'go' });
  readonly label: HTMLElement;
  readonly message = element('p', { id: 'step-message', role: 'alert' });
  private sample = -1;

  constructor(
    private readonly data: Data,
    private readonly go: (sample: number) => void,
  ) {
    this.label = element('label', {}, data.time ? 'step or time ' : 'step ', this.box);
    this.box.setAttribute('aria-describedby', 'step-message');
    this.box.setAttribute('title', rangeText(data));
    this.box.addEventListener('focus', () => this.box.select());
    this.box.addEventListener('blur', () => this.show());
    this.box.addEventListener('change', () => this.ask(this.box.value));
    this.box.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.clear();
      this.box.value = this.text();
    });
  }

  private text(): string {
    return this.sample < 0 ? '' : String(this.data.stepOf(this.sample));
  }
  private get refused(): boolean {
    return this.box.getAttribute('aria-invalid') === 'true';
  }
  private clear(): void {
    this.box.removeAttribute('aria-invalid');
    setText(this.message, '');
  }
  private show(): void {
    if (!this.refused && document.activeElement !== this.box) this.box.value = this.text();
  }

  /** Sends the cursor to what a text names, or says what can be named. A link names a step, and never a time. */
  ask(text: string, fromLink = false): void {
    if (text.trim() === '' && !fromLink) {
      this.clear();
      this.show();
      return;
    }
    const sample = fromLink && !/^\d+$/.test(text) ? null : sampleOf(this.data, text);
    if (sample === null) {
      this.box.value = text;
      this.box.setAttribute('aria-invalid', 'true');
      setText(this.message, this.refusal(text, fromLink));
      return;
    }
    this.clear();
    this.go(sample);
  }

  /** Why a text sends the cursor nowhere, and what would. */
  private refusal(text: string, fromLink: boolean): string {
    const { data } = this;
    const range = rangeText(data);
    const shown = cut(text.trim(), 20);
    if (!fromLink) return `not in this log: it has ${range}`;
    const isTime = sampleOf(data, text) !== null;
    return `the link\u2019s step \u201c${shown}\u201d is not in this log: ${isTime ? 'a link names a whole step; ' : ''}it has ${range}`;
  }

  cursor(sample: number): void {
    if (sample !== this.sample && this.sample >= 0) this.clear();
    this.sample = sample;
    this.show();
  }
}
