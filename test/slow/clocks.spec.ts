import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { admin, call, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { onOwnStores, type SharedStores } from '../support/shared-stores.js';
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
/** The least that a process is sure to notice: a second beyond what it tolerates may be an error of its measurement, on a busy machine two. */
const NOTICED_MS = 13 * SECOND_MS;
/** Longer than a charge must have been open before another instance closes it. */
const PAUSE_MS = 75 * SECOND_MS;

interface Skewed {
  readonly service: TestService;
  /** Sets the process's clock this far ahead of the true time; a negative number sets it back. */
  setClock(this: void, ms: number): void;
}

/** Three APIs, each with a clock of its own, on stores of their own. */
class Instances {
  private constructor(
    readonly all: readonly Skewed[],
    readonly bank: TestPartner,
    readonly log: EventStore,
  ) {}

  /** Starts the instances for a test, and ends them after it. */
  static async during(test: (instances: Instances) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-clocks-'));
    try {
      await onOwnStores(async (stores) => {
        await stores.start('projector');
        const all = [await startSkewed(stores, join(folder, '0')), await startSkewed(stores, join(folder, '1'))] as const;
        const last = await startSkewed(stores, join(folder, '2'));
        const bank = await makePartner(all[1].service, { credit: 1_000_000 });
        await whenServed(() => admin(all[1].service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
        const log = new EventStore(stores.store.connectionString);
        try {
          await test(new Instances([...all, last], bank, log));
        } finally {
          await log.close();
        }
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  of(number: number): Skewed {
    const instance = this.all[number];
    if (!instance) throw new Error('No instance.');
    return instance;
  }

  /** Sends a lookup without a key, and returns whether the response was 200. */
  async lookUp({ service }: Skewed, source: string): Promise<boolean> {
    const { partner_id, key } = this.bank;
    const response = await partnerWith(service, partner_id, key)
      .lookup('rp-1', { sections: ['identity'], source })
      .catch(() => undefined);
    return response?.status === 200;
  }

  /** Returns the outcome of each charge by the lookup's source. */
  async charges(): Promise<Map<string, 'open' | 'settled' | 'refunded'>> {
    const outcomes = new Map<string, 'open' | 'settled' | 'refunded'>();
    const sources = new Map<string, string>();
    for (const { type, data } of (await this.log.readStream(`wallet-${this.bank.partner_id}`)) as unknown as WalletEvent[]) {
      if (type === 'WalletDebited') {
        sources.set(data.lookup_id, data.source);
        outcomes.set(data.source, 'open');
      }
      if (type === 'RefundIssued') outcomes.set(sources.get(data.lookup_id) ?? '', 'refunded');
      for (const { lookup_id } of type === 'ChargesSettled' ? data.charges : []) outcomes.set(sources.get(lookup_id) ?? '', 'settled');
    }
    return outcomes;
  }

  async outcomesOf(answered: readonly string[]): Promise<Record<string, number>> {
    const found = await this.charges();
    const counted: Record<string, number> = {};
    for (const source of answered) counted[found.get(source) ?? 'none'] = (counted[found.get(source) ?? 'none'] ?? 0) + 1;
    return counted;
  }

  /** Returns by how many ms each event of the log is dated before an earlier one, at most. */
  async datedBack(): Promise<number> {
    let [newest, most] = [0, 0];
    for (let after: bigint | undefined; ;) {
      const { events, next } = await this.log.allPage({ after });
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
}

/** @param file holds the milliseconds by which the process's clock is ahead */
async function startSkewed(stores: SharedStores, file: string): Promise<Skewed> {
  const setClock = (ms: number): void => {
    writeFileSync(file, String(ms));
  };
  setClock(0);
  const NODE_OPTIONS = `--import=${resolve('test/support/shift-clock.mjs')}`;
  return { service: await stores.start('api', { NODE_OPTIONS, CLOCK_SHIFT: file }), setClock };
}

describe('instances whose clocks are wrong', () => {
  it.concurrent('append nothing, say so, and go on by themselves when the clock is right', () =>
    Instances.during(async (instances) => {
      const { service, setClock } = instances.of(0);
      const wallet = `wallet-${instances.bank.partner_id}`;
      const credit = async (by: Skewed, reference: string) =>
        await admin(by.service, 'POST', `/partners/${instances.bank.partner_id}/wallet/credits`, { amount: 1, reference });
      for (const wrongMs of [-25 * DAY_MS, -NOTICED_MS, NOTICED_MS, HOUR_MS]) {
        const before = (await instances.log.lastEvent(wallet))?.revision;
        setClock(wrongMs);
        expect((await credit(instances.of(0), `wrong ${wrongMs}`)).status).toBe(503);
        const lookup = await partnerWith(service, instances.bank.partner_id, instances.bank.key).lookup('rp-1', { sections: ['identity'] });
        expect(lookup).toMatchObject({ status: 503, body: { code: 'unavailable' } });
        expect(lookup.headers.has('Retry-After')).toBe(true);
        const { status, body } = await call(service, 'GET', '/health/ready');
        expect([status, body.message]).toStrictEqual([503, expect.stringContaining('The clock of this process is')]);
        expect((await instances.log.lastEvent(wallet))?.revision).toBe(before);
        expect((await whenServed(() => credit(instances.of(1), `right ${wrongMs}`))).status).toBe(200);
        await until(() => service.output().includes('the clock is wrong'));
        setClock(0);
        expect((await whenServed(() => call(service, 'GET', '/health/ready'))).status).toBe(200);
        expect((await whenServed(() => credit(instances.of(0), `right again ${wrongMs}`))).status).toBe(200);
      }
      expect(await instances.datedBack()).toBeLessThanOrEqual(60 * SECOND_MS);
    }),
  );

  it.concurrent('never refund a lookup that they responded to, whatever the clocks do meanwhile', () =>
    Instances.during(async (instances) => {
      const responded: string[] = [];
      const state = { over: false };
      const worker = async (number: number): Promise<void> => {
        for (let count = 0; !state.over; count += 1) {
          const source = `w${number}-${count}`;
          if (await instances.lookUp(instances.of(number % 3), source)) responded.push(source);
          await delay(100);
        }
      };
      const workers = Array.from({ length: 6 }, (_, number) => worker(number));
      try {
        for (const [first, second] of [
          [TOLERATED_MS, -TOLERATED_MS],
          [90 * SECOND_MS, -90 * SECOND_MS],
          [HOUR_MS, -HOUR_MS],
          [400 * DAY_MS, 0],
          [-HOUR_MS, 90 * SECOND_MS],
        ] as const) {
          instances.of(0).setClock(first);
          instances.of(1).setClock(second);
          const before = responded.length;
          await Promise.all([delay(LOAD_MS), until(() => responded.length >= before + RESPONSES)]);
        }
      } finally {
        state.over = true;
        await Promise.all(workers);
      }
      // Until then, a process whose clock is wrong cannot settle its charges.
      for (const { setClock } of instances.all) setClock(0);
      await until(async () => ![...(await instances.charges()).values()].includes('open'));
      expect(await instances.outcomesOf(responded)).toStrictEqual({ settled: responded.length });
      expect((await call(instances.of(2).service, 'GET', '/health')).status).toBe(200);
      expect(await instances.datedBack()).toBeLessThanOrEqual(60 * SECOND_MS);
    }),
  );

  it.concurrent('leave charges to a paused instance that responded, and close those of a killed one', () =>
    Instances.during(async (instances) => {
      const [paused, killed, watching] = [instances.of(0), instances.of(1), instances.of(2)];
      killed.setClock(TOLERATED_MS);
      watching.setClock(-TOLERATED_MS);
      // Each attempt at a lookup has a source of its own, because one that gets 503 may be charged until it is refunded.
      const served = async (instance: Skewed, name: string): Promise<string> => {
        for (let attempt = 0; ; attempt += 1) if (await instances.lookUp(instance, `${name}-${attempt}`)) return `${name}-${attempt}`;
      };
      const send = (instance: Skewed, name: string): Promise<string[]> =>
        Promise.all(Array.from({ length: 40 }, (_, number) => served(instance, `${name}-${number}`)));
      const byPaused = await send(paused, 'paused');
      paused.service.pause();
      const byKilled = await send(killed, 'killed');
      await killed.service.kill();
      const before = (await instances.outcomesOf(byPaused)).open ?? 0;
      await delay(PAUSE_MS);
      await until(async () => !('open' in (await instances.outcomesOf(byKilled))));
      expect((await instances.outcomesOf(byPaused)).open ?? 0).toBe(before);
      paused.service.resume();
      await until(async () => !('open' in (await instances.outcomesOf(byPaused))));
      expect(await instances.outcomesOf(byPaused)).toStrictEqual({ settled: 40 });
      process.stdout.write(`${JSON.stringify({ openInPausedInstance: before, killed: await instances.outcomesOf(byKilled) })}\n`);
      watching.setClock(0);
      await until(async () => ![...(await instances.charges()).values()].includes('open'));
      // No instance has appended anything while its clock was wrong, so every rule holds, also the one about time.
      const verification = `/partners/${instances.bank.partner_id}/wallet/verification`;
      expect((await whenServed(() => admin(watching.service, 'GET', verification))).body.data).toMatchObject({ fault: null });
    }),
  );
});
