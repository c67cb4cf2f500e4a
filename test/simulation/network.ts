import { type Random } from '../support/random.js';
import { type Scheduler } from './scheduler.js';
import { type SimulatedProcess } from './process.js';

/** Thrown if a connection broke before the response, so that the outcome of the request is unknown. */
export class ConnectionBroken extends Error {
  override name = 'ConnectionBroken';
}

/** Thrown by the work of a call that the server never responds to. */
export class NoResponse extends Error {
  override name = 'NoResponse';
}

/** The outcome of one call: the request or the response may be lost or delayed. */
type CallOutcome = 'ok' | 'request lost' | 'response lost' | 'no response' | 'response delayed' | 'request delayed';

const CALM: Readonly<Record<CallOutcome, number>> = {
  ok: 1,
  'request lost': 0,
  'response lost': 0,
  'no response': 0,
  'response delayed': 0,
  'request delayed': 0,
};
const STORM: Readonly<Record<CallOutcome, number>> = {
  ok: 10,
  'request lost': 1,
  'response lost': 1.5,
  'no response': 1,
  'response delayed': 1,
  'request delayed': 1,
};

/** The network between the processes and one server: the event store or the database. */
export class Network {
  /** While the network is down, every call fails. */
  down = false;
  stormy = false;
  /** While the server hangs, requests wait for it to go on. */
  private hangs = false;
  private readonly held: (() => void)[] = [];
  /** Requests that have not reached the server. */
  private onTheirWay = 0;
  /** Names of the processes that cannot reach the server. */
  readonly partitioned = new Set<string>();

  constructor(
    readonly name: string,
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    private readonly trace: (line: string) => void,
    /** Called whenever a call is delayed or fails. */
    private readonly onHindered: (process: SimulatedProcess) => void = () => undefined,
    /** Milliseconds after which the client ends a connection on which a call gets no response. Default: the client has timers of its own. */
    private readonly responseLimitMs = Infinity,
  ) {}

  /** Whether no request is on its way to the server. */
  get isIdle(): boolean {
    return this.onTheirWay === 0;
  }

  hang(): void {
    this.hangs = true;
  }

  /** Ends a hang. The server then carries out every request that has waited. */
  goOn(): void {
    this.hangs = false;
    for (const run of this.held.splice(0)) run();
  }

  /** Runs `work` at the server, as one step. An error that it throws is the response. */
  async call<T>(from: SimulatedProcess, what: string, work: () => T): Promise<T> {
    const outcome = this.random.weighted(this.stormy ? STORM : CALM);
    if (outcome !== 'ok') this.recordHindrance(from, `${from.name} ${what}: ${outcome}`);
    return await new Promise<T>((resolve, reject) => {
      const respond = (ms: number, run: () => void): void => {
        this.scheduler.after(ms, () => {
          from.deliver('message', run);
        });
      };
      const broken = (): void => {
        reject(new ConnectionBroken(`${this.name}: ${what}`));
      };
      this.onTheirWay += 1;
      // Every other outcome ends sooner.
      if (this.responseLimitMs < Infinity && (outcome === 'no response' || outcome === 'request delayed'))
        this.scheduler.after(this.responseLimitMs, () => {
          from.deliver('timer', broken);
        });
      this.scheduler.after(outcome === 'request delayed' ? this.random.between(500, 85_000) : this.random.between(1, 12), () => {
        this.onTheirWay -= 1;
        if (outcome === 'request lost' || this.down || this.partitioned.has(from.name)) {
          this.onHindered(from);
          respond(this.random.between(1, 12), broken);
          return;
        }
        const carryOut = (): void => {
          const settle = this.whenReachable(from, this.attempt(work, resolve, reject), broken);
          if (outcome === 'response lost') respond(this.random.between(1, 2_000), broken);
          else if (outcome !== 'no response')
            respond(outcome === 'response delayed' ? this.random.between(200, 15_000) : this.random.between(1, 12), settle);
        };
        if (this.hangs) {
          this.recordHindrance(from, `${from.name} ${what}: the server hangs`);
          this.held.push(carryOut);
        } else carryOut();
      });
    });
  }

  /** Notes that a call of the process fails or is delayed. */
  recordHindrance(from: SimulatedProcess, line: string): void {
    this.onHindered(from);
    this.trace(line);
  }

  /** Delivers a response only if the process can reach the server at that time. */
  private whenReachable(from: SimulatedProcess, settle: () => void, broken: () => void): () => void {
    return () => {
      if (!this.down && !this.partitioned.has(from.name)) {
        settle();
        return;
      }
      this.onHindered(from);
      broken();
    };
  }

  private attempt<T>(work: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): () => void {
    try {
      const value = work();
      return () => {
        resolve(value);
      };
    } catch (error) {
      return () => {
        if (!(error instanceof NoResponse)) reject(error);
      };
    }
  }
}
