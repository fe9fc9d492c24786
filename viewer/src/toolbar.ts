// Play, slider, step box and the buttons above the views.
import type { Data } from './data';
import { element, setText } from './format';
import { addressOf, copyLink } from './links';
import { StepBox } from './step_box';

export interface Actions {
  go(sample: number): void;
  togglePlay(): void;
  focus(): void;
  whole(): void;
  comparisons(shown: boolean): void;
  sample(): number;
}

export class Toolbar {
  readonly root: HTMLElement;
  readonly steps: StepBox;
  private readonly play = element('button', { type: 'button', id: 'play', 'aria-pressed': 'false' }, 'Play');
  private readonly speedChoice = element('select', { id: 'speed', 'aria-label': 'speed of play' });
  private readonly slider = element('input', { type: 'range', id: 'cursor', min: '0', 'aria-label': 'cursor' });
  private readonly copied = element('span', { id: 'link-copied', class: 'quiet', role: 'status' });
  private readonly address = element('input', { type: 'text', id: 'link-text', readonly: '', 'aria-label': 'link to this step' });

  constructor(
    private readonly data: Data,
    private readonly actions: Actions,
    selectors: HTMLElement[],
  ) {
    this.steps = new StepBox(data, (sample) => actions.go(sample));
    this.slider.max = String(data.samples - 1);
    this.slider.disabled = this.play.disabled = data.samples < 2;
    this.slider.addEventListener('input', () => actions.go(Number(this.slider.value)));
    this.play.addEventListener('click', () => actions.togglePlay());
    const duration = (data.x[data.samples - 1] as number) - (data.x[0] as number);
    for (const factor of [0.1, 0.25, 1, 4, 20]) {
      const option = element('option', { value: String(factor) }, `${factor}\u00d7`);
      option.selected = factor === (duration >= (data.time ? 10 : 500) ? 1 : 0.25);
      this.speedChoice.append(option);
    }
    this.address.hidden = true;
    this.address.addEventListener('blur', () => (this.address.hidden = true));
    this.root = element('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'cursor and view' },
      this.play, this.speedChoice, this.slider, this.steps.label, this.steps.message, ...selectors,
      ...this.buttons(), this.copied, this.address);
  }

  private button(id: string, text: string, pressed: () => void): HTMLButtonElement {
    const made = element('button', { type: 'button', id }, text);
    made.addEventListener('click', pressed);
    return made;
  }
  private buttons(): HTMLElement[] {
    const { data, actions } = this;
    const made: HTMLElement[] = [];
    const name = data.views.focus_name;
    if (data.focus !== null) made.push(this.button('focus-step', (name.charAt(0).toUpperCase() + name.slice(1)) || 'Focus', () => actions.focus()));
    if (data.samples > 1) made.push(this.button('zoom-out', 'Whole run', () => actions.whole()));
    if (data.hasComparisons) {
      const toggle = this.button('comparisons', data.views.comparisons_name || 'Comparisons', () => {
        const shown = toggle.getAttribute('aria-pressed') !== 'true';
        toggle.setAttribute('aria-pressed', String(shown));
        actions.comparisons(shown);
      });
      toggle.setAttribute('aria-pressed', 'true');
      made.push(toggle);
    }
    made.push(this.button('copy-link', 'Copy link', () => void this.copy()));
    return made;
  }

  /** The address with the cursor's step goes into the clipboard, or stands selected where that is not allowed. */
  private async copy(): Promise<void> {
    const address = addressOf(this.data.stepOf(this.actions.sample()));
    if (await copyLink(address)) {
      setText(this.copied, 'link copied');
      window.setTimeout(() => setText(this.copied, ''), 2500);
      return;
    }
    this.address.value = address;
    this.address.hidden = false;
    this.address.focus();
    this.address.select();
  }

  get speed(): number {
    return Number(this.speedChoice.value);
  }
  playing(on: boolean): void {
    this.play.setAttribute('aria-pressed', String(on));
    setText(this.play, on ? 'Pause' : 'Play');
  }
  cursor(sample: number, told: string): void {
    this.slider.value = String(sample);
    this.slider.setAttribute('aria-valuetext', told);
    this.steps.cursor(sample);
  }
}
