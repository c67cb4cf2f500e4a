import { beforeAll, describe, expect, it } from '@jest/globals';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { type AuditRun, auditsOf, runOf } from '../support/audit-programs.js';
import { evidenceOfEverything, SIGNER } from '../support/evidence-events.js';
import { type EvidenceLine, rebuilt, signedNote } from '../support/evidence-history.js';

const SECOND = new NoteSigner(`${SIGNER.name}/2`, Buffer.alloc(32, 9));
const OTHER = new NoteSigner('other.example/log', Buffer.alloc(32, 10));
const FORGER = new NoteSigner(SIGNER.name, Buffer.alloc(32, 8));
const KEYS = [SIGNER, SECOND, OTHER].map(({ verifierKey }) => `${verifierKey}\n`).join('');
const AT = '2026-03-01T10:00:00.000Z';
const REASON = 'The disk of the event store failed.';

type Data = Readonly<Record<string, unknown>>;

let lines: readonly EvidenceLine[];
/** Number of events of the log that was restored, and of those that a checkpoint in it covers. */
let kept: number;
let held: number;
beforeAll(async () => {
  ({ lines } = await evidenceOfEverything());
  const signed = lines.findIndex(({ type }) => type === 'CheckpointSigned');
  [held, kept] = [signed, signed + 1];
});

let ids = 0;
function line(stream: string, type: string, data: Data, correlation = 'adoption'): EvidenceLine {
  ids += 1;
  const id = `11111111-2222-4333-8444-${String(ids).padStart(12, '0')}`;
  const metadata = JSON.stringify({ $correlationId: correlation, schema_version: 1 });
  return { index: 0, stream, revision: 0, type, id, created: AT, data: JSON.stringify({ recorded_at: AT, ...data }), metadata };
}

/** Returns the log that was restored and adopted, and goes on with a checkpoint of the new log. */
function adopted(changes: Data = {}, signer = SECOND): EvidenceLine[] {
  const call = { role: 'cli', name: 'ops', method: 'RUN', route: 'rupa events adopt', call_id: 'adoption' };
  const adoption = {
    origin: SECOND.name,
    former_note: signedNote(lines, SIGNER),
    former_key: SIGNER.verifierKey,
    lost_events: lines.length - kept,
    reason: REASON,
    actor: 'cli',
    ...changes,
  };
  const log = rebuilt([
    ...lines.slice(0, kept),
    line('admin_audit-2026-03-01', 'AdminCallBegun', call),
    line('log-main', 'LogAdopted', adoption),
    line('admin_audit-2026-03-01', 'AdminCallEnded', { ...call, status: 0 }),
    line('checkpoint_keys-main', 'CheckpointKeyIssued', {
      number: 2,
      name: signer.name,
      verifier_key: signer.verifierKey,
      actor: 'service',
    }),
  ]);
  return withCheckpoint(log, signer);
}

function withCheckpoint(log: readonly EvidenceLine[], signer: NoteSigner): EvidenceLine[] {
  const note = signedNote(log, signer);
  const checkpoint = { number: 2, tree_size: log.length, root: note.split('\n')[2], note, actor: 'service' };
  return rebuilt([...log, line('checkpoints-main', 'CheckpointSigned', checkpoint)]);
}

const audit = (...run: Parameters<typeof runOf>) => auditsOf([runOf(...run)])[0];

