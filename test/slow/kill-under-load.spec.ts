import { afterEach, describe, expect, it } from '@jest/globals';
import { findRunning } from '../../embedded/data-folder.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { admin, makePartner, whenServed } from '../support/client.js';
import { createTestDatabase, testPool } from '../support/database.js';
import { startEventStoreProcess } from '../support/event-store-process.js';
import { brokenInvariants, type SeenLookup } from '../support/ledger-invariants.js';
import { Load, type Target } from '../support/load.js';
import { Random } from '../support/random.js';
import { startService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { startSweeper } from '../support/sweeper.js';
import { until } from '../support/until.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

/**
 * Kills for each kind of service. `KILLS=50 npm run test:slow -- kill-under-load` runs more; KILL_SEED repeats the random numbers of a run.
 */
const KILLS = Number(process.env.KILLS ?? 8);
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 1_000_000));
const PARTNERS = 2;
/** Farmers who are looked up in lists, and the first of them alone. */
const LISTED = ['rp-1', 'rp-2', 'rp-3', 'rp-4', 'rp-5'];
const WORKERS_A_PARTNER = 6;
/** Charges of a wallet whose settlement waits at a time (docs/adr/0025), and which a kill therefore refunds, besides those under way. */
const WAITING_SETTLEMENTS = 64;
const MAX_RESPONSES_BEFORE_A_KILL = 150;

interface World {
  readonly targets: readonly Target[];
  stores(): Promise<{ eventStoreUrl: string; databaseUrl: string }>;
}

describe('the service, killed at random moments under load,', () => {
  const cleanUp: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const each of cleanUp.splice(0).reverse()) await each();
  });

  async function start(env: Record<string, string> = {}): Promise<Target> {
    const service = await startService(env);
    cleanUp.push(() => service.stop());
    return { service, up: true, generation: 1 };
  }

  /** Starts one process with embedded stores, so that a kill loses everything that was not on disk. */
  async function embedded(): Promise<World> {
    const target = await start();
    const stores = async () => {
      const { eventStoreUrl = '', databaseUrl = '' } = (await findRunning(target.service.dataDir)) ?? {};
      return { eventStoreUrl, databaseUrl };
    };
    return { targets: [target], stores };
  }

  /** Starts two processes on the same wallets; one continues while the other is down. */
  async function given(): Promise<World> {
    const [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
    cleanUp.push(
      () => database.drop(),
      () => store.close(),
    );
    const urls = { eventStoreUrl: store.connectionString, databaseUrl: database.url };
    const secrets = {
      ...SECRETS,
    };
    const env = { EVENT_STORE_URL: urls.eventStoreUrl, DATABASE_URL: urls.databaseUrl, ...secrets };
    return { targets: [await start(env), await start(env)], stores: () => Promise.resolve(urls) };
  }

  /** Kills a process whenever a random number of lookups have got responses since the last kill, and starts it again. */
  async function killAtRandomMoments(
    loads: readonly Load[],
    random: Random,
    onResponse: { next?: (target: Target) => void },
  ): Promise<void> {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const left = { responses: random.between(1, MAX_RESPONSES_BEFORE_A_KILL) };
      const target = await new Promise<Target>((resolve) => {
        onResponse.next = (by) => {
          left.responses -= 1;
          if (left.responses <= 0) resolve(by);
        };
      });
      target.up = false;
      await target.service.kill();
      await target.service.restart();
      target.generation += 1;
      target.up = true;
      for (const load of loads) load.targetIsUp();
    }
  }

  async function closeOpenCharges(world: World, partnerIds: readonly string[]): Promise<ReadonlyMap<string, StoredEvent[]>> {
    const { eventStoreUrl, databaseUrl } = await world.stores();
    const eventStore = new EventStore(eventStoreUrl);
    const pool = testPool(databaseUrl, 2);
    try {
      const codec = new Codec(eventCatalogue, {} as DataKeys);
      const wallets = new StreamWriter(eventStore, codec, WALLET_STREAMS);
      const sweeper = startSweeper(wallets, pool);
      await until(async () => {
        await sweeper.sweepStale();
        const open = await Promise.all(partnerIds.map(async (id) => (await wallets.load(id)).state.open.size));
        return open.every((size) => size === 0);
      });
      const entriesOf = async (id: string) => (await eventStore.readStream(`wallet-${id}`)).map((event) => codec.inFull(event));
      return new Map(await Promise.all(partnerIds.map(async (id) => [id, await entriesOf(id)] as const)));
    } finally {
      await eventStore.close();
      await pool.end();
    }
  }

  it.each([
    ['with embedded stores', embedded],
    ['with two processes on external stores', given],
  ])('%s keeps a log that agrees with what clients saw', async (_name, make) => {
    const world = await make();
    const [first] = world.targets;
    if (!first) throw new Error('No service.');
    const farmer = { identity: { first_name: 'Aisha' } };
    for (const rupa_id of LISTED) await whenServed(() => admin(first.service, 'PUT', `/farmers/${rupa_id}`, farmer));
    const random = new Random(SEED);
    const onResponse: { next?: (target: Target) => void } = {};
    const loads: Load[] = [];
    for (let number = 0; number < PARTNERS; number += 1) {
      loads.push(
        new Load(
          await makePartner(first.service, { credit: 10_000_000 }),
          world.targets,
          random,
          (target) => onResponse.next?.(target),
          undefined,
          LISTED,
        ),
      );
    }
    for (const load of loads) load.start(WORKERS_A_PARTNER);
    await killAtRandomMoments(loads, random, onResponse);
    await Promise.all(loads.map((load) => load.stop()));
    await Promise.all(loads.map((load) => load.fetchAll()));
    const logs = await closeOpenCharges(
      world,
      loads.map(({ partner }) => partner.partner_id),
    );
    for (const load of loads) {
      const { partner_id } = load.partner;
      const ledger = { stream: `wallet-${partner_id}`, entries: logs.get(partner_id) ?? [] };
      const seen = { lookups: load.seenLookups(), credits: load.seenCredits() };
      expect({ SEED, broken: brokenInvariants(ledger, seen, new Date().toISOString()) }).toStrictEqual({ SEED, broken: [] });
      expect(refundedDespiteResponse(seen.lookups, ledger.entries)).toBeLessThanOrEqual(
        KILLS * LISTED.length * (WAITING_SETTLEMENTS + 2 * WORKERS_A_PARTNER),
      );
      const verified = await whenServed(() => admin(first.service, 'GET', `/partners/${partner_id}/wallet/verification`));
      expect(verified.body.data).toMatchObject({ ok: true, open_charges: 0 });
    }
  });
});

/** Counts the lookups without a key that got a response just before a kill, and were refunded because the sweep did not know of it. */
function refundedDespiteResponse(lookups: readonly SeenLookup[], entries: readonly StoredEvent[]): number {
  const refunded = new Set(entries.flatMap(({ type, data }) => (type === 'RefundIssued' ? [data.lookup_id] : [])));
  const sources = new Set(
    entries.flatMap(({ type, data }) => (type === 'WalletDebited' && refunded.has(data.lookup_id) ? [data.source] : [])),
  );
  return lookups.filter(({ source, keyed, statuses }) => !keyed && statuses.includes(200) && sources.has(source)).length;
}
