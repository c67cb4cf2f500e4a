import { beforeAll, describe, expect, it } from '@jest/globals';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { auditsOf, type Finding, type Log, runOf } from '../support/audit-programs.js';
import { CHANGED, approved, checkpoint, debit, lastCredit, ofType, raised, type Where } from '../support/evidence-changes.js';
import { evidenceOfEverything, SIGNER } from '../support/evidence-events.js';
import { edited, type EvidenceLine, fileText, rebuilt, signedNote } from '../support/evidence-history.js';

const FORGER = new NoteSigner(SIGNER.name, Buffer.alloc(32, 8));
const FIVE_MINUTES_MS = 300_000;
const HOLDS = { status: 0, last: undefined };

let lines: readonly EvidenceLine[];
beforeAll(async () => {
  ({ lines } = await evidenceOfEverything());
});

const noteOf = (size: number, of = lines): string => signedNote(of.slice(0, size), SIGNER);
const indexOf = (where: Where, of = lines): number => of.findIndex(where);

/** Returns the log with the first such line changed. */
const changed = (where: Where, data: object, metadata: object = {}): EvidenceLine[] =>
  lines.map((line, index) => (index === indexOf(where) ? edited(line, { data: { ...data }, metadata: { ...metadata } }) : line));
const without = (where: Where): EvidenceLine[] => lines.filter((_, index) => index !== indexOf(where));
/** Returns the log with a line after another one, which has a new id. */
function withAfter(where: Where, line: EvidenceLine | undefined): EvidenceLine[] {
  if (!line) throw new Error('There is no such line.');
  const at = indexOf(where) + 1;
  return [...lines.slice(0, at), { ...line, id: '11111111-2222-4333-8444-555555555555' }, ...lines.slice(at)];
}
const lineOf = (where: Where): EvidenceLine => lines[indexOf(where)] as EvidenceLine;

const correlationOf = ({ metadata }: EvidenceLine): string => (JSON.parse(metadata) as { $correlationId: string }).$correlationId;

const callOf =
  (type: 'AdminCallBegun' | 'AdminCallEnded', line: EvidenceLine): Where =>
  (each) =>
    each.type === type && correlationOf(each) === correlationOf(line);

/** Returns the log with the last credit moved behind the end of its call, and dated so many milliseconds later. */
function dated(msAfterEnd: number): { log: EvidenceLine[]; at: number } {
  const credit = lineOf(lastCredit);
  const end = callOf('AdminCallEnded', credit);
  const { recorded_at: ended } = JSON.parse(lineOf(end).data) as { recorded_at: string };
  const recorded_at = new Date(Date.parse(ended) + msAfterEnd).toISOString();
  const others = without(lastCredit);
  const at = indexOf(end, others) + 1;
  const late = { ...edited(credit, { data: { recorded_at } }), created: recorded_at };
  return { log: rebuilt([...others.slice(0, at), late, ...others.slice(at)]), at };
}

/** A falsified log, with the first event that does not hold, the rule, the notes that somebody kept and the keys. */
interface Falsified {
  readonly log: Log;
  readonly at: number;
  readonly rule: string;
  readonly notes?: readonly string[];
  readonly keys?: string;
}

const KEPT = 31;
const kept = (): string[] => [noteOf(lines.length), noteOf(KEPT)];

