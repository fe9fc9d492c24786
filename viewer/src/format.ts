// Numbers as people read them, and elements made without ever parsing text as HTML.

const MINUS = '\u2212';

export function number(value: number | undefined | null, digits = 1): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return '\u2013';
  const text = value.toFixed(digits);
  return text.startsWith('-') ? (Number(text) === 0 ? text.slice(1) : MINUS + text.slice(1)) : text;
}

/** About three significant digits. */
export function compact(value: number | undefined | null): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return '\u2013';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return number(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
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

