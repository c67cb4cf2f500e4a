import { beforeAll, describe, expect, it } from '@jest/globals';
import { type EventMetadata } from '../../src/platform/event-sourcing/recorded-event.js';
import { codecWithoutKeys } from '../support/service-log.js';
import { auditedAsCommands, auditOf, auditsOf, isPythonMissing, runOf, same } from '../support/audit-programs.js';
import { beginPrices, evidenceOfEverything, register, SIGNER } from '../support/evidence-events.js';
import { evidenceOfMonths } from '../support/evidence-months.js';
import { edited, EvidenceHistory, type EvidenceLine, fileText, rebuilt, signedNote } from '../support/evidence-history.js';

const KEYS = `${SIGNER.verifierKey}\n`;
const ID = '11111111-2222-4333-8444-555555555555';
const HOLDS = { status: 0, last: undefined };

const CREATED = '2026-06-01T00:00:00.000Z';
const MOVED_AT = '2026-06-01T00:00:01.000Z';

type Data = Readonly<Record<string, unknown>>;

let lines: readonly EvidenceLine[];
beforeAll(async () => {
  ({ lines } = await evidenceOfEverything());
});

const noteOf = (size: number): string => signedNote(lines.slice(0, size), SIGNER);

/** Returns the log as another event store has it, which recorded all of it at `created`, with the event of its move. */
function moved(log: readonly EvidenceLine[], created: string, revision = 0): EvidenceLine[] {
  const recorded_at = created.replace('00.000Z', '01.000Z');
  const data = JSON.stringify({ events: log.length, recorded_at, actor: 'service' });
  const metadata = JSON.stringify({ $correlationId: 'move', schema_version: 1 });
  const id = ID.replace('1', `${3 + revision}`);
  return [
    ...log.map((line) => ({ ...line, created })),
    { index: log.length, stream: 'log-main', revision, type: 'LogMoved', id, created, data, metadata },
  ];
}

if (isPythonMissing) {
  describe('docs/audit/audit.py', () => {
    it('is NOT TESTED here, because python3 is not installed', () => {
      expect(isPythonMissing).toBe(true);
    });
  });
}