const FALSIFIED: readonly (readonly [what: string, () => Falsified])[] = [
  ['an amount without its hash', () => ({ log: changed(lastCredit, { amount_kobo: 2_00 }), at: indexOf(lastCredit), rule: 'hash' })],
  [
    'an entry that builds upon another one',
    () => ({ log: changed(lastCredit, {}, { prev_hash: 'f'.repeat(64) }), at: indexOf(lastCredit), rule: 'prev_hash' }),
  ],
  ['an entry without a hash', () => ({ log: changed(lastCredit, {}, { hash: undefined }), at: indexOf(lastCredit), rule: 'shape' })],
  ['an event that was removed', () => ({ log: without(raised), at: indexOf(raised), rule: 'index' })],
  [
    'a gap of revisions',
    () => {
      const log = lines.map((line, index) => (index === indexOf(lastCredit) ? { ...line, revision: line.revision + 1 } : line));
      return { log, at: indexOf(lastCredit), rule: 'revision' };
    },
  ],
  ['a price book that was removed', () => ({ log: rebuilt(without(raised)), at: indexOf(debit('l3c')) - 1, rule: 'price' })],
  [
    'a rate of VAT that was changed in the price book',
    () => ({ log: rebuilt(changed(raised, { vat_percent: 7.55 })), at: indexOf(debit('l3c')), rule: 'price' }),
  ],
  [
    'a charge that was removed',
    () => ({ log: rebuilt(without(debit('l5'))), at: indexOf(ofType('ChargesSettled', 'l5')) - 1, rule: 'balance' }),
  ],
  [
    'a settlement that was removed at the end of a wallet',
    () => ({ log: rebuilt(without(ofType('ChargesSettled', 'l6'))), at: indexOf(approved) - 1, rule: 'open_from_revision' }),
  ],
  [
    'a settlement that was removed with the rest of its wallet',
    () => ({ log: rebuilt(without(ofType('ChargesSettled', 'l5'))), at: indexOf(debit('l5')), rule: 'open_too_long' }),
  ],
  [
    'a partner that was removed',
    () => ({
      log: rebuilt(without(ofType('PartnerRegistered', 'shop'))),
      at: indexOf(ofType('WalletCredited', '"shop"')) - 1,
      rule: 'partner',
    }),
  ],
  [
    'an audit entry that was removed',
    () => ({ log: rebuilt(without(callOf('AdminCallBegun', lineOf(lastCredit)))), at: indexOf(lastCredit) - 1, rule: 'author' }),
  ],
  ['an event of a call that had ended long before', () => ({ ...dated(FIVE_MINUTES_MS + 1), rule: 'author' })],
  [
    'a decision to skip that was removed',
    () => ({ log: rebuilt(without(ofType('EventSkipped'))), at: indexOf(ofType('Note')), rule: 'shape' }),
  ],
  [
    'an event of an unknown type',
    () => ({ log: rebuilt(withAfter(raised, { ...lineOf(raised), type: 'PriceBookBurnt' })), at: indexOf(raised) + 1, rule: 'shape' }),
  ],
  [
    'an id that occurs twice',
    () => {
      const log = lines.map((line, index) => (index === indexOf(lastCredit) ? { ...line, id: lineOf(raised).id } : line));
      return { log, at: indexOf(lastCredit), rule: 'id' };
    },
  ],
  [
    'a read that was removed from the audit trail',
    () => ({ log: rebuilt(without(ofType('AdminCallEnded', '"GET"'))), at: lines.length - 1, rule: 'size', notes: kept() }),
  ],
  [
    'an event that was added',
    () => {
      const { balance_after_kobo, amount_kobo } = JSON.parse(lineOf(lastCredit).data) as {
        balance_after_kobo: number;
        amount_kobo: number;
      };
      const more = edited(lineOf(lastCredit), { data: { reference: 'more', balance_after_kobo: balance_after_kobo + amount_kobo } });
      return { log: rebuilt(withAfter(lastCredit, more)), at: KEPT, rule: 'root', notes: kept() };
    },
  ],
  [
    'two events that were exchanged',
    () => {
      const at = indexOf(ofType('AdminCallEnded', '"GET"'));
      const [one, other] = lines.slice(at, at + 2) as [EvidenceLine, EvidenceLine];
      return { log: rebuilt([...lines.slice(0, at), other, one, ...lines.slice(at + 2)]), at: KEPT, rule: 'root', notes: kept() };
    },
  ],
  ['an amount nobody could check', () => ({ log: rebuilt(changed(lastCredit, { reason: 'x' })), at: KEPT, rule: 'root', notes: kept() })],
  ['a shorter log', () => ({ log: lines.slice(0, -2), at: lines.length - 2, rule: 'size', notes: kept() })],
  [
    'a checkpoint signed by another key',
    () => ({ log: lines, at: KEPT, rule: 'signature', notes: [noteOf(KEPT), signedNote(lines, FORGER)] }),
  ],
  [
    'a checkpoint with another root',
    () => ({
      log: lines,
      at: indexOf(checkpoint),
      rule: 'signature',
      notes: [noteOf(9).replace(/^(.*\n9\n)(.)/, (_, before, first) => `${String(before)}${first === 'A' ? 'B' : 'A'}`)],
    }),
  ],
  ['keys of another log', () => ({ log: lines, at: indexOf(checkpoint), rule: 'checkpoint', keys: FORGER.verifierKey })],
  [
    'a checkpoint in the log that another key signed',
    () => ({
      log: changed(checkpoint, { note: signedNote(lines.slice(0, indexOf(checkpoint)), FORGER) }),
      at: indexOf(checkpoint),
      rule: 'checkpoint',
    }),
  ],
  [
    'a change before a checkpoint in the log',
    () => ({ log: rebuilt(changed(ofType('Noted'), { text: 'another' })), at: indexOf(checkpoint), rule: 'checkpoint' }),
  ],
  ['a file that is cut off', () => ({ log: fileText(lines).slice(0, -20), at: lines.length - 1, rule: 'line' })],
  ['a line that is none', () => ({ log: `${fileText(lines.slice(0, 3))}\n${fileText(lines.slice(3))}`, at: 3, rule: 'line' })],
  [
    'a line without its data',
    () => ({
      log: fileText(lines.map(({ data, ...line }) => (line.index === 5 ? line : { ...line, data })) as EvidenceLine[]),
      at: 5,
      rule: 'line',
    }),
  ],
];