describe('the audit of a log that lost events and was adopted', () => {
  it('names the loss, and the notes of the former log that cover what was lost', () => {
    const log = adopted();
    const notes = [signedNote(lines, SIGNER), signedNote(lines.slice(0, kept + 3), SIGNER), signedNote(lines.slice(0, held), SIGNER)];
    const found = audit(log, [...notes, signedNote(log, SECOND)], KEYS);
    expect(found).toMatchObject({ status: 0, last: undefined });
    const former = `of the former log ${SIGNER.name}, not comparable`;
    expect(found?.out).toContain(`Checkpoint note-0-0.txt of ${lines.length} events: ${former}\n`);
    expect(found?.out).toContain(`Checkpoint note-0-1.txt of ${kept + 3} events: ${former}\n`);
    expect(found?.out).toContain(`Checkpoint note-0-2.txt of ${held} events: holds\n`);
    expect(found?.out).toContain(`Checkpoint note-0-3.txt of ${log.length} events: holds\n`);
    expect(found?.out).toContain(
      `Logs that began after a loss: 1\n  event ${kept + 1}, ${AT}, by cli: ${REASON}; ${SECOND.name} follows ${SIGNER.name}, whose last known checkpoint is of ${lines.length} events; lost of these: ${lines.length - kept}; those before event ${held} are not\n`,
    );
  });

  it('says that it is not known how many events were lost, if the service did not know', () => {
    const found = audit(adopted({ lost_events: null }), [], KEYS);
    expect(found).toMatchObject({ status: 0 });
    expect(found?.out).toContain('lost of these: not known;');
  });

  const forged = (size: number): string => signedNote([...lines.slice(0, size - 1), ...lines.slice(0, 1)], SIGNER);
  const larger = (): string => signedNote([...lines, ...lines.slice(-3)], SIGNER);
  const FALSIFIED: readonly (readonly [what: string, last: string, run: () => AuditRun])[] = [
    ['a loss of nothing', 'adopted: .*holds', () => runOf(adopted({ former_note: signedNote(lines.slice(0, held), SIGNER) }), [], KEYS)],
    [
      'a note that nobody signed',
      'adopted: .*none of the keys',
      () => runOf(adopted({ former_note: signedNote(lines, FORGER) }), [], KEYS),
    ],
    ['no note', 'adopted: .*no checkpoint', () => runOf(adopted({ former_note: 'lost' }), [], KEYS)],
    ['a log that is not the next one', 'adopted: .*is not the log after', () => runOf(adopted({ origin: `${SIGNER.name}/3` }), [], KEYS)],
    [
      'the log of another service',
      'adopted: .*is not the log after',
      () => runOf(adopted({ former_note: signedNote(lines, OTHER) }), [], KEYS),
    ],
    ['fewer lost events than are missing', 'adopted: .*it says that', () => runOf(adopted({ lost_events: 1 }), [], KEYS)],
    [
      'more lost events than a checkpoint allows',
      'adopted: .*it says that',
      () => runOf(adopted({ lost_events: lines.length - held + 1 }), [], KEYS),
    ],
    ['a loss by nobody', 'author: ', () => runOf(adopted({ actor: 'service' }), [], KEYS)],
    ['a checkpoint of the former log after the loss', 'checkpoint: .*no loss began', () => runOf(adopted({}, SIGNER), [], KEYS)],
    [
      'a checkpoint of the next log without a loss',
      'checkpoint: .*no loss began',
      () =>
        runOf(
          withCheckpoint(
            rebuilt(
              adopted()
                .slice(0, -1)
                .filter(({ type }) => type !== 'LogAdopted'),
            ),
            SECOND,
          ),
          [],
          KEYS,
        ),
    ],
    ['another history of what was not lost', 'root: ', () => runOf(adopted(), [forged(held)], KEYS)],
    ['another end of the former log', 'size: ', () => runOf(adopted(), [forged(lines.length)], KEYS)],
    ['a former log that was longer than the loss says', 'size: ', () => runOf(adopted(), [larger()], KEYS)],
  ];

  it('finds what is false', () => {
    const found = auditsOf(FALSIFIED.map(([, , run]) => run()));
    const expected = FALSIFIED.map(([what, last]) => [what, 1, expect.stringMatching(new RegExp(`^event \\d+: ${last}`)) as unknown]);
    expect(FALSIFIED.map(([what], run) => [what, found[run]?.status, found[run]?.last])).toStrictEqual(expected);
  });
});
