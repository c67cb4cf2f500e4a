import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ClosedAccount } from '../../src/contexts/accounting/domain/events.js';
import { auditOf, auditsOf, type Finding, runOf } from '../support/audit-programs.js';
import { ofType, type Where } from '../support/evidence-changes.js';
import { edited, type EvidenceLine, rebuilt } from '../support/evidence-history.js';
import { evidenceOfMonths, randomMonths } from '../support/evidence-months.js';

const HOLDS = { status: 0, last: undefined };
const DRAWN = 12;

let lines: readonly EvidenceLine[];
beforeAll(async () => {
  ({ lines } = await evidenceOfMonths());
});

const closeOf = (period: string): Where => ofType('PeriodClosed', `"mode":"live","period":"${period}"`);
const indexOf = (where: Where): number => lines.findIndex(where);
const changed = (where: Where, data: object): EvidenceLine[] =>
  lines.map((line, index) => (index === indexOf(where) ? edited(line, { data: { ...data } }) : line));

/** Returns the log with the accounts of a close changed. */
function withAccounts(change: (accounts: readonly ClosedAccount[]) => readonly object[]): EvidenceLine[] {
  const at = closeOf('2026-03');
  const { accounts } = JSON.parse(lines[indexOf(at)]?.data ?? '') as { readonly accounts: readonly ClosedAccount[] };
  return changed(at, { accounts: change(accounts) });
}

/** Returns the log with a line moved to the place of another, and dated like it. */
function movedTo(where: Where, to: Where): EvidenceLine[] {
  const [line, next] = [lines[indexOf(where)], lines[indexOf(to)]];
  if (!line || !next) throw new Error('There is no such line.');
  const rest = lines.filter((each) => each !== line);
  const { recorded_at } = JSON.parse(next.data) as { readonly recorded_at: string };
  const moved = {
    ...edited(line, { data: { recorded_at }, metadata: JSON.parse(next.metadata) as object as Record<string, unknown> }),
    created: next.created,
  };
  return rest.flatMap((each) => (each === next ? [moved, each] : [each]));
}

const march = closeOf('2026-03');
const feeOfMarch = ofType('LedgerEntryPosted', 'fee-of-march');
const refundedInMarch = ofType('RefundIssued', '"march-2"');

interface Falsified {
  readonly log: readonly EvidenceLine[];
  readonly at: number;
  readonly rule: string;
}

const FALSIFIED: readonly (readonly [what: string, () => Falsified])[] = [
  [
    'a total of an account that was changed',
    () => ({
      log: withAccounts(([first, ...rest]) => [{ ...first, debit_kobo: '1' }, ...rest]),
      at: indexOf(march),
      rule: 'totals',
    }),
  ],
  ['an account that was left out of the totals', () => ({ log: withAccounts(([, ...rest]) => rest), at: indexOf(march), rule: 'totals' })],
  [
    'an account twice in the totals',
    () => ({ log: withAccounts(([first, ...rest]) => [first, first, ...rest] as object[]), at: indexOf(march), rule: 'totals' }),
  ],
  ['totals without any account', () => ({ log: changed(march, { accounts: [] }), at: indexOf(march), rule: 'totals' })],
  [
    'totals that are numbers',
    () => ({ log: withAccounts((all) => all.map((each) => ({ ...each, debit_kobo: 1 }))), at: indexOf(march), rule: 'shape' }),
  ],
  ['an issuer without a name', () => ({ log: changed(march, { issuer: {} }), at: indexOf(march), rule: 'shape' })],
  ['a number of entries that was changed', () => ({ log: changed(march, { entries: 1 }), at: indexOf(march), rule: 'totals' })],
  ['an entry that was removed', () => ({ log: lines.filter((line) => !feeOfMarch(line)), at: indexOf(march) - 1, rule: 'totals' })],
  ['an amount that was changed', () => ({ log: changed(feeOfMarch, { amount_kobo: 9_00 }), at: indexOf(march), rule: 'totals' })],
  [
    'an entry that is dated into a closed month',
    () => ({
      log: changed(ofType('LedgerEntryPosted', 'fee-of-may'), { date: '2026-04-30' }),
      at: indexOf(ofType('LedgerEntryPosted', 'fee-of-may')),
      rule: 'closed',
    }),
  ],
  [
    'an entry that was posted after its month was closed',
    () => ({ log: movedTo(feeOfMarch, closeOf('2026-04')), at: indexOf(march) - 1, rule: 'totals' }),
  ],
  [
    'a month that was closed twice',
    () => ({ log: changed(closeOf('2026-04'), { period: '2026-03' }), at: indexOf(closeOf('2026-04')), rule: 'period' }),
  ],
  [
    'a month that was left out',
    () => ({ log: lines.filter((line) => !closeOf('2026-04')(line)), at: indexOf(closeOf('2026-05')) - 1, rule: 'period' }),
  ],
  [
    'a first month that is not that of the first entry',
    () => ({ log: lines.filter((line) => !closeOf('2026-02')(line)), at: indexOf(march) - 1, rule: 'period' }),
  ],
  [
    'a month that was closed too early',
    () => ({ log: changed(march, { recorded_at: '2026-04-01T00:04:59.999Z' }), at: indexOf(march), rule: 'period' }),
  ],
  [
    'a month that was closed while a charge was open',
    () => ({ log: lines.filter((line) => line !== lines[indexOf(refundedInMarch)]), at: indexOf(march) - 1, rule: 'period' }),
  ],
  ['a close by nobody', () => ({ log: changed(march, { actor: 'service' }), at: indexOf(march), rule: 'author' })],
  ['a close of the other mode', () => ({ log: changed(march, { mode: 'sandbox' }), at: indexOf(march), rule: 'shape' })],
  [
    'a close that was made from later events',
    () => ({ log: changed(march, { index: indexOf(march) }), at: indexOf(march), rule: 'period' }),
  ],
];

