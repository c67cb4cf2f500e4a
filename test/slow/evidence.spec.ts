import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditOf, auditsOf, runOf } from '../support/audit-programs.js';
import { type EvidenceWorld, startEvidenceWorld } from '../support/evidence-world.js';
import { balancesOf } from '../support/ledger.js';
import { Random } from '../support/random.js';
import { rupa } from '../support/rupa.js';
import { randomEvidence } from '../support/evidence-drawn.js';
import { SIGNER } from '../support/evidence-events.js';
import { type EvidenceLine, rebuilt, signedNote } from '../support/evidence-history.js';

const HOLDS = { status: 0, last: undefined };
const linesIn = (text: string): EvidenceLine[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as EvidenceLine);

describe('the programs in docs/audit', () => {
  let world: EvidenceWorld;
  let folder: string;
  beforeAll(async () => {
    world = await startEvidenceWorld();
    folder = mkdtempSync(join(tmpdir(), 'rupa-evidence-'));
  });
  afterAll(async () => {
    await world.service.stop();
    rmSync(folder, { recursive: true });
  });

  it('hold for the log of a service, and have its trial balance', async () => {
    const text = await world.evidence();
    const lines = linesIn(text);
    const { out, ...found } = auditOf(text, [signedNote(lines, SIGNER), signedNote(lines.slice(0, 50), SIGNER)]);
    expect(found).toStrictEqual(HOLDS);
    for (const mode of ['live', 'sandbox']) {
      const { accounts } = await balancesOf({ ...world.service, adminToken: world.service.auditorToken }, `?mode=${mode}`);
      const said = accounts.map(({ account, debit, credit, balance }) =>
        [`  ${account}`, 0, debit, credit, balance].map((each) => (typeof each === 'number' ? each.toFixed(2) : each)).join(' '),
      );
      expect(said.length).toBeGreaterThan(3);
      const [, printed = ''] = new RegExp(`^Trial balance, ${mode}, .*\n([^]*?)  total`, 'm').exec(out) ?? [];
      expect(printed.trimEnd().split('\n')).toStrictEqual(said);
    }
    expect(out).toMatch(
      /^Months closed, live: 2\n {2}2026-01, closed .*, entries: 1, up to event \d+, .*\n {2}2026-02, closed .*, entries: 1, /m,
    );
  });

  it('read the file that rupa audit evidence writes, whole or from an index on, and the audit trail shows who wrote it', async () => {
    const file = join(folder, 'evidence.jsonl');
    const written = await rupa(world.service, ['audit', 'evidence', file]);
    expect(written).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^Events: \d+ /) });
    const text = readFileSync(file, 'utf8');
    expect(auditOf(text)).toMatchObject(HOLDS);
    const from = linesIn(text).length - 5;
    const { out } = await rupa(world.service, ['audit', 'evidence', '-', '--from', String(from)]);
    expect(out.startsWith(text.split('\n').slice(from).join('\n'))).toBe(true);
    expect(
      linesIn(out)
        .filter(({ data }) => data.includes('"rupa audit evidence"'))
        .map(({ type }) => type),
    ).toStrictEqual(['AdminCallBegun', 'AdminCallEnded', 'AdminCallBegun']);
    expect((await rupa(world.service, ['audit', 'evidence', file, '--from', '-1'])).code).toBe(2);
  });
});

describe('the programs in docs/audit, for drawn histories', () => {
  const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

  it('accept each, and agree on what they find when an event is removed, repeated, moved or dated otherwise', async () => {
    const histories = await Promise.all(SEEDS.map(async (seed) => (await randomEvidence(seed)).lines));
    const truths = auditsOf(histories.map((lines) => runOf(lines, [signedNote(lines, SIGNER)])));
    for (const [seed, found] of truths.entries()) expect([seed, found]).toMatchObject([seed, HOLDS]);
    const falsified = histories.map((lines, seed) => runOf(damaged(lines, new Random(seed)), [signedNote(lines, SIGNER)]));
    for (const [seed, found] of auditsOf(falsified).entries()) expect([seed, found.status]).toStrictEqual([seed, 1]);
  });
});

/** Changes one thing, and recomputes what follows from it. */
function damaged(lines: readonly EvidenceLine[], random: Random): readonly EvidenceLine[] {
  const at = random.between(1, lines.length - 2);
  const [before, line, after] = [lines.slice(0, at), lines[at] as EvidenceLine, lines.slice(at + 1)];
  switch (random.pick(['remove', 'repeat', 'exchange', 'date', 'text'] as const)) {
    case 'remove':
      return rebuilt([...before, ...after]);
    case 'repeat':
      return rebuilt([...before, line, { ...line, id: '11111111-2222-4333-8444-555555555555' }, ...after]);
    case 'exchange':
      return rebuilt([...before.slice(0, -1), line, before.at(-1) as EvidenceLine, ...after]);
    case 'date':
      return rebuilt([...before, { ...line, data: line.data.replace('"recorded_at":"2026', '"recorded_at":"2025') }, ...after]);
    case 'text':
      return rebuilt([...before, { ...line, metadata: line.metadata.replace('{', '{"more":1,') }, ...after]);
  }
}
