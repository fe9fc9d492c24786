// Numbers as people read them, and elements made without ever parsing text as HTML.
import type { Data } from './data';
import type { Reading, Tone } from './payload';

const MINUS = '\u2212';
const NONE = '\u2013';
const FIRM = '\u00a0';

const VARIABLES: Record<Tone, string> = {
  blue: '--c1', vermillion: '--c2', green: '--c3', purple: '--c4', orange: '--c5', sky: '--c6', ink: '--c0', muted: '--c7',
};
/** The CSS custom property that holds a tone. */
export const toneVariable = (tone: Tone): string => VARIABLES[tone] ?? '--c0';

export function number(value: number | undefined | null, digits = 1): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return NONE;
  const text = value.toFixed(digits);
  return text.startsWith('-') ? (Number(text) === 0 ? text.slice(1) : MINUS + text.slice(1)) : text;
}

const RAISED: Record<string, string> = {
  '-': '\u207b', '0': '\u2070', '1': '\u00b9', '2': '\u00b2', '3': '\u00b3', '4': '\u2074', '5': '\u2075', '6': '\u2076',
  '7': '\u2077', '8': '\u2078', '9': '\u2079',
};
/** 1.23·10⁵ */
function scientific(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits).split('e') as [string, string];
  const power = [...exponent.replace('+', '')].map((c) => RAISED[c]).join('');
  return `${mantissa.replace('-', MINUS)}\u00b710${power}`;
}

/** About three significant digits. */
export function compact(value: number | undefined | null): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return NONE;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return scientific(value, 2);
  return number(value, Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(size)))));
}
/** A number of a column whose largest has the size `peak`: three significant digits of that one, so that all have the same. */
export function columnText(value: number | undefined | null, peak: number): string {
  if (peak > 0 && (peak >= 1e6 || peak < 1e-4)) return compact(value);
  return number(value, peak > 0 ? Math.max(0, 2 - Math.floor(Math.log10(peak))) : 0);
}
/** A number beside an axis, which is round already. */
export function tick(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e6 && size >= 1e-4) return String(+value.toPrecision(6)).replace('-', MINUS);
  const whole = +value.toPrecision(6);
  return scientific(whole, Math.min(2, (whole.toExponential().split('e')[0] ?? '').replace(/[-.]/g, '').length - 1));
}

export const withUnit = (text: string, unit: string): string => (unit === '' || text === NONE ? text : text + FIRM + unit.replace(/ /g, FIRM));
export const digitsOf = (value: number, digits: number): string => (digits < 0 ? compact(value) : number(value, digits));

/** What a reading says at a sample, without its label and its unit. */
export function readingValue(data: Data, reading: Reading, sample: number): string {
  const value = data.at(reading.channel, sample);
  if (reading.words.length > 0) return reading.words[value] ?? NONE;
  const text = digitsOf(value, reading.digits);
  if (reading.sd < 0 || text === NONE) return text;
  return `${text}${FIRM}\u00b1${FIRM}${digitsOf(data.at(reading.sd, sample), reading.digits)}`;
}
export function readingText(data: Data, reading: Reading, sample: number): string {
  const value = readingValue(data, reading, sample);
  return `${reading.label} ${reading.words.length > 0 ? value : withUnit(value, reading.unit)}`;
}

/** A name that has room; the whole one belongs into the title. Names of joints differ at their ends: the middle goes. */
export function cut(name: string, most = 24): string {
  if (name.length <= most) return name;
  const head = Math.floor((most - 1) * 0.4);
  return `${name.slice(0, head).trimEnd()}\u2026${name.slice(name.length - (most - 1 - head)).trimStart()}`;
}

/** The names without the words that all of them begin or end with: "left_hip", "left_knee" for "left_hip_joint", "left_knee_joint". */
export function distinct(names: string[]): string[] {
  const words = names.map((name) => name.split('_'));
  const least = Math.min(...words.map((w) => w.length)) - 1;
  const shared = (at: (w: string[], i: number) => string | undefined): number => {
    let count = 0;
    while (count < least && words.every((w) => at(w, count) === at(words[0] as string[], count))) ++count;
    return count;
  };
  if (names.length < 2) return names;
  const head = shared((w, i) => w[i]);
  const tail = Math.min(shared((w, i) => w[w.length - 1 - i]), least - head);
  return words.map((w) => w.slice(head, w.length - tail).join('_'));
}

type Attributes = Record<string, string>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
/** A name, cut where it is long. */
export function named(name: string, most = 24): HTMLSpanElement {
  const short = cut(name, most);
  return short === name ? element('span', { class: 'name' }, name) : element('span', { class: 'name', title: name }, short);
}
export function swatch(variable: string, kind = ''): HTMLSpanElement {
  return element('span', { class: kind ? `swatch ${kind}` : 'swatch', style: `--line:var(${variable})`, 'aria-hidden': 'true' });
}

/** Sets text only when it differs: layout stays untouched otherwise. */
export function setText(target: HTMLElement, text: string): void {
  const node = target.firstChild;
  if (node && node.nodeType === Node.TEXT_NODE && node === target.lastChild) {
    if ((node as Text).data !== text) (node as Text).data = text;
  } else {
    target.textContent = text;
  }
}

export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A colour of the page, so transparent that what is behind it shows. */
export function faded(name: string, alpha: number): string {
  const color = cssColor(name);
  return /^#[0-9a-f]{6}$/i.test(color) ? color + Math.round(255 * alpha).toString(16).padStart(2, '0') : color;
}
