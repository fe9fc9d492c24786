// The list of joints and the table of steps at the cursor.
import type { Data, Series } from './data';
import { compact, element, number, setText } from './format';

/** What each joint adds to Fz at the cursor; a press puts the joint into the plots or takes it out. */
export class JointList {
  readonly root = element('div', { class: 'joint-list' });
  private rows: { motor: number; bar: HTMLElement; value: HTMLElement; torque: HTMLElement }[] = [];
  private readonly sum = element('span', { class: 'n' });

  constructor(
    private readonly data: Data,
    private readonly toggled: (motor: number) => void,
  ) {}

  build(series: Series, joints: number[]): void {
    const supporting = this.data.motors
      .map((_, motor) => motor)
      .filter((motor) => this.reaches(series, motor) || joints.includes(motor));
    const others = this.data.motors.map((_, motor) => motor).filter((motor) => !supporting.includes(motor));
    this.rows = [];
    const list = element('ul');
    for (const motor of supporting) {
      const bar = element('span', { class: 'bar' });
      const value = element('span', { class: 'n' });
      const torque = element('span', { class: 'n quiet' });
      const name = this.data.motors[motor]?.label ?? '';
      const button = element(
        'button',
        { type: 'button', 'aria-pressed': String(joints.includes(motor)), title: 'show in the plots', 'data-joint': name },
        element('span', { class: 'name' }, name),
        torque,
        element('span', { class: 'track', 'aria-hidden': 'true' }, bar),
        value,
      );
      button.addEventListener('click', () => this.toggled(motor));
      list.append(element('li', {}, button));
      this.rows.push({ motor, bar, value, torque });
    }
    const more = element('select', { 'aria-label': 'show another joint in the plots' });
    more.append(element('option', { value: '' }, 'another joint \u2026'));
    for (const motor of others) {
      more.append(element('option', { value: String(motor) }, this.data.motors[motor]?.label ?? ''));
    }
    more.addEventListener('change', () => more.value !== '' && this.toggled(Number(more.value)));
    this.root.replaceChildren(
      element('div', { class: 'joint-head' }, element('span', {}, 'joint'), element('span', {}, 'residual'), element('span', {}, 'adds to Fz'), this.sum),
      list,
      ...(others.length > 0 ? [more] : []),
    );
  }

  private reaches(series: Series, motor: number): boolean {
    const column = series.contribution?.column(motor);
    if (!column) return false;
    const stride = Math.max(1, Math.floor(column.length / 50));
    for (let i = 0; i < column.length; i += stride) if (Math.abs(column[i] as number) > 0) return true;
    return false;
  }

  cursor(series: Series, sample: number): void {
    const parts = series.contribution;
    let most = 1;
    for (const row of this.rows) most = Math.max(most, Math.abs(parts?.at(row.motor, sample) ?? 0) || 0);
    for (const row of this.rows) {
      const part = parts?.at(row.motor, sample) ?? NaN;
      const share = Number.isFinite(part) ? (50 * part) / most : 0;
      row.bar.style.left = `${share < 0 ? 50 + share : 50}%`;
      row.bar.style.width = `${Math.abs(share)}%`;
      row.bar.className = share < 0 ? 'bar down' : 'bar up';
      setText(row.value, `${number(part)} N`);
      setText(row.torque, `${number(this.data.residual?.at(row.motor, sample), 2)} N\u00b7m`);
    }
    setText(this.sum, `${number(series.force.at(2, sample))} N`);
  }
}

const AROUND = 6;

/** The steps around the cursor. */
export class StepTable {
  readonly root = element('div', { class: 'scroll' });
  private rows: { row: HTMLTableRowElement; cells: HTMLTableCellElement[] }[] = [];
  private readonly caption = element('caption');

  constructor(
    private readonly data: Data,
    moved: (sample: number) => void,
  ) {
    const heads = ['step', data.hasTime ? 'time [s]' : 'time', 'residual [N\u00b7m]', 'gain Fz', '\u03ba', '\u03c3 min', 'Fx [N]', 'Fy [N]', 'Fz [N]', '|F| [N]', 'default guards'];
    if (data.series.some((s) => s.posterior)) heads.push('posterior Fz [N]', 'worst sd [N]', 'NIS', 'its guard');
    const words = new Set(['default guards', 'its guard']);
    const head = element('tr');
    heads.forEach((text) => head.append(element('th', { scope: 'col', class: words.has(text) ? '' : 'n' }, text)));
    const body = element('tbody');
    for (let i = 0; i < 2 * AROUND + 1; ++i) {
      const row = element('tr');
      const cells = heads.map((text) => element('td', { class: words.has(text) ? '' : 'n' }));
      row.append(...cells);
      row.addEventListener('click', () => row.dataset.sample && moved(Number(row.dataset.sample)));
      body.append(row);
      this.rows.push({ row, cells });
    }
    this.root.append(element('table', { id: 'step-table' }, this.caption, element('thead', {}, head), body));
    this.root.tabIndex = 0;
    this.root.setAttribute('role', 'region');
    this.root.setAttribute('aria-label', 'steps around the cursor');
  }

  cursor(series: Series, sample: number): void {
    const data = this.data;
    const count = data.rows.length;
    setText(this.caption, `Steps around the cursor: deployed estimator at the ${series.label}`);
    const first = Math.max(0, Math.min(sample - AROUND, count - this.rows.length));
    this.rows.forEach(({ row, cells }, i) => {
      const at = first + i;
      const there = at < count;
      row.hidden = !there;
      if (!there) return;
      row.dataset.sample = String(at);
      row.className = at === sample ? 'here' : '';
      const reference = data.reference === null ? NaN : (data.residual?.at(data.reference, at) ?? NaN);
      const values = [
        stepName(data, at),
        data.hasTime ? number(data.x[at], 3) : '\u2013',
        number(reference, 2),
        number(series.gain?.at(0, at), 2),
        number(series.kappa?.at(0, at), 1),
        number(series.sigmaMin?.at(0, at), 4),
        number(series.force.at(0, at)),
        number(series.force.at(1, at)),
        number(series.force.at(2, at)),
        number(series.force.at(3, at)),
        this.data.names.verdict[series.verdict?.at(0, at) ?? this.data.names.verdict.length - 1] ?? '',
      ];
      const posterior = series.posterior;
      if (posterior) {
        values.push(
          `${number(posterior.force.at(2, at))} \u00b1 ${number(posterior.sd.at(2, at))}`,
          number(posterior.worstSd.at(0, at)),
          compact(posterior.nis.at(0, at)),
          this.data.states[Math.min(2, posterior.state.at(0, at))] ?? '',
        );
      }
      while (values.length < cells.length) values.push('\u2013');
      values.forEach((text, c) => setText(cells[c] as HTMLElement, text));
    });
  }
}

/** Whether a sample is one step, or the least or largest value of a bin. */
export function isWhole(data: Data, sample: number): boolean {
  const row = data.rows[sample] as number;
  return data.sampling.bin === 1 || (row >= data.sampling.whole_begin && row < data.sampling.whole_end);
}

export function stepName(data: Data, sample: number): string {
  const row = data.rows[sample] as number;
  const step = String(data.firstStep + row);
  if (isWhole(data, sample)) return step;
  const next = data.rows[sample + 1];
  const before = data.rows[sample - 1];
  const half = Math.floor(data.sampling.bin / 2);
  const low = (before !== undefined && row - before <= half && !isWhole(data, sample - 1)) ? 'max' : next !== undefined ? 'min' : 'max';
  return `${low} near ${step}`;
}
