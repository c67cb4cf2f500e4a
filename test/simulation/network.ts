import { type Random } from '../support/random.js';
import { type Scheduler } from './scheduler.js';
import { type SimulatedProcess } from './process.js';

/** The server never said what became of a request, or nobody can tell any more. */
export class ConnectionBroken extends Error {
  override name = 'ConnectionBroken';
}

/** What becomes of one request: it is lost on the way, or its answer is, or one of them takes its time. */
type Fate = 'well' | 'lost' | 'unanswered' | 'never answered' | 'slow' | 'late';

const CALM: Readonly<Record<Fate, number>> = { well: 1, lost: 0, unanswered: 0, 'never answered': 0, slow: 0, late: 0 };
const STORM: Readonly<Record<Fate, number>> = { well: 10, lost: 1, unanswered: 1.5, 'never answered': 1, slow: 1, late: 1 };

/** The way to one server: the event store or the database. */
export class Network {
  /** While it is down every call breaks. */
  down = false;
  stormy = false;
  /** Names of processes that do not reach it. */
  readonly cutOff = new Set<string>();

  constructor(
    readonly name: string,
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    private readonly trace: (line: string) => void,
    /** Told whenever a process does not get through at once. */
    private readonly hindered: (process: SimulatedProcess) => void = () => undefined,
  ) {}

  /** Runs `work` at the server, as one step. What it throws is an answer, too. */
  async call<T>(from: SimulatedProcess, what: string, work: () => T): Promise<T> {
    const fate = this.random.weighted(this.stormy ? STORM : CALM);
    if (fate !== 'well') this.troubled(from, `${from.name} ${what}: ${fate}`);
    return await new Promise<T>((resolve, reject) => {
      const answer = (ms: number, run: () => void): void => {
        this.scheduler.after(ms, () => {
          from.deliver('message', run);
        });
      };
      const broken = (): void => {
        reject(new ConnectionBroken(`${this.name}: ${what}`));
      };
      this.scheduler.after(fate === 'late' ? this.random.between(500, 85_000) : this.random.between(1, 12), () => {
        if (fate === 'lost' || this.down || this.cutOff.has(from.name)) {
          this.hindered(from);
          answer(this.random.between(1, 12), broken);
          return;
        }
        const settle = this.reachable(from, this.attempt(work, resolve, reject), broken);
        if (fate === 'unanswered') answer(this.random.between(1, 2_000), broken);
        else if (fate !== 'never answered') answer(fate === 'slow' ? this.random.between(200, 15_000) : this.random.between(1, 12), settle);
      });
    });
  }

  private troubled(from: SimulatedProcess, line: string): void {
    this.hindered(from);
    this.trace(line);
  }

  /** An answer does not get through either where a request would not. */
  private reachable(from: SimulatedProcess, settle: () => void, broken: () => void): () => void {
    return () => {
      if (!this.down && !this.cutOff.has(from.name)) {
        settle();
        return;
      }
      this.hindered(from);
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
        reject(error);
      };
    }
  }
}