/** The first event that does not hold in each falsified log, the rule, and what the programs find. */
function findings(): Map<string, { at: number; rule: string; found: Finding | undefined }> {
  const changes = CHANGED.map(([what, rule, where, data]): readonly [string, Falsified] => {
    const change = typeof data === 'function' ? (data as (data: unknown) => object)(JSON.parse(lineOf(where).data)) : data;
    return [what, { log: rebuilt(changed(where, change)), at: indexOf(where), rule }];
  });
  const all = [...changes, ...FALSIFIED.map(([what, falsified]) => [what, falsified()] as const)];
  const found = auditsOf(all.map(([, { log, notes, keys }]) => runOf(log, notes, keys)));
  return new Map(all.map(([what, { at, rule }], index) => [what, { at, rule, found: found[index] }]));
}

describe('the programs in docs/audit name the first event that does not hold, and the rule, for', () => {
  let found: ReturnType<typeof findings>;
  beforeAll(() => {
    found = findings();
  });

  it.each([...CHANGED, ...FALSIFIED].map(([what]) => what))('%s', (what) => {
    const { at, rule, found: each } = found.get(what) ?? {};
    const { status, out, last } = each ?? {};
    expect([status, last]).toStrictEqual([1, expect.stringMatching(new RegExp(`^event ${at}: ${rule}: `))]);
    expect(out).toContain(`Result: does not hold at event ${at} (${rule})`);
  });

  it('nothing, if an event reached the log five minutes after the end of its call', () => {
    expect(auditsOf([runOf(dated(FIVE_MINUTES_MS).log)])).toMatchObject([HOLDS]);
  });

  it('two logs of which one has the checkpoint', async () => {
    const { lines: other } = await evidenceOfEverything();
    const [own, foreign] = auditsOf([runOf(other, [noteOf(KEPT, other)]), runOf(other, [noteOf(KEPT)])]);
    expect(own).toMatchObject(HOLDS);
    expect(foreign).toMatchObject({ status: 1, last: expect.stringMatching(/^event \d+: root: note-1-0.txt: /) });
  });
});
