import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { NO_LEGAL_DETAILS } from '../../src/contexts/partners/domain/legal-details.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { customerProjection, type CustomerRow } from './customer.projection.js';

const by = { recorded_at: '2026-11-21T10:00:00.000Z', actor: 'admin' };
const registered = (partner_id: string, mode: 'live' | 'sandbox' = 'live'): PartnerEvent => ({
  type: 'PartnerRegistered',
  data: { ...by, partner_id, company_name: partner_id, account_type: 'bank', mode },
});
const changed = (partner_id: string, legal: Partial<CustomerRow['legal']>): PartnerEvent => ({
  type: 'PartnerDetailsChanged',
  data: { ...by, partner_id, company_name: 'A', legal: { ...NO_LEGAL_DETAILS, ...legal } },
});
const after = (events: readonly PartnerEvent[], batchSize?: number) =>
  project(customerProjection, recorded(events), batchSize) as readonly CustomerRow[];
const numbersOf = (rows: readonly CustomerRow[]) =>
  Object.fromEntries(rows.filter((row) => row.customer_number !== null).map((row) => [row.partner_id, row.customer_number]));

describe('the customer read model', () => {
  it('counts the partners of both modes in the order of the log, from 1001', () => {
    expect(numbersOf(after([registered('b'), registered('a', 'sandbox'), registered('c')]))).toStrictEqual({ b: 1001, a: 1002, c: 1003 });
  });

  it('gives the numbers of any log whatever its batches, and never the same one twice', () => {
    const event = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.boolean());
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.integer({ min: 1, max: 21 }), (drawn, batchSize) => {
        const events = drawn.map(([id, isRegistration]) => (isRegistration ? registered(id) : changed(id, { tax_id: id })));
        const inOrder = [...new Set(drawn.flatMap(([id, isRegistration]) => (isRegistration ? [id] : [])))];
        expect(numbersOf(after(events, batchSize))).toStrictEqual(Object.fromEntries(inOrder.map((id, index) => [id, 1001 + index])));
      }),
    );
  });

  it('shows the details that were recorded last, and keeps the number', () => {
    const rows = after([registered('a'), changed('a', { name: 'A Plc', email: 'a@a.example' }), changed('a', { name: 'A Ltd' })]);
    expect(rows.find(({ partner_id }) => partner_id === 'a')).toStrictEqual({
      partner_id: 'a',
      customer_number: 1001,
      last_number: null,
      legal: { ...NO_LEGAL_DETAILS, name: 'A Ltd' },
    });
  });

  it('ignores details of a partner that was never registered', () => {
    expect(after([changed('a', { name: 'A' })])).toStrictEqual([]);
  });
});
