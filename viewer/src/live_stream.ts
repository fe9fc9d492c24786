// What antaeus watch sends: its words as JSON, samples as records (python/antaeus/live/frames.py has their layout).

export interface Hello {
  kind: 'hello';
  title: string;
  robot: string;
  source: string;
  sign: string;
  floating: boolean; // whether the base is free
  motors: { name: string; label: string; unit: string }[]; // unit of its torque
  endpoints: { name: string; label: string }[];
  verdicts: string[];
  actions: string[];
  reasons: string[]; // by bit
  remedies: Record<string, [string, string]>; // what it means, what helps
  streams: string[];
  bin: number; // [s]
  bins: number;
  clock: number; // of the server, seconds since 1970
}
export interface Happened {
  kind: 'event';
  id: number;
  what: string; // "alarm", "refused", …
  at: number; // seconds since 1970
  index: number;
  endpoint: string;
  words: string;
  reasons: string[];
}
export interface Facts {
  kind: 'facts';
  stream: string;
  rate: number | null;
  clock_offset: number | null;
  latency: number | null;
  last_problem: string;
  notes: string[];
  [count: string]: unknown;
}
interface Sign {
  kind: 'sign';
  sign: string;
}
/** What another pose would tell. */
interface Hint {
  kind: 'hint';
  lines: string[];
}
export type Told = Hello | Happened | Facts | Sign | Hint;

const HEADER = 16;
const NOW = 1;
const NUMBERS = 14; // of an endpoint
export const FORCES = 15;

/** Where the numbers of a record stand: floats counted from its first. */
export class Layout {
  readonly base: number;
  readonly forces: number;
  readonly scene: number; // how many the scene reads
  readonly residual: number;
  readonly sd: number;
  readonly numbers: number;
  readonly least: number;
  readonly most: number;
  readonly forceLeast: number;
  readonly forceMost: number;
  readonly floats: number;
  readonly codesAt = 16; // [bytes]
  readonly reasonsAt: number;
  readonly floatsAt: number;
  readonly bytes: number;

  constructor(
    readonly motors: number,
    readonly endpoints: number,
  ) {
    this.base = motors;
    this.forces = motors + 4;
    this.scene = this.forces + FORCES * endpoints;
    this.residual = this.scene;
    this.sd = this.residual + motors;
    this.numbers = this.sd + motors;
    this.least = this.numbers + NUMBERS * endpoints;
    this.most = this.least + motors;
    this.forceLeast = this.most + motors;
    this.forceMost = this.forceLeast + 3 * endpoints;
    this.floats = this.forceMost + 3 * endpoints;
    this.reasonsAt = this.codesAt + 4 * endpoints;
    this.floatsAt = this.reasonsAt + 16 * endpoints;
    this.bytes = this.floatsAt + 4 * this.floats;
  }
}

/** A sample; of a bin the one that was judged worst, with the least and the most of all. */
export class Moment {
  constructor(
    private readonly layout: Layout,
    readonly time: number,
    readonly index: number,
    private readonly codes: Uint8Array,
    private readonly words: Uint32Array,
    readonly floats: Float32Array,
  ) {}

