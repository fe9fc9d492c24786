// Controls of the selectors that no list of bars stands for.
import type { Choice } from './choice';
import type { Data } from './data';
import { element, named } from './format';
import type { Selector } from './payload';

export interface Controls {
  inToolbar: HTMLElement[];
  below: HTMLElement[];
  refresh(): void;
}

function single(selector: Selector, place: number, choice: Choice): HTMLElement {
  const select = element('select', { id: `selector-${selector.id}` });
  selector.options.forEach((name, option) => {
    const made = element('option', { value: String(option) }, name);
    made.selected = choice.has(place, option);
    select.append(made);
  });
  select.addEventListener('change', () => choice.press(place, Number(select.value)));
  return element('label', {}, `${selector.label} `, select);
}

export function selectorControls(data: Data, choice: Choice): Controls {
  const inToolbar: HTMLElement[] = [];
  const below: HTMLElement[] = [];
  const chips: { chip: HTMLElement; place: number; option: number }[] = [];
  data.views.selectors.forEach((selector, place) => {
    if (!selector.multiple) {
      if (selector.options.length > 1) inToolbar.push(single(selector, place, choice));
      return;
    }
    if (data.views.bars.some((bars) => bars.selector === place)) return;
    const row = element('div', { class: 'chips', id: `selector-${selector.id}`, role: 'group', 'aria-label': selector.label });
    row.append(element('span', { class: 'quiet', 'aria-hidden': 'true' }, selector.label));
    selector.options.forEach((name, option) => {
      const chip = element('button', { type: 'button', 'data-option': String(option) }, named(name));
      chip.addEventListener('click', () => choice.press(place, option));
      chips.push({ chip, place, option });
      row.append(chip);
    });
    below.push(row);
  });
  const refresh = (): void => {
    for (const { chip, place, option } of chips) chip.setAttribute('aria-pressed', String(choice.has(place, option)));
  };
  refresh();
  return { inToolbar, below, refresh };
}
