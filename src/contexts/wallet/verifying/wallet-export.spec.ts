import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type DataKeys } from '../../../platform/key-store/data-keys.js';
import { storedDebit } from '../domain/stored-debit.js';
import { exportTexts } from './wallet-export.js';

const entry = {
  id: '1',
  stream: 'wallet-p1',
  revision: 1n,
  position: 9n,
  type: 'WalletCredited',
  data: { partner_id: 'p1', recorded_at: '2026-03-09T14:30:00.000Z', amount_kobo: 5, reference: 'a\u2028b' },
  metadata: { $correlationId: 'c', schema_version: 1, instance: 3, hash: 'a'.repeat(64) },
};

const skip = { ...entry, stream: 'operations-main', type: 'EventSkipped', data: { event_id: 'skipped' } };
const codec = new Codec({ WalletCredited: {}, WalletDebited: { version: 2, storedForm: storedDebit } }, {} as DataKeys);

async function exported(...pages: StoredEvent[][]): Promise<string> {
  let text = '';
  const streams: Record<string, StoredEvent[][]> = { 'wallet-p1': pages, 'operations-main': [[skip]] };
  const eventStore = { streamPages: (stream: string) => Readable.from(streams[stream] ?? []) };
  for await (const part of exportTexts(codec, eventStore, 'wallet-p1')) text += part;
  return text;
}

describe('a line of a wallet’s export', () => {
  it('holds what the hash covers and the chain, and nothing that only the service needs', async () => {
    expect(JSON.parse(await exported([entry]))).toStrictEqual({
      stream: 'wallet-p1',
      revision: 1,
      type: 'WalletCredited',
      recorded_at: '2026-03-09T14:30:00.000Z',
      data: entry.data,
      prev_hash: '0'.repeat(64),
      hash: 'a'.repeat(64),
    });
  });

  it('names the hash of the line before, also across pages, and of recorded ones the one that they were recorded with', async () => {
    const hashOf = (digit: string): string => digit.repeat(64);
    const next = (hash: string, prev_hash?: string) => ({
      ...entry,
      metadata: { ...entry.metadata, hash: hashOf(hash), ...(prev_hash ? { prev_hash: hashOf(prev_hash) } : {}) },
    });
    const lines = (await exported([next('a'), next('b')], [next('c'), next('d', 'f'), next('e')])).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { prev_hash: string }).prev_hash)).toStrictEqual([
      ...['0', 'a', 'b', 'f', 'd'].map(hashOf),
    ]);
  });

  it('shows an event that cannot be used as it is, and builds nothing upon it', async () => {
    const broken = { ...entry, type: 'OperatorNote', data: 'x', metadata: undefined } as unknown as StoredEvent;
    const lines = (await exported([entry, broken, entry])).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { prev_hash: string }).prev_hash)).toStrictEqual([
      '0'.repeat(64),
      'a'.repeat(64),
      'a'.repeat(64),
    ]);
  });

  it('says of an event that an operator skipped that it is skipped', async () => {
    const note = { ...entry, type: 'OperatorNote', data: {}, metadata: {} } as unknown as StoredEvent;
    const lines = (await exported([entry, note, { ...note, id: 'skipped' }, entry])).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { skipped?: boolean }).skipped)).toStrictEqual([undefined, undefined, true, undefined]);
  });

  it('ends where every reader of lines ends it', async () => {
    const text = await exported([entry, entry]);
    expect(text.split(/\n|\u0085|\u2028|\u2029/)).toHaveLength(3);
    expect(text).toContain(String.raw`a\u2028b`);
  });
});
