import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { admin, makePartner, partnerWith, whenServed } from '../support/client.js';
import { type FaultyDatabase, startFaultyDatabase } from '../support/database-faults.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { brokenInvariants } from '../support/ledger-invariants.js';
import { Load, type Target } from '../support/load.js';
import { Random } from '../support/random.js';
import { codecWithoutKeys } from '../support/service-log.js';
import { startService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

/** `DATABASE_FAULTS=50 npm run test:slow -- database-faults` adds more faults; DATABASE_FAULT_SEED repeats the sequence of a run. */
const MORE_FAULTS = Number(process.env.DATABASE_FAULTS ?? 0);
const SEED = Number(process.env.DATABASE_FAULT_SEED ?? Math.floor(Math.random() * 1_000_000));
const WORKERS = 8;
/** Responses for which a fault lasts. A frozen database delays each by 10 to 20 s. */
const RESPONSES_A_FAULT = WORKERS * 4;
/** The faults during which no lookup can get a 200, with the reason that /health/ready gives. */
const NOT_READY: Readonly<Record<string, string>> = {
  'it has no connection left': 'The database has no connection left.',
  'it is read-only': 'The database is read-only.',
  'it refuses the user': 'The database refuses the user or password in DATABASE_URL.',
  'it is frozen': 'The database does not answer.',
  'it is killed': 'The database does not answer.',
};

interface Answer {
  readonly fault: string;
  readonly status: number;
  readonly retryAfter: string | null;
}

describe('while PostgreSQL fails in one way after another under load,', () => {
  let database: FaultyDatabase;
  let store: EventStoreProcess;
  let log: EventStore;
  let targets: Target[];
  let load: Load | undefined;

  beforeEach(async () => {
    [database, store] = await Promise.all([startFaultyDatabase(), startEventStoreProcess()]);
    const env = externalStores(store.connectionString, database.url);
    const first = await startService(env);
    const second = await startService({ ...env, ROLES: 'api' });
    targets = [first, second].map((service) => ({ service, up: true, generation: 1 }));
    log = new EventStore(store.connectionString);
  });
  afterEach(async () => {
    const stopped = load?.stop();
    await log.close();
    await Promise.all(targets.map(({ service }) => service.stop()));
    await store.close();
    await database.close();
    await stopped;
  });

  const health = async ({ service }: Target): Promise<{ status: number; message: string }> => {
    const response = await fetch(`${service.url}/health/ready`);
    return { status: response.status, message: ((await response.json()) as { message?: string }).message ?? '' };
  };
  const firstTarget = (): Target => {
    const [first] = targets;
    if (!first) throw new Error('No service.');
    return first;
  };

  it('every error is a 503 with Retry-After, each process recovers by itself, and every lookup ends as promised', async () => {
    const { service } = firstTarget();
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    const { partner_id, key } = await makePartner(service, { credit: 10_000_000 });
    const random = new Random(SEED);
    const answers: Answer[] = [];
    let fault = 'none';
    const ignore = (): void => undefined;
    load = new Load({ partner_id, key }, targets, random, ignore, (status, headers) => {
      answers.push({ fault, status, retryAfter: headers.get('Retry-After') });
    });
    load.start(WORKERS);
    const names = Object.keys(database.faults);
    const once = names.map((name) => ({ name, at: random.next() })).sort((a, b) => a.at - b.at);
    for (const name of [...once.map((each) => each.name), ...Array.from({ length: MORE_FAULTS }, () => random.pick(names))]) {
      fault = name;
      const before = answers.length;
      await database.faults[name]?.begin();
      await until(() => answers.length - before >= RESPONSES_A_FAULT);
      const expected = NOT_READY[name];
      for (const target of expected === undefined ? [] : targets)
        await until(async () => {
          const { status, message } = await health(target);
          return status === 503 && message.includes(expected ?? '');
        });
      await database.faults[name]?.end();
      for (const target of targets) {
        const lookUp = () => partnerWith(target.service, partner_id, key).lookup('rp-1', { sections: ['identity'], source: 'between' });
        await until(async () => (await lookUp()).status === 200 && (await health(target)).status === 200);
      }
    }
    await load.stop();
    await load.fetchAll();
    const verification = () => whenServed(() => admin(service, 'GET', `/partners/${partner_id}/wallet/verification`));
    await until(async () => (await verification()).body.data.open_charges === 0);
    const wrong = answers.filter(({ status, retryAfter }) => status >= 500 && (status !== 503 || !(Number(retryAfter) > 0)));
    expect({ SEED, wrong }).toStrictEqual({ SEED, wrong: [] });
    const withErrors = new Set(answers.flatMap(({ status, ...each }) => (status === 503 ? [each.fault] : [])));
    expect([...withErrors]).toEqual(expect.arrayContaining(Object.keys(NOT_READY)));
    const stream = `wallet-${partner_id}`;
    const codec = codecWithoutKeys();
    const entries = (await log.readStream(stream)).map((event) => codec.inFull(event));
    const seen = { lookups: load.seenLookups(), credits: load.seenCredits() };
    const broken = brokenInvariants({ stream, entries }, seen, new Date().toISOString());
    expect({ SEED, broken }).toStrictEqual({ SEED, broken: [] });
    expect((await verification()).body.data).toMatchObject({ ok: true });
    // An outage is logged once for each reason, not with every request.
    const logged = service.output().split('requests get 503 because a store is unavailable').length - 1;
    expect(logged).toBeGreaterThan(0);
    expect(logged).toBeLessThanOrEqual(2 * (names.length + MORE_FAULTS));
  });
});
