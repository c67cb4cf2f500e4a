import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { admin, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than the interval of the sweep. */
const LOAD_MS = 15 * SECOND_MS;
/** Responses that the instances give while the clocks are set one way. */
const RESPONSES = 50;
/** Almost the most that a clock may be wrong while its process appends. */
const TOLERATED_MS = 9 * SECOND_MS;
/** Longer than a charge must have been open before another instance closes it. */
const PAUSE_MS = 75 * SECOND_MS;

interface Skewed {
  readonly service: TestService;
  /** Sets the process's clock this far ahead of the true time; a negative number sets it back. */
  setClock(this: void, ms: number): void;
}

describe('instances whose clocks are wrong', () => {
  let folder: string;
  let stores: SharedStores;
  let log: EventStore;
  let instances: readonly Skewed[];
  let bank: TestPartner;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-clocks-'));
    stores = await startSharedStores();
    await stores.start('projector');
    log = new EventStore(stores.store.connectionString);
    instances = [await start(0), await start(1), await start(2)];
    bank = await makePartner(instanceOf(1).service, { credit: 1_000_000 });
    await admin(instanceOf(1).service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
  });
  afterEach(async () => {
    await log.close();
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  async function start(number: number): Promise<Skewed> {
    const file = join(folder, String(number));
    writeFileSync(file, '0');
    const NODE_OPTIONS = `--import=${resolve('test/support/shift-clock.mjs')}`;
    const service = await stores.start('api', { NODE_OPTIONS, CLOCK_SHIFT: file });
    const setClock = (ms: number): void => {
      writeFileSync(file, String(ms));
    };
    return { service, setClock };
  }

  function instanceOf(number: number): Skewed {
    const instance = instances[number];
    if (!instance) throw new Error('No instance.');
    return instance;
  }

  /** Sends a lookup without a key, and returns whether the response was 200. */
  async function lookUp({ service }: Skewed, source: string): Promise<boolean> {
    const { partner_id, key } = bank;
    const response = await partnerWith(service, partner_id, key)
      .lookup('rp-1', { sections: ['identity'], source })
      .catch(() => undefined);
    return response?.status === 200;
  }

  /** Returns the outcome of each charge by the lookup's source. */
  async function charges(): Promise<Map<string, 'open' | 'settled' | 'refunded'>> {
    const outcomes = new Map<string, 'open' | 'settled' | 'refunded'>();
    const sources = new Map<string, string>();
    for (const { type, data } of (await log.readStream(`wallet-${bank.partner_id}`)) as unknown as WalletEvent[]) {
      if (type === 'WalletDebited') {
        sources.set(data.lookup_id, data.source);
        outcomes.set(data.source, 'open');
      }
      if (type === 'RefundIssued') outcomes.set(sources.get(data.lookup_id) ?? '', 'refunded');
      for (const { lookup_id } of type === 'ChargesSettled' ? data.charges : []) outcomes.set(sources.get(lookup_id) ?? '', 'settled');
    }
    return outcomes;
  }

  const outcomesOf = async (answered: readonly string[]): Promise<Record<string, number>> => {
    const found = await charges();
    const counted: Record<string, number> = {};
    for (const source of answered) counted[found.get(source) ?? 'none'] = (counted[found.get(source) ?? 'none'] ?? 0) + 1;
    return counted;
  };

  /** Returns by how many ms each event of the log is dated before an earlier one, at most. */
  async function datedBack(): Promise<number> {
    let [newest, most] = [0, 0];
    for (let after: bigint | undefined; ;) {
      const { events, next } = await log.allPage({ after });
      for (const { data } of events) {
        if (typeof data.recorded_at !== 'string') continue;
        const at = Date.parse(data.recorded_at);
        most = Math.max(most, newest - at);
        newest = Math.max(newest, at);
      }
      if (next === undefined) return most;
      after = next;
    }
  }

  it('append nothing, say so, and go on by themselves when the clock is right', async () => {
    const { service, setClock } = instanceOf(0);
    const wallet = `wallet-${bank.partner_id}`;
    const credit = async (by: Skewed, reference: string): Promise<number> =>
      (await admin(by.service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 1, reference })).status;
    for (const wrongMs of [-25 * DAY_MS, -11 * SECOND_MS, 11 * SECOND_MS, HOUR_MS]) {
      const before = (await log.lastEvent(wallet))?.revision;
      setClock(wrongMs);
      expect(await credit(instanceOf(0), `wrong ${wrongMs}`)).toBe(503);
      const lookup = await partnerWith(service, bank.partner_id, bank.key).lookup('rp-1', { sections: ['identity'] });
      expect(lookup).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(lookup.headers.has('Retry-After')).toBe(true);
      const { status, body } = await call(service, 'GET', '/health/ready');
      expect([status, body.message]).toStrictEqual([503, expect.stringContaining('The clock of this process is')]);
      expect((await log.lastEvent(wallet))?.revision).toBe(before);
      expect(await credit(instanceOf(1), `right ${wrongMs}`)).toBe(200);
      await until(() => service.output().includes('the clock is wrong'));
      setClock(0);
      expect((await call(service, 'GET', '/health/ready')).status).toBe(200);
      expect(await credit(instanceOf(0), `right again ${wrongMs}`)).toBe(200);
    }
    expect(await datedBack()).toBeLessThanOrEqual(60 * SECOND_MS);
  });

  it('never refund a lookup that they responded to, whatever the clocks do meanwhile', async () => {
    const responded: string[] = [];
    const state = { over: false };
    const worker = async (number: number): Promise<void> => {
      for (let count = 0; !state.over; count += 1) {
        const source = `w${number}-${count}`;
        if (await lookUp(instanceOf(number % 3), source)) responded.push(source);
        await delay(100);
      }
    };
    const workers = Array.from({ length: 6 }, (_, number) => worker(number));
    for (const [first, second] of [
      [TOLERATED_MS, -TOLERATED_MS],
      [90 * SECOND_MS, -90 * SECOND_MS],
      [HOUR_MS, -HOUR_MS],
      [400 * DAY_MS, 0],
      [-HOUR_MS, 90 * SECOND_MS],
    ] as const) {
      instanceOf(0).setClock(first);
      instanceOf(1).setClock(second);
      const before = responded.length;
      await Promise.all([delay(LOAD_MS), until(() => responded.length >= before + RESPONSES)]);
    }
    state.over = true;
    await Promise.all(workers);
    // Until then, a process whose clock is wrong cannot settle its charges.
    for (const { setClock } of instances) setClock(0);
    await until(async () => ![...(await charges()).values()].includes('open'));
    expect(await outcomesOf(responded)).toStrictEqual({ settled: responded.length });
    expect((await call(instanceOf(2).service, 'GET', '/health')).status).toBe(200);
    expect(await datedBack()).toBeLessThanOrEqual(60 * SECOND_MS);
  });

  it('leave charges to a paused instance that responded, and close those of a killed one', async () => {
    const [paused, killed, watching] = [instanceOf(0), instanceOf(1), instanceOf(2)];
    killed.setClock(TOLERATED_MS);
    watching.setClock(-TOLERATED_MS);
    const send = async (instance: Skewed, name: string): Promise<string[]> => {
      const sources = Array.from({ length: 40 }, (_, number) => `${name}-${number}`);
      const ok = await Promise.all(sources.map((source) => lookUp(instance, source)));
      return sources.filter((_, index) => ok[index]);
    };
    const byPaused = await send(paused, 'paused');
    paused.service.pause();
    const byKilled = await send(killed, 'killed');
    await killed.service.kill();
    expect([byPaused.length, byKilled.length]).toStrictEqual([40, 40]);
    const before = (await outcomesOf(byPaused)).open ?? 0;
    await delay(PAUSE_MS);
    await until(async () => !('open' in (await outcomesOf(byKilled))));
    expect((await outcomesOf(byPaused)).open ?? 0).toBe(before);
    paused.service.resume();
    await until(async () => !('open' in (await outcomesOf(byPaused))));
    expect(await outcomesOf(byPaused)).toStrictEqual({ settled: 40 });
    process.stdout.write(`${JSON.stringify({ openInPausedInstance: before, killed: await outcomesOf(byKilled) })}\n`);
    watching.setClock(0);
    expect([...(await charges()).values()]).not.toContain('open');
    // No instance has appended anything while its clock was wrong, so every rule holds, also the one about time.
    expect((await admin(watching.service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({
      fault: null,
    });
  });
});