  verdict(endpoint: number): number {
    return this.codes[4 * endpoint] ?? 0;
  }
  state(endpoint: number): number {
    return this.codes[4 * endpoint + 1] ?? 0;
  }
  action(endpoint: number): number {
    return this.codes[4 * endpoint + 2] ?? 0;
  }
  stop(endpoint: number): boolean {
    return ((this.codes[4 * endpoint + 3] ?? 0) & 1) === 1;
  }
  get heldOff(): boolean {
    return ((this.codes[3] ?? 0) & 2) === 2;
  }
  /** Bits that are set: of the sample's own reasons, or of those for the guard's state. */
  reasons(endpoint: number, ofState: boolean): number[] {
    const low = this.words[4 * endpoint + (ofState ? 2 : 0)] ?? 0;
    const high = this.words[4 * endpoint + (ofState ? 3 : 1)] ?? 0;
    const bits: number[] = [];
    for (let bit = 0; bit < 32; ++bit) if ((low >>> bit) & 1) bits.push(bit);
    for (let bit = 0; bit < 32; ++bit) if ((high >>> bit) & 1) bits.push(32 + bit);
    return bits;
  }
  private number(place: number): number {
    return this.floats[place] ?? NaN;
  }
  force(endpoint: number, axis: number): number {
    return this.number(this.layout.forces + FORCES * endpoint + axis);
  }
  consumer(endpoint: number, axis: number): number {
    return this.number(this.layout.forces + FORCES * endpoint + 12 + axis);
  }
  moment(endpoint: number, axis: number): number {
    return this.number(this.layout.numbers + NUMBERS * endpoint + axis);
  }
  /** axis 0 … 5: of force and moment. */
  sd(endpoint: number, axis: number): number {
    return this.number(this.layout.numbers + NUMBERS * endpoint + 3 + axis);
  }
  consumerMoment(endpoint: number, axis: number): number {
    return this.number(this.layout.numbers + NUMBERS * endpoint + 9 + axis);
  }
  nis(endpoint: number): [number, number] {
    const at = this.layout.numbers + NUMBERS * endpoint + 12;
    return [this.number(at), this.number(at + 1)];
  }
  residual(motor: number): number {
    return this.number(this.layout.residual + motor);
  }
  residualSd(motor: number): number {
    return this.number(this.layout.sd + motor);
  }
  least(motor: number): number {
    return this.number(this.layout.least + motor);
  }
  most(motor: number): number {
    return this.number(this.layout.most + motor);
  }
  forceLeast(endpoint: number, axis: number): number {
    return this.number(this.layout.forceLeast + 3 * endpoint + axis);
  }
  forceMost(endpoint: number, axis: number): number {
    return this.number(this.layout.forceMost + 3 * endpoint + axis);
  }
}

/** The last minutes and the sample now. */
export class Recent {
  readonly bins: Moment[] = [];
  now: Moment | null = null;
  private last = -1;

  constructor(
    readonly layout: Layout,
    private readonly most: number,
  ) {}

  /** \return whether bins were added */
  take(buffer: ArrayBuffer): boolean {
    const view = new DataView(buffer);
    const kind = view.getUint8(0);
    const count = view.getUint32(4, true);
    const first = view.getFloat64(8, true);
    const { layout } = this;
    if (buffer.byteLength !== HEADER + count * layout.bytes) throw new Error('a message of another length than this page reads');
    const record = (i: number): Moment => {
      const at = HEADER + i * layout.bytes;
      return new Moment(layout, view.getFloat64(at, true), view.getFloat64(at + 8, true),
        new Uint8Array(buffer, at + layout.codesAt, 4 * layout.endpoints), new Uint32Array(buffer, at + layout.reasonsAt, 4 * layout.endpoints),
        new Float32Array(buffer, at + layout.floatsAt, layout.floats));
    };
    if (kind === NOW) {
      this.now = record(0);
      return false;
    }
    for (let i = 0; i < count; ++i) {
      // What came with the history comes once more where it was on its way.
      if (first + i <= this.last) continue;
      this.bins.push(record(i));
      this.last = first + i;
    }
    if (this.bins.length > this.most) this.bins.splice(0, this.bins.length - this.most);
    return count > 0;
  }

  /** The bin that holds what happened at a time: none ends before it. The last, where none is as late. */
  holding(time: number): Moment | null {
    return this.bins.find((bin) => bin.time > time - 1e-3) ?? this.bins[this.bins.length - 1] ?? null;
  }

  /** The bin nearest to a time. */
  at(time: number): Moment | null {
    let best: Moment | null = null;
    for (const bin of this.bins) if (!best || Math.abs(bin.time - time) < Math.abs(best.time - time)) best = bin;
    return best;
  }
}

export type Link = 'connecting' | 'open' | 'lost';

/** The socket, opened again when it closes. */
export class Connection {
  private socket: WebSocket | null = null;
  private tries = 0;

  constructor(
    private readonly told: (message: Told) => void,
    private readonly samples: (buffer: ArrayBuffer) => void,
    private readonly changed: (link: Link, reason: string) => void,
  ) {
    this.open();
  }

  private open(): void {
    const { protocol, host, search } = window.location;
    const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/socket${search}`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.changed(this.tries === 0 ? 'connecting' : 'lost', '');
    socket.addEventListener('open', () => {
      this.tries = 0;
      this.changed('open', '');
    });
    socket.addEventListener('message', (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === 'string') this.told(JSON.parse(event.data) as Told);
      else this.samples(event.data);
    });
    socket.addEventListener('close', (event) => {
      this.changed('lost', event.reason);
      this.tries += 1;
      window.setTimeout(() => this.open(), Math.min(5000, 500 * this.tries));
    });
  }

  /** \return whether it was sent */
  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
