// The rows around the cursor, in numbers: folded, and filled only while it is open.
import type { Choice } from './choice';
import type { Data } from './data';
import { element, number, readingValue, setText } from './format';
import type { Reading } from './payload';

const AROUND = 6;

export class RowTable {
  readonly root = element('details', { id: 'rows' });
  private readonly scroll = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'rows around the cursor' });
  private rows: { row: HTMLTableRowElement; cells: HTMLTableCellElement[] }[] = [];
  private columns: Reading[] = [];
  private sample = 0;

  constructor(
    private readonly data: Data,
    private readonly choice: Choice,
    private readonly moved: (sample: number) => void,
  ) {
    this.root.append(element('summary', {}, 'Numbers around the cursor'), this.scroll);
    this.root.addEventListener('toggle', () => this.cursor(this.sample));
  }

  /** Makes the columns for what is chosen. */
  build(): void {
    const { data } = this;
    this.columns = data.views.columns.filter((column) => this.choice.meets(column.when));
    const names = ['step', ...(data.time ? ['time [s]'] : []), ...this.columns.map((c) => (c.unit ? `${c.label} [${c.unit}]` : c.label))];
    const worded = (i: number): boolean => (this.columns[i - (data.time ? 2 : 1)]?.words.length ?? 0) > 0;
    const head = element('tr', {}, ...names.map((name, i) => element('th', { scope: 'col', class: worded(i) ? '' : 'n' }, name)));
    const body = element('tbody');
    this.rows = Array.from({ length: Math.min(2 * AROUND + 1, data.samples) }, () => {
      const cells = names.map((_, i) => element('td', { class: worded(i) ? '' : 'n' }));
      const row = element('tr', {}, ...cells);
      row.addEventListener('click', () => row.dataset.sample && this.moved(Number(row.dataset.sample)));
      body.append(row);
      return { row, cells };
    });
    this.scroll.replaceChildren(element('table', { id: 'step-table' }, element('thead', {}, head), body));
  }

  cursor(sample: number): void {
    this.sample = sample;
    if (!this.root.open) return;
    const { data } = this;
    const first = Math.max(0, Math.min(sample - AROUND, data.samples - this.rows.length));
    this.rows.forEach(({ row, cells }, i) => {
      const at = first + i;
      row.dataset.sample = String(at);
      row.className = at === sample ? 'here' : '';
      const values = [data.stepName(at), ...(data.time ? [number(data.time[at], 3)] : []), ...this.columns.map((c) => readingValue(data, c, at))];
      values.forEach((text, c) => setText(cells[c] as HTMLElement, text));
    });
  }
}
