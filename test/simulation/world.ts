import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { FakeDatabase } from './fake-database.js';
import { FakeEventStore } from './fake-event-store.js';
import { FakeReadModels } from './fake-read-models.js';
import { Instance, PARTNER } from './instance.js';
import { Network } from './network.js';
import { SimulatedProcess } from './process.js';
import { Random } from '../support/random.js';
import { Scheduler } from './scheduler.js';

const STREAM = `wallet-${PARTNER.partner_id}`;

/** Both stores, the ways to them, and the instances that run: all of a history but what is done to it. */
export class World {
  readonly random: Random;
  readonly scheduler = new Scheduler();
  readonly eventStoreNetwork: Network;
  readonly databaseNetwork: Network;
  readonly eventStore: FakeEventStore;
  readonly readModels: FakeReadModels;
  readonly database: FakeDatabase;
  readonly instances: (Instance | undefined)[] = [];
  /** What happened, a line each, to be read when an invariant is broken. */
  readonly lines: string[] = [];
  /** What must never happen, whatever breaks. */
  readonly faults: string[] = [];
  private readonly killedListeners = new Map<SimulatedProcess, Set<() => void>>();
  private readonly names = new Map<string, string>();
  private generation = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    const trace = (line: string): void => {
      this.trace(line);
    };
    this.eventStoreNetwork = new Network('the event store', this.scheduler, this.random, trace, (process) => {
      process.trouble();
    });
    this.databaseNetwork = new Network('the database', this.scheduler, this.random, trace);
    this.readModels = new FakeReadModels(this.scheduler, this.random);
    this.eventStore = new FakeEventStore(this.eventStoreNetwork, this.random.chance(0.5), (events) => {
      for (const event of events) this.traceEvent(event);
      this.readModels.follow(events);
    });
    this.database = new FakeDatabase(
      this.databaseNetwork,
      this.readModels,
      () => this.scheduler.now,
      (error) => this.faults.push(String(error)),
    );
  }

  get entries(): StoredEvent[] {
    return this.eventStore.events(STREAM);
  }

  /** A fresh process in the place of one that is gone. */
  start(place: number): void {
    this.generation += 1;
    const process = new SimulatedProcess(`i${place}.${this.generation}`, this.scheduler, this.random.between(-2_000, 2_000));
    this.instances[place] = new Instance(process, this);
    this.trace(`${process.name} starts`);
  }

  /** kill -9: whoever waits for an answer sees its connection break. */
  kill(place: number): void {
    const instance = this.instances[place];
    if (!instance) return;
    this.trace(`${instance.process.name} is killed`);
    this.instances[place] = undefined;
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

  /** Ids are random also where a seed is repeated: they go by the order of their coming. */
  name(id: unknown): string {
    const text = String(id);
    const name = this.names.get(text) ?? `L${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }

  private traceEvent({ revision, type, data }: StoredEvent): void {
    const charges = (data.charges ?? []) as { lookup_id: string }[];
    const ids = [data.lookup_id, ...charges.map(({ lookup_id }) => lookup_id)].filter((id) => id !== undefined).map((id) => this.name(id));
    const more = [data.source, data.reference, data.reason].filter((each) => each !== undefined).map(String);
    this.trace(`log ${revision} ${type} ${[...ids, ...more].join(' ')} = ${String(data.balance_after_kobo)}`);
  }
}

export { STREAM };
