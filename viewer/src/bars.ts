// Values beside each other at the cursor; a press on a row chooses what it stands for.
import type { Choice } from './choice';
import type { Data } from './data';
import { columnText, cut, distinct, element, setText, withUnit } from './format';
import type { BarList } from './payload';

interface Row {
  press: HTMLElement | null;
  option: number;
  bar: HTMLElement;
  value: HTMLElement;
  aside: HTMLElement;
}

export class BarView {
  readonly root: HTMLElement;
  private readonly rows: Row[];
  private readonly marks: (() => void)[] = [];
  private readonly peaks: { value: number; aside: number };
  private readonly sum = element('span', { class: 'n' });

  constructor(
    private readonly data: Data,
    private readonly choice: Choice,
    private readonly spec: BarList,
  ) {
    this.peaks = { value: this.peak([...spec.rows.map((row) => row.value), spec.total]), aside: this.peak(spec.rows.map((row) => row.aside)) };
    const asides = spec.rows.some((row) => row.aside >= 0);
    const list = element('ul', { tabindex: '0', role: 'list', 'aria-label': spec.title });
    const names = distinct(spec.rows.map((row) => row.label));
    this.rows = spec.rows.map((row, i) => this.rowOf(row, names[i] ?? row.label, list));
    const head = element('div', { class: 'bar-head' }, element('span'), element('span', { class: 'n' }, asides ? spec.aside_head : ''), element('span', {}, spec.value_head), this.sum);
    this.root = element('div', { class: asides ? 'bar-list' : 'bar-list narrow' }, ...(spec.title ? [element('h4', { title: spec.title }, spec.title)] : []), head, list);
    this.root.style.setProperty('--value', this.width(this.peaks.value, spec.unit, ''));
    this.root.style.setProperty('--aside', this.width(this.peaks.aside, spec.aside_unit, spec.aside_head));
    const other = this.others();
    if (other) this.root.append(other);
    this.refresh();
  }

  /** The largest size in a column, at any row. */
  private peak(channels: number[]): number {
    let most = 0;
    for (const channel of channels) most = Math.max(most, this.data.peak(channel));
    return most;
  }
  /** Room for the longest number of a column with its unit, and for its head: it is never cut, and never jumps. */
  private width(peak: number, unit: string, head: string): string {
    const longest = withUnit(columnText(-peak, peak), unit);
    return `${Math.max(longest.length, head.length) + 0.5}ch`;
  }

  private rowOf(spec: BarList['rows'][number], short: string, list: HTMLElement): Row {
    const bar = element('span', { class: 'bar' });
    const value = element('span', { class: 'n' });
    const aside = element('span', { class: 'n quiet' });
    const name = element('span', { class: 'name', title: spec.title || spec.label }, cut(short, 20));
    const cells = [name, aside, element('span', { class: 'track', 'aria-hidden': 'true' }, bar), value];
    const selector = this.spec.selector;
    const known = this.data.views.selectors[selector];
    if (!known || spec.option < 0 || spec.option >= known.options.length) {
      list.append(element('li', { class: 'bar-row', 'data-row': spec.label }, ...cells));
      return { press: null, option: -1, bar, value, aside };
    }
    const press = element('button', { type: 'button', class: 'bar-row', title: spec.title || spec.label, 'data-row': spec.label, 'data-option': String(spec.option) }, ...cells);
    press.addEventListener('click', () => this.choice.press(selector, spec.option));
    list.append(element('li', {}, press));
    return { press, option: spec.option, bar, value, aside };
  }

  /** Options without a row of their own. */
  private others(): HTMLElement | null {
    const selector = this.data.views.selectors[this.spec.selector];
    if (!selector?.multiple) return null;
    const rest = selector.options.map((_, option) => option).filter((option) => !this.rows.some((row) => row.option === option));
    if (rest.length === 0) return null;
    const select = element('select', { 'aria-label': `another ${selector.label}` });
    select.append(element('option', { value: '' }, `another ${selector.label} \u2026`));
    for (const option of rest) select.append(element('option', { value: String(option) }, selector.options[option] ?? ''));
    select.addEventListener('change', () => {
      if (select.value !== '') this.choice.press(this.spec.selector, Number(select.value));
      select.value = '';
    });
    const mark = (): void => {
      for (const one of select.options) {
        if (one.value === '') continue;
        const chosen = this.choice.has(this.spec.selector, Number(one.value));
        one.textContent = (chosen ? '\u2713 ' : '') + (selector.options[Number(one.value)] ?? '');
      }
    };
    this.marks.push(mark);
    return select;
  }

  /** Shows what is chosen. */
  refresh(): void {
    this.root.hidden = !this.choice.meets(this.spec.when);
    for (const row of this.rows) row.press?.setAttribute('aria-pressed', String(this.choice.has(this.spec.selector, row.option)));
    for (const mark of this.marks) mark();
  }

  cursor(sample: number): void {
    if (this.root.hidden) return;
    const { data, spec } = this;
    const values = spec.rows.map((row) => data.at(row.value, sample));
    let most = 0;
    for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
    this.rows.forEach((row, i) => {
      const value = values[i] as number;
      const share = most > 0 && Number.isFinite(value) ? (50 * value) / most : 0;
      row.bar.style.left = `${share < 0 ? 50 + share : 50}%`;
      row.bar.style.width = `${Math.abs(share)}%`;
      row.bar.className = share < 0 ? 'bar down' : 'bar up';
      setText(row.value, withUnit(columnText(value, this.peaks.value), spec.unit));
      const aside = spec.rows[i]?.aside ?? -1;
      if (aside >= 0) setText(row.aside, withUnit(columnText(data.at(aside, sample), this.peaks.aside), spec.aside_unit));
    });
    if (spec.total >= 0) setText(this.sum, withUnit(columnText(data.at(spec.total, sample), this.peaks.value), spec.unit));
  }
}
