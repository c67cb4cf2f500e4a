import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRunning } from '../../embedded/data-folder.js';
import { admin, balanceOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

/** Mounting needs root and a kernel that allows it. embedded/event-store/storing/full-disk.spec.ts injects the same errors anywhere. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=711', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

const disk = smallDisk();

describe('a service whose embedded event store has a full disk', () => {
  if (disk === undefined) {
    it('is tested with injected errors only, because this machine mounts no small disk', () => undefined);
    return;
  }
  const folder = disk;
  const filler = join(folder, 'filler');
  let database: TestDatabase;
  let service: TestService;
  let partner: TestPartner;
  let metricsPort: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    metricsPort = await freePort();
    service = await startService({
      METRICS_PORT: String(metricsPort),
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      ...SECRETS,
    });
    partner = await makePartner(service);
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
  });
  afterAll(async () => {
    try {
      await service.stop();
      await database.drop();
    } finally {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    }
  });
  beforeEach(async () => {
    free();
    await until(async () => (await health()).status === 200);
  });

  function free(): void {
    rmSync(filler, { force: true });
  }

  /** Fills the disk, and then the journal, so that the next event needs room in the tables. */
  async function fill(): Promise<void> {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    const { eventStoreUrl = '' } = (await findRunning(folder)) ?? {};
    const client = EventStoreDBClient.connectionString(eventStoreUrl);
    try {
      const large = () => jsonEvent({ id: randomUUID(), type: '$noise', data: { text: 'x'.repeat(MIB / 2) } });
      await until(() =>
        client.appendToStream('$noise', large()).then(
          () => false,
          () => true,
        ),
      );
    } finally {
      await client.dispose();
    }
  }

  const lookUp = () => partner.lookup('rp-1', { sections: ['identity'] });
  const health = async (): Promise<{ status: number; message: string }> => {
    const response = await fetch(`${service.url}/health/ready`);
    return { status: response.status, message: ((await response.json()) as { message?: string }).message ?? '' };
  };

  it('refuses lookups at once, is not ready and says why, and serves again when there is room', async () => {
    const before = await balanceOf(service, partner);
    await fill();
    const refused = await Promise.all(Array.from({ length: 20 }, lookUp));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    // The response to a lookup that waited ten seconds for an append with an unknown outcome says that the charge could not be confirmed.
    expect(new Set(refused.map(({ body }) => body.message))).toEqual(new Set(['The service is busy. Please retry with backoff.']));
    await until(async () => {
      const { status, message } = await health();
      return status === 503 && message.includes('is full: it accepts no appends');
    });
    await until(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return /^rupa_store_up\{.*store="event_store".*\} 0$/m.test(metrics);
    });
    const { code } = await until(async () => {
      const doctor = await rupa(service, ['doctor']);
      return doctor.out.includes('is full: it accepts no appends') && doctor;
    });
    expect(code).toBe(1);
    free();
    await until(async () => (await health()).status === 200);
    expect(await balanceOf(service, partner)).toBe(before);
    expect((await whenServed(lookUp)).status).toBe(200);
    expect(await balanceOf(service, partner)).toBe(before - 50);
  });

  it('stops cleanly on SIGTERM meanwhile, and has everything that it acknowledged after the next start', async () => {
    const answered = await Promise.all(Array.from({ length: 20 }, () => whenServed(lookUp)));
    const before = await balanceOf(service, partner);
    await fill();
    expect((await lookUp()).status).toBe(503);
    expect(await service.interrupt('SIGTERM')).toBe(0);
    free();
    await service.restart();
    expect(answered.map(({ status }) => status)).toEqual(Array.from(answered, () => 200));
    expect(await balanceOf(service, partner)).toBe(before);
    expect((await whenServed(lookUp)).status).toBe(200);
  });
});
