import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { responseLimitMs } from '../../src/platform/database/session-settings.js';
import { FakeDatabase } from './fake-database.js';
import { FakeEventStore } from './fake-event-store.js';
import { FakeReadModels } from './fake-read-models.js';
import { codec, Instance, PARTNER } from './instance.js';
import { Network } from './network.js';
import { SimulatedProcess } from './process.js';
import { Random } from '../support/random.js';
import { Scheduler } from './scheduler.js';

/** Interval at which processes notice that they lost or regained the session of their presence. */
const PROBE_SESSIONS_MS = 500;

const STREAM = `wallet-${PARTNER.partner_id}`;

/** The simulated system: both stores, the networks to them, and the running instances. */
export class World {
  readonly random: Random;
  readonly scheduler = new Scheduler();
  readonly eventStoreNetwork: Network;
  readonly databaseNetwork: Network;
  readonly eventStore: FakeEventStore;
  readonly readModels: FakeReadModels;
  readonly database: FakeDatabase;
  readonly instances: (Instance | undefined)[] = [];
  /** A trace with one line per step, printed if an invariant is broken. */
  readonly lines: string[] = [];
  /** Errors that must not happen in any history. */
  readonly faults: string[] = [];
  /** Whether the database's clock was wrong at some time. */
  hasWrongDatabaseClock = false;
  /** Milliseconds by which the database's clock is ahead of the true time. */
  databaseClockMs = 0;
  private readonly killedListeners = new Map<SimulatedProcess, Set<() => void>>();
  private readonly names = new Map<string, string>();
  private generation = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    const trace = (line: string): void => {
      this.trace(line);
    };
    this.eventStoreNetwork = new Network('the event store', this.scheduler, this.random, trace, (process) => {
      process.recordFailedCall();
    });
    const limitMs = responseLimitMs({ statements: 'request' });
    this.databaseNetwork = new Network('the database', this.scheduler, this.random, trace, undefined, limitMs);
    this.readModels = new FakeReadModels(this.scheduler, this.random);
    this.eventStore = new FakeEventStore(
      this.eventStoreNetwork,
      this.scheduler,
      this.random,
      this.random.pick([2, 100]),
      this.random.chance(0.5),
      (stored) => {
        const events = stored.map((event) => codec.inFull(event));
        for (const event of events) this.traceEvent(event);
        this.readModels.follow(events);
      },
    );
    this.probeSessions();
    this.database = new FakeDatabase(
      this.databaseNetwork,
      this.readModels,
      () => this.scheduler.time + this.databaseClockMs,
      (instance) => this.running.some(({ process }) => process.instance === instance && process.present),
      (error) => this.faults.push(String(error)),
    );
  }

  get entries(): StoredEvent[] {
    return this.eventStore.events(STREAM).map((event) => codec.inFull(event));
  }

  /** Every event of the log, oldest first. */
  get log(): StoredEvent[] {
    return this.eventStore.log().map((event) => codec.inFull(event));
  }

  /** Starts a new process in a slot, which may have held a killed one. */
  start(slot: number): void {
    this.generation += 1;
    const process = new SimulatedProcess(`i${slot}.${this.generation}`, this.generation, this.scheduler, {
      skewMs: this.random.between(-1, 1) * this.random.pick([0, 2_000, 2_000, 90_000]),
      drift: this.random.between(-1, 1) * 0.01,
    });
    this.instances[slot] = new Instance(process, this);
    this.trace(`${process.name} starts`);
  }

  /** Kills a process as kill -9 does. Clients that wait for a response see their connection break. */
  kill(slot: number): void {
    const instance = this.instances[slot];
    if (!instance) return;
    this.trace(`${instance.process.name} is killed`);
    this.instances[slot] = undefined;
    instance.process.kill();
    for (const listener of this.killedListeners.get(instance.process) ?? []) listener();
  }

  onKilled(process: SimulatedProcess, listener: () => void): void {
    const listeners = this.killedListeners.get(process) ?? new Set();
    this.killedListeners.set(process, listeners.add(listener));
  }

  get running(): Instance[] {
    return this.instances.filter((instance): instance is Instance => instance !== undefined);
  }

  trace(line: string): void {
    this.lines.push(`${String(Math.round(this.scheduler.now)).padStart(7)} ${line}`);
  }

  /** Returns a short name for an id, numbered by first use. Ids are random even if a seed is repeated, so they would make traces differ. */
  name(id: unknown): string {
    const text = String(id);
    const name = this.names.get(text) ?? `L${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }

  private probeSessions(): void {
    const { down, partitioned } = this.databaseNetwork;
    for (const { process } of this.running) process.probeSession(!down && !partitioned.has(process.name));
    this.scheduler.after(PROBE_SESSIONS_MS, () => {
      this.probeSessions();
    });
  }

  private traceEvent({ revision, type, data }: StoredEvent): void {
    const charges = (data.charges ?? []) as { lookup_id: string }[];
    const ids = [data.lookup_id, ...charges.map(({ lookup_id }) => lookup_id)].filter((id) => id !== undefined).map((id) => this.name(id));
    const details = [data.source, data.reference, data.reason, data.date, data.period].filter((each) => each !== undefined).map(String);
    this.trace(`log ${revision} ${type} ${[...ids, ...details].join(' ')} = ${String(data.balance_after_kobo)}`);
  }
}

export { STREAM };
