import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { openRaw, openUnread } from '../support/hostile/raw-socket.js';
import { startService, type TestService } from '../support/service.js';
import { openLog } from '../support/service-log.js';
import { until } from '../support/until.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const ENTRIES = 20_000;
/** Exports that are open at the same time. */
const EXPORTS = 30;
const LOOKUPS = 120;
/** Lookups that are made at the same time. */
const LOOKERS = 4;
/** An export that nobody reads is left open for this long. */
const UNREAD_MS = 1_000;
const AT_ONCE_MS = 20;
const OWN_EXPORT = '/v1/rupa/wallet/export';

describe('exports that are hung up on', () => {
  let service: TestService;
  let exporter: TestPartner;
  let other: TestPartner;

  beforeAll(async () => {
    service = await startService();
    other = await makePartner(service, { credit: 10_000_000 });
    exporter = await makePartner(service, { credit: 0 });
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { full_name: 'Aisha Bello' } }));
    await creditManyTimes(exporter.partner_id);
    // The projector, too, reads all that was written.
    await until(async () => {
      const path = `/partners/${exporter.partner_id}/wallet/entries?from=${ENTRIES - 1}&limit=1`;
      const { status, body } = await admin(service, 'GET', path);
      return status === 200 && (body.data.entries as unknown[]).length === 1;
    });
  });
  afterAll(() => service.stop());

  /** Credits a wallet as the service does, many times in a batch. */
  async function creditManyTimes(partner_id: string): Promise<void> {
    const { eventStore, wallets } = await openLog(service);
    const same = { kind: 'credit', partner_id, at: new Date().toISOString(), actor: 'test', reason: null } as const;
    for (let from = 0; from < ENTRIES; from += 2_000) {
      const references = Array.from({ length: 2_000 }, (_, index) => `${'r'.repeat(200)}-${from + index}`);
      const credit = (reference: string) => wallets.execute(partner_id, { ...same, amount_kobo: 1, reference, ...ALL_SEARCHED });
      await Promise.all(references.map(credit));
    }
    await eventStore.close();
  }

  /** Makes lookups, and returns the statuses of those that failed. */
  async function failedOf(count: number): Promise<number[]> {
    const failed: number[] = [];
    let left = count;
    const look = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { status } = await other.lookup('rp-1', { sections: ['identity'] });
        if (status !== 200) failed.push(status);
      }
    };
    await Promise.all(Array.from({ length: LOOKERS }, look));
    return failed;
  }

  /** Begins an export, and hangs up: almost at once, after its first bytes, or after a while without reading. */
  async function hangUp(path: string, how: number): Promise<void> {
    const port = Number(new URL(service.url).port);
    const credential = path === OWN_EXPORT ? `X-API-KEY: ${exporter.key}` : `Authorization: Bearer ${service.adminToken}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n${credential}\r\n\r\n`;
    if (how % 3 === 0) {
      const socket = await openUnread(port);
      socket.write(request);
      await delay(UNREAD_MS);
      socket.destroy();
      return;
    }
    const socket = await openRaw(port);
    await socket.send(request);
    if (how % 3 === 1) await socket.closedOr((received) => received.length > 0);
    else await delay(AT_ONCE_MS);
    socket.destroy();
  }

  it.each([
    ['a partner', () => OWN_EXPORT],
    ['an administrator', () => `/admin/v1/partners/${exporter.partner_id}/wallet/export`],
    ['an auditor', () => '/admin/v1/evidence'],
  ])('make no lookup of another partner fail: those of %s', async (_, path) => {
    let done = false;
    let hungUp = 0;
    // On a busy machine, the event store may have stalled while the wallet was filled.
    const before = service.output().length;
    const storm = Array.from({ length: EXPORTS }, async (_, index) => {
      for (let round = index; !done; round += 1) {
        await hangUp(path(), round);
        hungUp += 1;
      }
    });
    const failed = await failedOf(LOOKUPS);
    done = true;
    await Promise.all(storm);
    expect(hungUp).toBeGreaterThan(EXPORTS);
    expect(failed).toStrictEqual([]);
    // A stalled read would replace the connection to the event store, and lookups would wait for their charges.
    expect(service.output().slice(before)).not.toMatch(/the event store (does not serve|is back)|a request failed|uncaught/i);
  });
});
