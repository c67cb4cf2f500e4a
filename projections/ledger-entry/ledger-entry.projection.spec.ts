import { describe, expect, it } from '@jest/globals';
import { type LedgerEntryPosted } from '../../src/contexts/accounting/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { ledgerEntryProjection } from './ledger-entry.projection.js';

const data = {
  mode: 'live',
  kind: 'passthrough_settlement',
  amount_kobo: 60_00,
  account: 'bvn',
  reference: 's1',
  date: '2026-03-09',
  reason: 'invoice 7',
  recorded_at: '2026-03-10T10:00:00.000Z',
  actor: 'admin:amina',
} as const;
const settled: LedgerEntryPosted = { type: 'LedgerEntryPosted', data };
const undone: LedgerEntryPosted = {
  type: 'LedgerEntryPosted',
  data: { ...data, kind: 'reversal', reference: 'r1', of: 's1', of_kind: 'passthrough_settlement' },
};
const { account: _account, ...rest } = data;
const charged: LedgerEntryPosted = { type: 'LedgerEntryPosted', data: { ...rest, mode: 'sandbox', kind: 'bank_charge' } };

describe('the ledger entries', () => {
  it('have a row for each event, in the books of its mode', () => {
    const row = { ...data, revision: 0, position: '100', of_reference: null, of_kind: null };
    const rows = [
      row,
      { ...row, kind: 'reversal', reference: 'r1', revision: 1, position: '200', of_reference: 's1', of_kind: 'passthrough_settlement' },
      { ...row, mode: 'sandbox', kind: 'bank_charge', account: null, revision: 2, position: '300' },
    ];
    expect(project(ledgerEntryProjection, recorded([settled, undone, charged]))).toStrictEqual(rows);
    expect(project(ledgerEntryProjection, recorded([settled, undone, charged]), 1)).toStrictEqual(rows);
  });
});
