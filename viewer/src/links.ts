// Links within the page: to a step, and to what is folded.

/** The text after "#step="; null for another hash. */
function stepOf(hash: string): string | null {
  if (!hash.startsWith('#step=')) return null;
  try {
    return decodeURIComponent(hash.slice('#step='.length));
  } catch {
    return '';
  }
}

/** Links to a step call `go`, at load too. */
export function followSteps(go: (step: string) => void): void {
  const follow = (): void => {
    const step = stepOf(window.location.hash);
    if (step !== null) go(step);
  };
  window.addEventListener('hashchange', follow);
  // A second press on the same link changes no hash.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-step]') : null;
    if (link?.dataset.step !== undefined && !event.ctrlKey && !event.metaKey && !event.shiftKey) go(link.dataset.step);
  });
  follow();
}

/** Opens what is folded around an element, and the element itself. */
function unfold(target: Element): void {
  let opened = false;
  for (let at: Element | null = target; at; at = at.parentElement) {
    if (!(at instanceof HTMLDetailsElement) || at.open) continue;
    at.open = true;
    opened = true;
  }
  // A section whose content is folded as a whole is opened when it is asked for.
  const only = target.querySelector(':scope > details.section');
  if (only instanceof HTMLDetailsElement && !only.open) only.open = opened = true;
  if (opened) target.scrollIntoView();
}

/** A link into folded content opens it before it scrolls. */
export function openFolded(): void {
  const target = (hash: string): Element | null => {
    try {
      return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    } catch {
      return null;
    }
  };
  const follow = (hash: string): void => {
    const found = target(hash);
    if (found) unfold(found);
  };
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link) follow(link.getAttribute('href') ?? '');
  });
  window.addEventListener('hashchange', () => follow(window.location.hash));
  follow(window.location.hash);
}

/** Puts the page's address with a step into the clipboard; false where the browser does not allow it. */
export async function copyLink(address: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(address);
    return true;
  } catch {
    return false;
  }
}
export const addressOf = (step: number): string => `${window.location.href.split('#')[0] ?? ''}#step=${step}`;
