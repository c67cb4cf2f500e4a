import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type ClientBase } from 'pg';
import { Random } from '../support/random.js';
import { DirectoryLease, LEASE_MS } from '../../src/platform/projecting/in-memory/directory-lease.js';

const HISTORIES = 200;
const STEPS = 250;
const INSTANCES = 3;
/** As in directory-changes.ts. */
const UNCONFIRMED_MS = LEASE_MS + 250;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly reply: (result: object) => void;
  result: object | undefined;
}

/** The tables that leases and changes share, with the version of the directory as its only content. */
class Database {
  version = 1;
  readonly confirmed = new Map<unknown, number>();

  execute({ text, values: [id, version] }: Statement): object {
    if (text.startsWith('select')) return { rows: [{ version: this.version, confirmed: this.confirmed.get(id) ?? null }] };
    this.confirmed.set(id, Number(version));
    return { rows: [] };
  }
}

/** An instance whose connection executes statements and delivers their replies as late as the history wants. */
class Instance {
  readonly lease = new DirectoryLease();
  readonly statements: Statement[] = [];
  /** The version of the directory that the cache holds. */
  cached: number | undefined;
  private readonly client = {
    query: (text: string, values: readonly unknown[]) =>
      new Promise<object>((reply) => this.statements.push({ text, values, reply, result: undefined })),
  } as unknown as ClientBase;

  ask(): void {
    void this.lease.renew(this.client, true, () => {
      this.cached = undefined;
    });
  }

  lookUp(database: Database): void {
    if (this.lease.valid) this.cached ??= database.version;
  }
}

interface Change {
  readonly version: number;
  readonly since: number;
}

/** A clock that starts at a whole number of milliseconds: the real one has fractions, with which a sum is not always exact. */
function clockAtZero(): { now: number } {
  const clock = { now: 0 };
  jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
  return clock;
}

/** Runs a random history of questions, late replies, lookups and changes. Returns how often an instance used the state before a change. */
async function staleUses(seed: number): Promise<{ stale: number; used: number; completed: number }> {
  const random = new Random(seed);
  const database = new Database();
  const clock = clockAtZero();
  const instances = Array.from({ length: INSTANCES }, () => new Instance());
  let changes: Change[] = [];
  const counts = { stale: 0, used: 0, completed: 0 };
  let inForce = 1;
  const complete = ({ version, since }: Change): boolean => {
    const late = [...database.confirmed].filter(([, confirmed]) => confirmed < version);
    if (late.length > 0 && clock.now - since < UNCONFIRMED_MS) return false;
    for (const [id] of late) database.confirmed.delete(id);
    inForce = Math.max(inForce, version);
    counts.completed += 1;
    return true;
  };
  for (let step = 0; step < STEPS; step += 1) {
    const instance = random.pick(instances);
    const [first] = instance.statements;
    const waiting = instance.statements.find(({ result }) => result === undefined);
    if (random.chance(0.3)) clock.now += random.between(0, 400);
    if (random.chance(0.3)) instance.ask();
    if (waiting && random.chance(0.6)) waiting.result = database.execute(waiting);
    if (first?.result && random.chance(0.6)) {
      instance.statements.shift();
      first.reply(first.result);
      await new Promise(setImmediate);
    }
    if (random.chance(0.08)) {
      database.version += 1;
      changes.push({ version: database.version, since: clock.now });
    }
    if (random.chance(0.5)) changes = changes.filter((change) => !complete(change));
    if (random.chance(0.02)) instance.lease.end();
    for (const each of instances) {
      each.lookUp(database);
      if (!each.lease.valid || each.cached === undefined) continue;
      counts.used += 1;
      if (each.cached < inForce) counts.stale += 1;
    }
  }
  return counts;
}

describe('the leases of instances', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('never let an instance use its cache as it was before a change that has completed', async () => {
    const total = { stale: 0, used: 0, completed: 0 };
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const { stale, used, completed } = await staleUses(seed);
      expect([seed, stale]).toStrictEqual([seed, 0]);
      total.used += used;
      total.completed += completed;
    }
    expect(total.used).toBeGreaterThan(HISTORIES);
    expect(total.completed).toBeGreaterThan(HISTORIES);
  });

  it('end when nobody renews them', async () => {
    const clock = clockAtZero();
    const lease = new DirectoryLease();
    const client = { query: () => Promise.resolve({ rows: [{ version: 1, confirmed: 1 }] }) } as unknown as ClientBase;
    await lease.renew(client, true, () => undefined);
    clock.now += LEASE_MS - 1;
    expect([lease.valid, lease.lapsedMs]).toStrictEqual([true, 0]);
    clock.now += 11;
    expect([lease.valid, lease.lapsedMs]).toStrictEqual([false, 10]);
  });
});
