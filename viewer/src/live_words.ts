// How verdicts, moments and states are called on the live page: a word, a sign and a tone, so that no colour stands alone.
import type { Facts, Hello, Moment } from './live_stream';

export interface Standing {
  word: string;
  sign: string;
  tone: 'good' | 'doubtful' | 'bad';
}
const STANDINGS: Record<string, Standing> = {
  ok: { word: 'OK', sign: '\u25cf', tone: 'good' },
  degraded: { word: 'Degraded', sign: '\u25b2', tone: 'doubtful' },
  refused: { word: 'Refused', sign: '\u25a0', tone: 'bad' },
  unobservable: { word: 'Unobservable', sign: '\u25c6', tone: 'bad' },
  invalid_input: { word: 'No usable sample', sign: '\u2715', tone: 'bad' },
};
export const standing = (verdict: string): Standing => STANDINGS[verdict] ?? { word: verdict, sign: '\u25a0', tone: 'bad' };
export const STOP: Standing = { word: 'Stop requested', sign: '\u2b23', tone: 'bad' };
/** What stands above every verdict: the stream itself. Null: nothing. */
export function ofStream(stream: string, heldOff: boolean): (Standing & { because: string }) | null {
  if (stream === 'silent') return { word: 'Silent', sign: '\u25a0', tone: 'bad', because: 'No sample arrives; zero is passed on.' };
  if (stream === 'ended') return { word: 'Ended', sign: '\u25a0', tone: 'bad', because: 'The source has ended; this is its last sample.' };
  if (stream === 'lost') return { word: 'Not known', sign: '\u2715', tone: 'bad', because: 'No connection; this is the last sample received.' };
  if (heldOff) return { word: 'Held off', sign: '\u25b2', tone: 'doubtful', because: 'The stream has just begun or come back; zero is passed on until it has run evenly.' };
  return null;
}

const ACTIONS: Record<string, string> = {
  pass_raw: 'the consumer reads the number as it is',
  posterior: 'the consumer reads the posterior',
  observable: 'the consumer reads only what is observable',
  hold: 'the consumer reads the last good number, held',
  zero: 'the consumer reads zero',
  stop: 'the consumer receives a stop request',
};
export const actionWords = (action: string): string => ACTIONS[action] ?? action;

/** "14:02:05", with a tenth where asked, in the reader's own time. */
export function clock(seconds: number, tenths = false): string {
  const date = new Date(1000 * seconds);
  if (Number.isNaN(date.getTime())) return '\u2013';
  const two = (n: number): string => String(n).padStart(2, '0');
  const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return tenths ? `${text}.${Math.floor(date.getMilliseconds() / 100)}` : text;
}

/** Names of the reasons for an endpoint's state, the worst first; those of the sample where the state names none. */
export function reasonsOf(hello: Hello, moment: Moment, endpoint: number): string[] {
  const ofState = moment.reasons(endpoint, true);
  const bits = ofState.length > 0 ? ofState : moment.reasons(endpoint, false);
  const order = Object.keys(hello.remedies);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return bits.map((bit) => hello.reasons[bit] || `reason ${bit}`).sort((a, b) => rank(a) - rank(b));
}
export const meaning = (hello: Hello, reason: string): string => hello.remedies[reason]?.[0] ?? reason.replace(/_/g, ' ');
export const remedy = (hello: Hello, reason: string): string => hello.remedies[reason]?.[1] ?? '';

/** What the banner says of a stream; empty while it runs. */
export function streamWords(facts: Facts | null, source: string, quiet: number): string {
  switch (facts?.stream) {
    case 'running':
      return '';
    case 'held_off':
      return 'Held off: the stream has just begun or come back. Nothing is passed on until it has run evenly for a moment.';
    case 'silent':
      return `Silent: no sample for ${Math.max(1, Math.round(quiet))}\u00a0s. What you see is the last one.`;
    case 'ended':
      return 'The source has ended. This is its last sample.';
    default:
      return `Waiting for the first sample from ${source}.`;
  }
}
