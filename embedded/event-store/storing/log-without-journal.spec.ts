import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proposedEvent as event } from '../../../test/support/unit/proposed-event.js';
import { type Appended, EventLog } from './log.js';

let path: string;
let log: EventLog;
const open = (folder: string): EventLog => EventLog.open(folder, () => undefined);

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'event-log-'));
  log = open(path);
});

afterEach(async () => {
  await log.close();
  await rm(path, { recursive: true, force: true });
});

const append = async (revision: number): Promise<Appended> =>
  await log.append({ stream: Buffer.from('s'), expected: { kind: 'exact', revision: BigInt(revision) }, events: [event()] });

describe('a log without a journal', () => {
  it('has every acknowledged event after the process was killed', async () => {
    for (let revision = -1; revision < 20; revision += 1) await append(revision);
    const copy = `${path}-killed`;
    cpSync(path, copy, { recursive: true });
    const found = open(copy);
    try {
      expect(existsSync(join(copy, 'journal'))).toBe(false);
      expect(found.head).toBe(21);
      expect(found.lastRevision(Buffer.from('s'))).toBe(20);
    } finally {
      await found.close();
      await rm(copy, { recursive: true });
    }
  });

  it('takes over the events of an existing journal', async () => {
    await log.close();
    log = EventLog.open(path);
    await append(-1);
    await append(0);
    const copy = `${path}-killed`;
    cpSync(path, copy, { recursive: true });
    const found = open(copy);
    try {
      expect(found.head).toBe(2);
      expect(found.readAll(1, 2)).toHaveLength(2);
    } finally {
      await found.close();
      await rm(copy, { recursive: true });
    }
  });
});
