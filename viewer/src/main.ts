// The page's front end: what is folded opens for links, and the views follow one cursor.
import 'uplot/dist/uPlot.min.css';
import './page.css';
import './viewer.css';
import { Data } from './data';
import { openFolded } from './links';
import { parse } from './payload';
import { Viewer } from './views';

let viewer: Viewer | null = null;
let started = false;

function start(): void {
  if (started) return;
  started = true;
  openFolded();
  const payload = document.getElementById('payload');
  const place = document.getElementById('viewer');
  if (!payload || !place) return;
  const views = parse(payload.textContent ?? '');
  if ((views.runs[0]?.steps ?? 0) === 0) return;
  viewer = new Viewer(new Data(views), place);
  document.documentElement.dataset.ready = 'true';
}

// The page is painted first; it can be read while the views are made.
requestAnimationFrame(() => window.setTimeout(start));
// A printer may come before that.
window.addEventListener('beforeprint', () => {
  start();
  viewer?.print(true);
});
// The window has its own width again in the next frame.
window.addEventListener('afterprint', () => requestAnimationFrame(() => viewer?.print(false)));
