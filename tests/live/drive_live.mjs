// Drives live pages in a real browser. Prints one JSON object: check -> [ok, note].
//   node drive_live.mjs <playwright's folder> <chromium> <folder for pictures> <name>=<address> …
import { createRequire } from 'node:module';

const [, , packages, executablePath, pictures, ...given] = process.argv;
const urls = Object.fromEntries(given.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
const { chromium } = createRequire(packages + '/')('playwright-core');
const results = {};
const check = (name, ok, note = '') => (results[name] = [Boolean(ok), String(note).slice(0, 300)]);
const WAIT = 300_000; // [ms] for what comes: more than any load of the machine takes
const RATE = 30; // frames a second that are sent at most

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const complaints = [];
async function open(name, options = {}, drawn = true) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT);
  // Five robots drawn by one processor would be a test of the processor.
  if (!drawn) await page.route('**/scene.json*', (route) => route.abort());
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/GPU stall|GL Driver|swiftshader|software WebGL/i.test(m.text()) && (drawn || !/ERR_FAILED/.test(m.text())) && complaints.push(`${name}: ${m.text()}`));
  page.on('pageerror', (e) => complaints.push(`${name}: ${e.message}`));
  page.on('request', (r) => new URL(r.url()).host !== new URL(urls[name]).host && complaints.push(`${name} asks ${r.url()}`));
  await page.goto(urls[name]);
  await page.waitForSelector('html[data-ready]', { timeout: WAIT, state: 'attached' });
  return page;
}
const state = (page) => page.evaluate(() => ({ ...window.antaeusLive }));
const until = (page, what, argument) => page.waitForFunction(what, argument, { timeout: WAIT });
const sideways = (page) => page.evaluate(() => {
  document.querySelectorAll('details').forEach((d) => (d.open = true));
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
});
const seconds = (text) => text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);

