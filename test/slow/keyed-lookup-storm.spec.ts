import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { admin, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { startEventStoreProcess } from '../support/event-store-process.js';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.js';
import { startService, type TestService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { LIMIT_MS } from '../support/timeouts.js';
import { until } from '../support/until.js';

/** `KEYED_STORMS=10 npm run test:slow -- keyed-lookup-storm` runs more outages of each kind. */
const STORMS = Number(process.env.KEYED_STORMS ?? 1);
const WORKERS = 72;
/** The promise to partners (docs/partners/lookups.md). */
const PROMISED_MS = 120_000;
/** A charge of which the lookup did not hear is committed at most this much later. */
const LATE_CHARGE_MS = 15_000;

interface Sent {
  readonly source: string;
  /** Whether the partner sends the lookup again until it has a 200. */
  readonly retried: boolean;
  readonly statuses: number[];
  /** When the first response other than 200 arrived. */
  failedAt: number | undefined;
  respondedAt: number | undefined;
  /** When an open charge of the lookup was last found in the log. */
  lastOpenAt: number;
}

/** Two APIs on an event store and a PostgreSQL of their own, which fails. */
class Outages {
  private constructor(
    private readonly database: OwnPostgres,
    private readonly services: readonly TestService[],
    private readonly bank: TestPartner,
    private readonly log: EventStore,
  ) {}

  /** Starts everything for a test, and ends it afterwards, so that tests can run at once. */
  static async during(test: (outages: Outages) => Promise<void>): Promise<void> {
    const [database, store] = await Promise.all([startOwnPostgres(), startEventStoreProcess()]);
    const log = new EventStore(store.connectionString);
    const services: TestService[] = [];
    try {
      const env = externalStores(store.connectionString, database.url);
      const first = await startService(env);
      services.push(first);
      services.push(await startService({ ...env, ROLES: 'api' }));
      const bank = await makePartner(first, { credit: 10_000_000 });
      await whenServed(() => admin(first, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
      await test(new Outages(database, services, bank, log));
    } finally {
      await log.close();
      await Promise.all(services.map((service) => service.stop()));
      await store.close();
      await database.close();
    }
  }

  async send(sent: Sent): Promise<{ status: number; replayed: boolean }> {
    const service = this.services[Math.floor(Math.random() * this.services.length)];
    if (!service) throw new Error('No service.');
    const body = { rupa_id: 'rp-1', sections: ['identity'], source: sent.source };
    const response = await partnerWith(service, this.bank.partner_id, this.bank.key)
      .call('POST', '/lookup', body, { 'Idempotency-Key': sent.source })
      .catch(() => undefined);
    const status = response?.status ?? 0;
    sent.statuses.push(status);
    if (status === 200) sent.respondedAt ??= Date.now();
    else sent.failedAt ??= Date.now();
    return { status, replayed: response?.headers.get('Idempotent-Replayed') === 'true' };
  }

  /** Sends a lookup until it gets another response than that a store was slow for a moment. */
  async sendUntilServed(sent: Sent): Promise<{ status: number; replayed: boolean; attempts: number }> {
    for (let attempts = 1; ; attempts += 1) {
      const response = await this.send(sent);
      if (response.status !== 0 && response.status !== 503) return { ...response, attempts };
    }
  }

  /** Returns the charges by source, and whether each is open, settled or refunded. */
  async charges(): Promise<Map<string, Map<string, string>>> {
    const found = new Map<string, Map<string, string>>();
    const bySource = new Map<string, Map<string, string>>();
    for (const { type, data } of (await this.log.readStream(`wallet-${this.bank.partner_id}`)) as unknown as WalletEvent[]) {
      if (type === 'WalletDebited') {
        const ofSource = bySource.get(data.source) ?? new Map<string, string>();
        bySource.set(data.source, ofSource.set(data.lookup_id, 'open'));
        found.set(data.lookup_id, ofSource);
      }
      if (type === 'RefundIssued') found.get(data.lookup_id)?.set(data.lookup_id, 'refunded');
      for (const { lookup_id } of type === 'ChargesSettled' ? data.charges : []) found.get(lookup_id)?.set(lookup_id, 'settled');
    }
    return bySource;
  }

  private async outage(kind: 'stopped' | 'killed', ms: number): Promise<void> {
    if (kind === 'stopped') this.database.pause();
    else await this.database.kill();
    await delay(ms);
    if (kind === 'stopped') this.database.resume();
    else await this.database.restart();
  }

  /** Sends lookups during outages. Every second one is sent once only, the others again until they get a 200. */
  async storm(kind: 'stopped' | 'killed'): Promise<Sent[]> {
    const all: Sent[] = [];
    const state = { over: false };
    const worker = async (): Promise<void> => {
      while (!state.over) {
        const sent: Sent = {
          source: `s${all.length}`,
          retried: all.length % 2 === 0,
          statuses: [],
          failedAt: undefined,
          respondedAt: undefined,
          lastOpenAt: 0,
        };
        all.push(sent);
        const { status } = await this.send(sent);
        if (status === 200 || !sent.retried) continue;
        await until(async () => (await this.send(sent)).status === 200);
      }
    };
    const workers = Array.from({ length: WORKERS }, worker);
    for (let storms = 0; storms < STORMS; storms += 1) {
      await until(() => all.length > WORKERS * 2 * (storms + 1));
      await this.outage(kind, STORMS === 1 ? 23_000 : 5_000 + Math.random() * 25_000);
      const resumed = Date.now();
      await until(() => all.some(({ respondedAt }) => respondedAt !== undefined && respondedAt > resumed));
    }
    state.over = true;
    await Promise.all(workers);
    return all;
  }
}

describe('a lookup with a key, while PostgreSQL fails,', () => {
  it.concurrent.each([['stopped'], ['killed']] as const)(
    'gets its stored response at a retry or is refunded within two minutes of a failure: PostgreSQL is %s',
    async (kind) => {
      await Outages.during(async (outages) => {
        const all = await outages.storm(kind);
        const failed = all.filter(({ failedAt }) => failedAt !== undefined);
        expect(failed.length).toBeGreaterThan(WORKERS / 2);
        let quietSince = Date.now();
        await until(async () => {
          const now = Date.now();
          const found = await outages.charges();
          for (const sent of all) {
            if (![...(found.get(sent.source)?.values() ?? [])].includes('open')) continue;
            sent.lastOpenAt = now;
            quietSince = now;
          }
          await delay(500);
          return now - quietSince > LATE_CHARGE_MS;
        });
        const late = failed.filter(({ failedAt = 0, lastOpenAt }) => lastOpenAt - failedAt > PROMISED_MS);
        expect(late).toStrictEqual([]);
        const slow = failed.filter(({ retried, failedAt = 0, respondedAt = Infinity }) => retried && respondedAt - failedAt > PROMISED_MS);
        expect(slow).toStrictEqual([]);
        const before = await outages.charges();
        const outcomes: Record<string, number> = {};
        for (const sent of all) {
          const closed = [...(before.get(sent.source)?.values() ?? [])];
          const settled = closed.filter((outcome) => outcome === 'settled').length;
          const last = sent.statuses.at(-1) ?? 0;
          expect({ ...sent, settled: settled <= 1 && (last !== 200 || settled === 1) }).toStrictEqual({ ...sent, settled: true });
          const again = await outages.sendUntilServed(sent);
          expect({ source: sent.source, ...again }).toMatchObject({ source: sent.source, status: 200 });
          // A lookup that was served only at a later attempt may have been charged at an earlier one.
          if (settled === 1 || again.attempts === 1) expect([sent.source, again.replayed]).toStrictEqual([sent.source, settled === 1]);
          const name = `${last === 200 ? 'responded' : 'failed'}: ${closed.join('+') || 'not charged'}`;
          outcomes[name] = (outcomes[name] ?? 0) + 1;
        }
        process.stdout.write(`${JSON.stringify({ kind, sent: all.length, failed: failed.length, outcomes })}\n`);
        const after = await outages.charges();
        const billed = all.filter(
          ({ source }) => [...(after.get(source)?.values() ?? [])].filter((outcome) => outcome !== 'refunded').length !== 1,
        );
        expect(billed).toStrictEqual([]);
      });
    },
    LIMIT_MS + STORMS * 60_000,
  );
});
