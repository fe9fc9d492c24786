// What the reader has chosen, and what is shown for it.
import type { Conditions, Selector, Tone } from './payload';

const PALETTE: Tone[] = ['blue', 'vermillion', 'green', 'purple', 'orange', 'sky', 'muted'];

export class Choice {
  /** Per selector its chosen options, in the order in which they were chosen. */
  readonly chosen: number[][];

  constructor(
    private readonly selectors: Selector[],
    private readonly changed: () => void,
  ) {
    this.chosen = selectors.map((s) => s.chosen.filter((o) => o >= 0 && o < s.options.length));
    selectors.forEach((s, i) => {
      if (!s.multiple) this.chosen[i] = [this.chosen[i]?.[0] ?? 0];
    });
  }

  has(selector: number, option: number): boolean {
    return this.chosen[selector]?.includes(option) ?? false;
  }
  /** A press on an option: chooses it, or lets it go where several can be chosen. */
  press(selector: number, option: number): void {
    const before = this.chosen[selector] ?? [];
    if (!this.selectors[selector]?.multiple) this.chosen[selector] = [option];
    else if (before.includes(option)) this.chosen[selector] = before.filter((o) => o !== option);
    else this.chosen[selector] = [...before, option];
    this.changed();
  }

  meets(when: Conditions): boolean {
    return when.every(([selector, option]) => this.has(selector, option));
  }
  /** Whether something would be shown if other options of the multiple selectors were chosen. */
  couldMeet(when: Conditions): boolean {
    return when.every(([selector, option]) => this.selectors[selector]?.multiple || this.has(selector, option));
  }
  /** The tone of what stands for one chosen option among others. */
  tone(when: Conditions): Tone {
    for (const [selector, option] of when) {
      if (!this.selectors[selector]?.multiple) continue;
      const place = this.chosen[selector]?.indexOf(option) ?? -1;
      if (place >= 0) return PALETTE[place % PALETTE.length] as Tone;
    }
    return PALETTE[0] as Tone;
  }
}
