import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { openSync, readFileSync, readSync, truncateSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { LmdbFile } from '../../embedded/event-store/storing/lmdb-file.js';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { storesOf } from '../support/service-log.js';
import { until } from '../support/until.js';

let service: TestService;
let partner: TestPartner;
let file: string;

/** Starts a service whose events are all in the data file, because it was stopped and started again. */
beforeEach(async () => {
  service = await startService();
  file = join(service.dataDir, 'event-store', 'data.mdb');
  partner = await makePartner(service);
  await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
  expect((await whenServed(lookUp)).status).toBe(200);
  expect(await service.interrupt()).toBe(0);
});
afterEach(() => service.stop());

const lookUp = () => partner.lookup('rp-1', { sections: ['identity'] });

/** Changes one bit in the last bytes of an event of a stream, which are its data. */
function flipBitIn(category: string): void {
  let stored: Buffer | undefined;
  const tables = new LmdbFile(file);
  tables.entries('records', (_key, value) => {
    const bytes = Buffer.from(value());
    if (bytes.includes(`${category}-`)) stored = bytes;
  });
  tables.close();
  if (!stored) throw new Error(`The log has no event of ${category}.`);
  const at = readFileSync(file).lastIndexOf(stored) + stored.length - 20;
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  byte.writeUInt8(byte.readUInt8() ^ 1);
  writeSync(descriptor, byte, 0, 1, at);
  closeSync(descriptor);
}

describe('the service on a damaged log', () => {
  it.each([
    [
      'a changed bit in a farmer’s event',
      () => {
        flipBitIn('farmer');
      },
    ],
    [
      'half a data file',
      () => {
        truncateSync(file, readFileSync(file).length / 2);
      },
    ],
    [
      'zeroed pages',
      () => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0, 3 * 4_096));
      },
    ],
  ])('does not start with %s, and both the start and rupa events check name the file', async (_damage, damage) => {
    damage();
    await expect(service.restart()).rejects.toThrow(`${file} is damaged at`);
    const check = await rupa(service, ['events', 'check']);
    expect(check.code).toBe(1);
    expect(check.err).toContain(`${file} is damaged at`);
    expect(check.err).toContain('Do not run rupa events adopt');
  });

  it('is told of events that it cannot use and of streams without their history, whether it runs or not', async () => {
    await service.restart();
    const client = EventStoreDBClient.connectionString((await storesOf(service)).eventStoreUrl);
    await client.appendToStream('partner-unknown', jsonEvent({ type: 'OperatorNote', data: { a: 1 } }));
    await client.deleteStream('farmer-rp-1');
    await client.dispose();
    const check = async (): Promise<unknown> => await rupa(service, ['events', 'check']);
    const found = {
      code: 1,
      err: expect.stringMatching(
        /type OperatorNote, partner-unknown at revision 0[^]*history of farmer-rp-1 is missing[^]*2 faults in \d+ events/,
      ),
    };
    expect(await check()).toMatchObject(found);
    expect(await service.interrupt()).toBe(0);
    expect(await check()).toMatchObject(found);
  });

  it('stays alive when a read meets the damage: the read fails, and the service is not ready and says why', async () => {
    await service.restart();
    expect((await rupa(service, ['events', 'check'])).out).toMatch(/^\d+ events: all are whole/);
    flipBitIn('farmer');
    const check = await rupa(service, ['events', 'check']);
    expect(check.code).toBe(1);
    expect(check.err).toMatch(/data\.mdb is damaged at position \d+ of the log/);
    const health = await fetch(`${service.url}/health/ready`);
    expect(health.status).toBe(503);
    expect(await health.text()).toMatch(/data\.mdb is damaged at position \d+ of the log/);
    expect((await lookUp()).status).toBe(503);
    await until(() => /data\.mdb is damaged at position \d+ of the log/.test(service.output()));
    expect(await service.interrupt('SIGTERM')).toBe(0);
  });
});
