import { describe, expect, it } from '@jest/globals';
import { exportText } from './wallet-export.js';

const entry = {
  id: '1',
  stream: 'wallet-p1',
  revision: 1n,
  position: 9n,
  type: 'WalletCredited',
  data: { partner_id: 'p1', recorded_at: '2026-03-09T14:30:00.000Z', amount_kobo: 5, reference: 'a\u2028b' },
  metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1, instance: 3, prev_hash: '0'.repeat(64), hash: 'a'.repeat(64) },
};

describe('a line of a wallet’s export', () => {
  it('holds what the hash covers and the chain, and nothing that only the service needs', () => {
    expect(JSON.parse(exportText([entry]))).toStrictEqual({
      stream: 'wallet-p1',
      revision: 1,
      type: 'WalletCredited',
      recorded_at: '2026-03-09T14:30:00.000Z',
      data: entry.data,
      prev_hash: '0'.repeat(64),
      hash: 'a'.repeat(64),
    });
  });

  it('ends where every reader of lines ends it', () => {
    const text = exportText([entry, entry]);
    expect(text.split(/\n|\u0085|\u2028|\u2029/)).toHaveLength(3);
    expect(text).toContain(String.raw`a\u2028b`);
  });
});