describe('the programs in docs/audit', () => {
  it('accept closed months, and print them', () => {
    const { out, ...found } = auditOf(lines);
    expect(found).toStrictEqual(HOLDS);
    expect(out).toContain('Months closed, live: 4');
    const may = /^ {2}2026-05, closed 2026-06-01T00:05:00.000Z by admin:amina, entries: 5, up to event \d+, statements RUPA of Rupa Ltd$/m;
    expect(out).toMatch(may);
    expect(out).toMatch(/^ {2}2026-04, closed \S+ by admin:amina, entries: 0, /m);
    expect(out).toMatch(/^Months closed, sandbox: 1$/m);
    expect(out).toMatch(/^Recorded after its month was closed: 0$/m);
  });

  it('accept drawn months, whose totals the service has computed', async () => {
    const drawn = await Promise.all(Array.from({ length: DRAWN }, (_, seed) => randomMonths(seed)));
    const found = auditsOf(drawn.map(({ history }) => runOf(history.lines)));
    for (const [index, { out, ...each }] of found.entries()) {
      expect({ index, ...each }).toStrictEqual({ index, ...HOLDS });
      expect(out).toContain(`Months closed, live: ${drawn[index]?.closes}`);
    }
    expect(drawn.reduce((sum, { closes }) => sum + closes, 0)).toBeGreaterThan(DRAWN);
  });
});

describe('the programs in docs/audit name the first event that does not hold, and the rule, for', () => {
  let found: ReadonlyMap<string, Falsified & { readonly finding: Finding | undefined }>;
  beforeAll(() => {
    const all = FALSIFIED.map(([what, falsified]) => [what, falsified()] as const);
    const findings = auditsOf(all.map(([, { log }]) => runOf(rebuilt(log))));
    found = new Map(all.map(([what, each], index) => [what, { ...each, finding: findings[index] }]));
  });

  it.each(FALSIFIED.map(([what]) => what))('%s', (what) => {
    const { at, rule, finding } = found.get(what) ?? {};
    expect([finding?.status, finding?.last]).toStrictEqual([1, expect.stringMatching(new RegExp(`^event ${at}: ${rule}: `))]);
  });

  it('a charge that is dated into a closed month, which they name among what was recorded after', () => {
    const where = ofType('WalletCredited', '"reference":"june"');
    const { status, out } = auditOf(rebuilt(changed(where, { recorded_at: '2026-05-31T23:59:59.999Z' })));
    expect(status).toBe(1);
    expect(out).toMatch(
      /^Recorded after its month was closed: 1\n {2}event \d+: wallet-bank .* it is dated into 2026-05, which was closed before$/m,
    );
  });
});