describe('the programs in docs/audit', () => {
  it('accept a true log, with checkpoints of any size', () => {
    const notes = [1, 2, 3, 31, 32, lines.length].map((size) => noteOf(size));
    const { out, ...found } = auditOf(lines, notes);
    expect(found).toStrictEqual(HOLDS);
    expect(out).toMatch(/^Events: \d+, dated 2026-03-01T08:00:00.000Z to 2026-03-01T09:.*, of which in streams of others: 1$/m);
    expect(out).toMatch(/^Checkpoint note-0-5.txt of \d+ events: holds$/m);
    expect(out).toContain('Checkpoints in the log: 1, the newest is of');
    expect(out).toContain('  live LookupCompensated by admin:bayo: 1, NGN 60.00');
    expect(out).toContain('  LedgerEntryPosted: 9, NGN 69268.50');
    expect(out).toContain('  live passthrough_settlement LedgerEntryPosted by admin:amina: 2, NGN 60.00');
    expect(out).toContain('  live opening_balance LedgerEntryPosted by admin:amina, approved by admin:bayo: 1, NGN 60000.00');
    expect(out).toContain('  live payment WalletCredited by admin:amina, approved by admin:bayo: 1, NGN 60000.00');
    expect(out).toMatch(/^ {2}2026-03-01T\S+Z, by service: NGN 50000.00: 1$/m);
    expect(out).toMatch(/^Larger entries without a second person: 0$/m);
    expect(out).toContain('  wallet-bank at revision 1, by cli:ops: a note');
    expect(out).toMatch(/^ {2}price book version 3, 2026-03-01T09:02:\S+Z, by admin:bayo: 1$/m);
    expect(out).toMatch(/^Result: everything holds$/m);
  });

  it('pass over the cosignatures of witnesses under a note', () => {
    const cosignature = `— witness.example/w1 ${Buffer.alloc(76, 9).toString('base64')}\n`;
    const { status, out } = auditOf(lines, [`${noteOf(3)}${cosignature}`]);
    expect(status).toBe(0);
    expect(out).toContain('of 3 events: holds');
  });

  it('say with their exit status whether everything holds', () => {
    expect(same(auditedAsCommands(runOf(lines, [noteOf(3)])))).toMatchObject(HOLDS);
    expect(same(auditedAsCommands(runOf(lines.slice(1))))).toMatchObject({ status: 1, last: expect.stringMatching(/^event 0: index: /) });
    expect(same(auditedAsCommands(runOf(lines, [], '')))).toMatchObject({ status: 2 });
  });

  it('accept an empty log', () => {
    expect(auditOf('', [signedNote([], SIGNER)])).toMatchObject(HOLDS);
  });

  it('print the trial balance at any moment and of any month', () => {
    const options = ['--month=2026-03', '--month=2026-04', '--at=2026-01-30', '--at=2026-03-01T08:30:00.000Z'];
    const [march, april, before, during] = auditsOf(options.map((option) => runOf(lines, [], KEYS, [option])));
    expect(march?.out).toContain('  cash_received 8985.00 160201.00 1352.50 167833.50');
    expect(april?.out).toContain('  cash_received 167833.50 0.00 0.00 167833.50');
    expect(before?.out).not.toContain('cash_received');
    expect(during?.out).toContain('  cash_received 0.00 109200.00 1367.50 107832.50');
  });

  it('accept the forms in which earlier releases stored events', () => {
    const without = (data: Data, ...names: string[]): Data =>
      Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
    const earlier = lines.map((line): EvidenceLine => {
      const event = {
        ...line,
        revision: 0n,
        position: 0n,
        data: JSON.parse(line.data) as Data,
        metadata: JSON.parse(line.metadata) as EventMetadata,
      };
      if (line.type === 'WalletDebited') {
        const { data } = codecWithoutKeys().inFull(event);
        const inFull = { ...data, key_id: String(data.actor).slice('key:'.length), actor: 'api' };
        return edited({ ...line, data: JSON.stringify(inFull) }, { metadata: { schema_version: 1 } });
      }
      // A release without VAT recorded refunds without fees.
      if (line.type === 'RefundIssued' && event.data.vat_percent === undefined)
        return { ...line, data: JSON.stringify(without(event.data, 'breakdown_kobo')) };
      if (line.data.includes('"payment"'))
        return { ...line, data: JSON.stringify(without(event.data, line.type === 'WalletCredited' ? 'kind' : '')) };
      if (line.type.startsWith('AdminCall')) return { ...line, data: JSON.stringify(without(event.data, 'call_id')) };
      if (line.type !== 'CheckpointSigned') return line;
      const data = { number: 1, tree_size: 1, root: '', note: '', leaves_id: '', recorded_at: event.data.recorded_at, actor: 'service' };
      return { ...line, type: 'CheckpointMade', data: JSON.stringify(data) };
    });
    const chained = rebuilt(earlier).map((line, _, all) => {
      const previous = all.findLast(
        ({ stream, index, metadata }) => stream === line.stream && index < line.index && metadata.includes('"hash"'),
      );
      if (!line.metadata.includes('"hash"')) return line;
      const { hash = '0'.repeat(64) } = JSON.parse(previous?.metadata ?? '{}') as { hash?: string };
      return edited(line, { metadata: { prev_hash: hash } });
    });
    const { out, ...found } = auditOf(chained);
    expect(found).toStrictEqual(HOLDS);
    expect(out).toContain('over wallets only: 1');
    expect(out).toContain('  refunds 0.00 600.00 0.00 600.00');
  });

  it('accept a log that begins with version 1 of the price book', () => {
    const older = (text: string): string =>
      text.replace(/"((?:price_book_)?version)":([23])/, (_, name, version) => `"${String(name)}":${Number(version) - 1}`);
    const from = lines.findIndex(({ type }) => type === 'PriceBookPublished');
    const log = lines.map((line) => (line.index < from ? line : { ...line, data: older(line.data) }));
    expect(auditOf(rebuilt(log))).toMatchObject(HOLDS);
  });

  it('accept prices by the service only where a log begins with them', async () => {
    const history = new EvidenceHistory();
    await beginPrices(history);
    await register(history, 'p1', 'live', 'admin:amina');
    const { lines: begun } = history;
    const found = auditOf(begun);
    expect(found).toMatchObject(HOLDS);
    expect(found.out).toContain('price book version 1, 2026-03-01T08:00:00.000Z, by service');
    const registered = begun.findIndex(({ type }) => type === 'PartnerRegistered');
    const later = rebuilt([...begun.slice(1, registered + 1), ...begun.slice(0, 1), ...begun.slice(registered + 1)]);
    expect(auditOf(later)).toMatchObject({ status: 1, last: expect.stringMatching(new RegExp(`^event ${registered}: author: `)) });
    const other = begun.map((line, index) => (index === 0 ? edited(line, { data: { version: 2 } }) : line));
    expect(auditOf(other)).toMatchObject({ status: 1, last: expect.stringMatching(/^event 0: author: /) });
  });

  it('compare no event before a move with the time at which the log was moved', () => {
    const found = auditOf(moved(lines, CREATED));
    expect(found).toMatchObject(HOLDS);
    expect(found.out).toContain(`Moves to another event store: 1\n  event ${lines.length}, ${MOVED_AT}, by service\n`);
    expect(auditOf(moved(lines, CREATED).slice(0, -1))).toMatchObject({ status: 1, last: expect.stringMatching(/^event 0: time: /) });
  });

  it('accept a log that was moved twice', () => {
    const twice = moved(moved(lines, CREATED), '2026-07-01T00:00:00.000Z', 1);
    expect(auditOf(twice)).toMatchObject(HOLDS);
  });

  it('name an event of a moved log that is dated more than five minutes before an earlier one', () => {
    const at = lines.findIndex(({ data }) => data.includes('"reference":"last"'));
    const falsified = lines.map((line, index) =>
      index === at ? edited(line, { data: { recorded_at: '2026-02-28T09:00:00.000Z' } }) : line,
    );
    expect(auditOf(moved(rebuilt(falsified), CREATED))).toMatchObject({
      status: 1,
      last: expect.stringMatching(new RegExp(`^event ${at}: (?:time|recorded_at): `)),
    });
    const call = lines.findIndex(({ type }) => type === 'AdminCallEnded');
    const later = lines.findIndex(({ type, index }) => type === 'AdminCallEnded' && index > call + 20);
    const back = lines.map((line, index) => (index === later ? edited(line, { data: { recorded_at: '2026-02-28T09:00:00.000Z' } }) : line));
    expect(auditOf(moved(back, CREATED))).toMatchObject({
      status: 1,
      last: expect.stringMatching(new RegExp(`^event ${later}: time: .*more than five minutes before event`)),
    });
  });

  it('go on comparing the events of a log that says a wrong number of moved events', () => {
    const wrong = moved(lines, CREATED).map((line) => (line.type === 'LogMoved' ? edited(line, { data: { events: 1 } }) : line));
    expect(auditOf(wrong)).toMatchObject({ status: 1, last: expect.stringMatching(/^event 0: time: /) });
    const unmoved = lines.map(({ index, created }) => ({ index, created }));
    const claimed = wrong.map((line, index) => ({ ...line, created: unmoved[index]?.created ?? MOVED_AT }));
    expect(auditOf(claimed)).toMatchObject({
      status: 1,
      last: expect.stringMatching(`^event ${lines.length}: moved: .* 1 events were moved`),
    });
  });

  it('compare the events after a move', () => {
    const log = moved(lines, CREATED);
    const last = { ...(log.at(-1) as EvidenceLine), index: log.length, revision: 1, id: ID.replace('1', '2') };
    const next = edited(last, { data: { events: log.length, recorded_at: '2026-06-01T01:00:00.000Z' } });
    expect(auditOf([...log, { ...next, created: '2026-06-01T01:00:01.000Z' }])).toMatchObject(HOLDS);
    const found = auditOf([...log, { ...next, created: '2026-06-01T02:00:00.000Z' }]);
    expect(found).toMatchObject({ status: 1, last: expect.stringMatching(`^event ${log.length}: time: .*the event store recorded it`) });
  });

  it('name an event that is no JSON, or not even UTF-8, unless it was skipped', () => {
    const { data: _, ...last } = { ...(lines.at(-1) as EvidenceLine), index: lines.length, id: ID };
    const foreign = (more: object): string => `${fileText(lines)}${JSON.stringify({ ...last, revision: last.revision + 1, ...more })}\n`;
    const unusable = [{ data: '{' }, { data: '[]' }, { data_base64: '/w==' }, { data: '{"recorded_at":"2026-13-01T00:00:00.000Z"}' }];
    const broken = [{ data: 1 }, { data: '{}', data_base64: 'e30=' }, { data_base64: '/w' }, { data: '{}', created: 'now' }];
    const found = auditsOf([...unusable, ...broken].map((more) => runOf(foreign(more))));
    const rules = found.map(({ status, last }) => [status, last?.split(':').slice(0, 2).join(':')]);
    const expected = (rule: string): [number, string] => [1, `event ${lines.length}: ${rule}`];
    expect(rules).toStrictEqual([...unusable.map(() => expected('shape')), ...broken.map(() => expected('line'))]);
  });

  it('come to a result, and to the same, on an event that lacks any of its fields', async () => {
    const { lines: months } = await evidenceOfMonths();
    const logs = [lines, months];
    const firsts = logs.flatMap((log) => log.filter(({ type }, index) => log.findIndex((each) => each.type === type) === index));
    const lacking = firsts.flatMap((line) =>
      Object.keys(JSON.parse(line.data) as Data).map((field) =>
        edited({ ...line, index: 0, revision: 0 }, { data: { [field]: undefined } }),
      ),
    );
    expect(new Set(lacking.map(({ type }) => type))).toContain('PeriodClosed');
    for (const { out } of auditsOf(lacking.map((line) => runOf([line])))) expect(out).toMatch(/^Result: /m);
  });

  it('read no field that the type of an event does not have', () => {
    const log = lines.filter(({ type }) => type !== 'CheckpointSigned');
    const foreign = { kind: 'goodwill', bank_fee_kobo: '1', vat_percent: '1' };
    const types = ['WalletPaidOut', 'ConsentGranted', 'ChargesSettled'];
    const extended = log.map((line) => (types.includes(line.type) ? edited(line, { data: foreign }) : line));
    expect(extended).not.toStrictEqual(log);
    const [found, plain] = auditsOf([extended, log].map((each) => runOf(rebuilt(each), [], KEYS, ['--figures'])));
    const withoutRoot = (out = ''): string => out.replace(/^Root .*$/m, '');
    expect(plain).toMatchObject(HOLDS);
    expect({ ...found, out: withoutRoot(found?.out) }).toStrictEqual({ ...plain, out: withoutRoot(plain?.out) });
  });

  it('end with 2 for keys, checkpoints and options that are none', () => {
    const overWallets = SIGNER.sign(`${SIGNER.name}\n1\n${'A'.repeat(43)}=\nnumber 1\nmade_at x\n`);
    const runs = [
      runOf(lines, [], '\n'),
      runOf(lines, [], `${KEYS}${KEYS.replace('+', '-')}`),
      runOf(lines, ['no note\n']),
      runOf(lines, [overWallets]),
      ...['--at=2026-3-1', '--month=2026-13', '--at', '--all=x'].map((option) => runOf(lines, [], KEYS, [option])),
    ];
    for (const found of auditsOf(runs)) expect(found).toMatchObject({ status: 2, out: '' });
  });
});
