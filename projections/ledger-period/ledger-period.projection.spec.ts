import { describe, expect, it } from '@jest/globals';
import { type LedgerEvent } from '../../src/contexts/accounting/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { ledgerPeriodProjection } from './ledger-period.projection.js';

const data = {
  mode: 'live',
  period: '2026-03',
  accounts: [{ account: 'cash_received', opening_kobo: '0', debit_kobo: '10000', credit_kobo: '0', closing_kobo: '10000' }],
  entries: 1,
  index: 7,
  issuer: { name: 'Rupa', address: null, tax_id: null },
  prefix: 'RUPA',
  recorded_at: '2026-04-01T00:05:00.000Z',
  actor: 'admin:amina',
} as const;
const closed: LedgerEvent = { type: 'PeriodClosed', data };

describe('the closed months', () => {
  it('have a row for each month and mode, of its first close', () => {
    const again: LedgerEvent = { type: 'PeriodClosed', data: { ...data, entries: 2 } };
    const sandbox: LedgerEvent = { type: 'PeriodClosed', data: { ...data, mode: 'sandbox' } };
    const rows = [
      { ...data, position: '100' },
      { ...data, mode: 'sandbox', position: '300' },
    ];
    expect(project(ledgerPeriodProjection, recorded([closed, again, sandbox]))).toStrictEqual(rows);
    expect(project(ledgerPeriodProjection, recorded([closed, again, sandbox]), 1)).toStrictEqual(rows);
  });
});
