/**
 * Returns a wallet's past commands: a credit in the last moment of January, charges, a refund and a credit in February, nothing in March.
 */
export function pastOf(partner_id: string) {
  const by = (at: string) => ({ partner_id, at, actor: 'test' });
  const charge = {
    kind: 'charge' as const,
    rupa_id: 'rp-statement-1',
    source: 's',
    price_book_version: 1,
    key_id: 'k',
    grants_consent: true,
  };
  const identity = { 'svc_fee.identity': 50_00, 'svc_fee.bvn_nin_data': 50_00, 'passthrough.bvn': 60_00, 'passthrough.nin': 60_00 };
  return [
    {
      ...by('2026-01-31T23:59:59.999Z'),
      kind: 'credit' as const,
      amount_kobo: 1_000_00,
      reference: 'opening',
      checked_to_revision: 1_000n,
    },
    { ...by('2026-02-01T00:00:00.000Z'), ...charge, lookup_id: 'l1', breakdown_kobo: identity },
    { ...by('2026-02-14T12:00:00.000Z'), ...charge, lookup_id: 'l2', breakdown_kobo: { 'svc_fee.identity': 50_25 } },
    { ...by('2026-02-14T12:00:01.000Z'), kind: 'settle' as const, lookup_ids: ['l1'] },
    { ...by('2026-02-14T12:00:02.000Z'), kind: 'refund' as const, lookup_ids: ['l2'], reason: 'no "answer", sorry' },
    {
      ...by('2026-02-28T23:59:59.999Z'),
      kind: 'credit' as const,
      amount_kobo: 25_00,
      reference: '=1+1',
      reason: '<i>goodwill</i>',
      checked_to_revision: 1_000n,
    },
  ];
}

/** The statement of February as CSV. */
export const FEBRUARY_CSV = [
  'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id',
  'opening_balance,2026-02-01T00:00:00.000Z,,,1000.00,,,,',
  "credit,2026-02-28T23:59:59.999Z,,1,25.00,'=1+1,<i>goodwill</i>,,",
  'lookup_section,,bvn_nin_data,1,-50.00,,,,',
  'lookup_section,,identity,2,-100.25,,,,',
  'pass_through,,bvn,1,-60.00,,,,',
  'pass_through,,nin,1,-60.00,,,,',
  'refund,2026-02-14T12:00:02.000Z,,1,50.25,,"no ""answer"", sorry",l2,rp-statement-1',
  'closing_balance,2026-03-01T00:00:00.000Z,,,805.00,,,,',
  '',
].join('\r\n');