{
  const page = await open('h1_2');
  await until(page, () => window.antaeusLive.drawn > 10);
  check('frames_come', true, JSON.stringify(await state(page)));
  await page.evaluate(() => Object.assign(window.antaeusLive, { frames: 0, drawn: 0, bytes: 0 }));
  await until(page, () => window.antaeusLive.drawn >= 60);
  const sent = await page.evaluate(() => ({ frames: window.antaeusLive.frames, drawn: window.antaeusLive.drawn, bytes: window.antaeusLive.bytes }));
  check('frames_are_drawn', sent.drawn <= sent.frames, `came ${sent.frames}, drawn ${sent.drawn}`);
  const kilobytes = ((sent.bytes / sent.frames) * RATE) / 1000;
  check('kilobytes_a_second', kilobytes < 300, kilobytes.toFixed(1));
  const shot = () => page.locator('.robot').screenshot();
  const before = await shot();
  const end = Date.now() + WAIT;
  while (before.equals(await shot()) && Date.now() < end);
  check('the_robot_moves', Date.now() < end);
  check('verdicts_in_words', /OK|Refused/.test(await page.textContent('.endpoint:first-child .verdict')) && /Degraded/.test(await page.textContent('.endpoint:nth-child(2) .verdict')));
  check('reason_in_words', /hardly observable/.test(await page.textContent('.endpoint:nth-child(2) .because')), await page.textContent('.endpoint:nth-child(2) .because'));
  check('consumer_beside_estimate', (await page.locator('.endpoint:first-child .numbers').first().locator('tbody tr').count()) === 3);
  check('what_helps', /pose/.test(await page.textContent('.help')), await page.textContent('.help'));
  check('stream_facts', /1000\sHz/.test(await page.textContent('.rates')) && (await page.textContent('.chip')).includes('live'), await page.textContent('.rates'));
  check('joints_first_that_stand_out', (await page.locator('.joint').first().getAttribute('data-out')) === 'true', await page.locator('.joint').first().textContent());
  await page.click('.more');
  check('all_joints', (await page.locator('.joint').count()) === 27);
  await until(page, () => /wrist/.test(document.querySelector('#spoken').textContent));
  check('spoken_once', (await page.locator('[aria-live]').count()) === 1 && /wrist/.test(await page.textContent('#spoken')), await page.textContent('#spoken'));
  check('one_line_a_plot', (await page.locator('.forces .panel').count()) === 2);

  // An alarm goes to its moment.
  const alarm = page.locator('.events button[data-tone=bad]').first();
  const at = seconds(await alarm.locator('time').textContent());
  await alarm.click();
  const paused = await state(page);
  const date = new Date(1000 * paused.cursor);
  check('alarm_jumps_to_its_moment', paused.paused && Math.abs(date.getHours() * 3600 + date.getMinutes() * 60 + date.getSeconds() + date.getMilliseconds() / 1000 - at) < 0.35, `${at} ${date}`);
  check('verdict_of_that_moment', /Refused/.test(await page.textContent('.endpoint:first-child .verdict')), await page.textContent('.endpoint:first-child .verdict'));
  check('says_that_it_stands', /Stopped at/.test(await page.textContent('.banner')), await page.textContent('.banner'));
  const lines = await page.evaluate(() => [...document.querySelectorAll('.cursor-line')].filter((l) => l.style.opacity === '1').length);
  check('cursor_in_all_plots', lines === 3, lines);
  // Bins of the plots still come: what was on its way has arrived with them.
  const binsAfter = (n) => until(page, (least) => window.antaeusLive.bins > least, n);
  await binsAfter(paused.bins + 2);
  const held = await state(page);
  await binsAfter(held.bins + 2);
  check('no_frames_while_paused', held.cursor === paused.cursor && (await state(page)).cursor === paused.cursor && (await state(page)).frames === held.frames);
  await page.keyboard.press('ArrowLeft');
  check('arrow_keys_move', (await state(page)).cursor < paused.cursor);
  await page.screenshot({ path: `${pictures}/h1_2_alarm.png` });
  await page.keyboard.press('Escape');
  await until(page, () => !window.antaeusLive.paused);
  const drawn = (await state(page)).drawn;
  await until(page, (n) => window.antaeusLive.drawn > n + 3, drawn);
  check('escape_goes_back_to_live', await page.isHidden('#back'));

  await page.keyboard.press('m');
  check('mark_asks', await page.isVisible('dialog.mark'));
  await page.keyboard.type('he let go m');
  await page.keyboard.press('Enter');
  await until(page, () => /he let go m/.test(document.querySelector('.events').textContent));
  check('mark_comes_back_as_event', true);

  const others = [];
  for (let i = 0; i < 4; ++i) others.push(await open('h1_2', { viewport: { width: 600, height: 500 } }, false));
  for (const [i, other] of others.entries()) {
    await other.bringToFront();
    await until(other, () => window.antaeusLive.frames > 5 && window.antaeusLive.bins > 100);
    check(`viewer_${i + 2}`, /shapes did not come/.test(await other.textContent('.robot-column')));
  }
  for (const other of others) await other.context().close();
  check('desktop_fits', (await sideways(page)) <= 0, await sideways(page));
  await page.context().close();
}
for (const name of ['h1_2', 'panda', 'planar_3r', 'hostile']) {
  const page = await open(name, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: name === 'panda' ? 'dark' : 'light' });
  await until(page, () => window.antaeusLive.drawn > 5);
  check(`${name}_phone_fits`, (await sideways(page)) <= 0, await sideways(page));
  const small = await page.evaluate(() => [...document.querySelectorAll('#live button')].filter((b) => b.offsetParent && b.getBoundingClientRect().height < 36).map((b) => b.textContent));
  check(`${name}_phone_buttons`, small.length === 0, small.join());
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, canvas')].filter((e) => !e.closest('[aria-hidden]') && !e.closest('.plot') && !(e.textContent || e.getAttribute('aria-label') || document.querySelector(`label[for="${e.id}"]`))).length);
  check(`${name}_all_named`, unnamed === 0, unnamed);
  await page.screenshot({ path: `${pictures}/${name}_phone.png` });
  await page.context().close();
}
{
  const page = await open('hostile');
  await until(page, () => window.antaeusLive.frames > 5 && document.querySelector('.events button'));
  await page.click('.events button');
  const found = await page.evaluate(() => ({ hacked: window.hacked, made: document.querySelectorAll('#live img, #live script, #live iframe').length, title: document.querySelector('h1').textContent,
    joint: document.querySelector('.joint').title, event: document.querySelector('.events').textContent, label: document.querySelector('.endpoint h3').textContent }));
  check('hostile_names_are_text', found.hacked === undefined && found.made === 0, JSON.stringify(found));
  check('hostile_names_are_shown', found.title.includes('<script>') && found.joint.includes('<script>') && found.event.includes('onerror'), JSON.stringify(found));
  await page.context().close();
}
{
  const page = await open('late');
  await until(page, () => /Waiting for the first sample/.test(document.querySelector('.banner').textContent));
  check('waiting_is_said', /Waiting for the first sample/.test(await page.textContent('.banner')) && (await page.textContent('.chip')).includes('waiting'), await page.textContent('.banner'));
  check('waiting_shows_the_robot', await page.isVisible('.robot canvas'));
  await page.context().close();
}
{
  const page = await open('silent');
  await until(page, () => /Silent/.test(document.querySelector('.verdict').textContent));
  check('silence_stands_above_every_verdict', (await page.locator('.verdict', { hasText: 'Silent' }).count()) === 4, await page.textContent('.endpoints'));
  check('silence_is_said', /no sample for/.test(await page.textContent('.banner')) && (await page.textContent('.chip')).includes('silent'), await page.textContent('.banner'));
  check('zero_is_handed_on', (await page.locator('.numbers tr.read').first().textContent()).includes('0.00.00.00.0'), await page.locator('.numbers tr.read').first().textContent());
  check('four_endpoints_fit', (await sideways(page)) <= 0);
  const cut = await page.evaluate(() => [...document.querySelectorAll('.numbers td, .numbers th')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent));
  check('no_number_reaches_into_another', cut.length === 0, cut.join());
  await page.screenshot({ path: `${pictures}/silent.png` });
  await page.context().close();
}
check('no_complaints', complaints.length === 0, complaints.join(' | '));
await browser.close();
console.log(JSON.stringify(results));
