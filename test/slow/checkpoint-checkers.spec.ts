import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { sharedApplication } from '../support/application.js';
import { programOfAuditPage } from '../support/audit-page.js';
import { type Checkpoint, makeTwoCheckpoints, ownProof, type Proof } from '../support/checkpoints.js';
import { type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

let service: Application;
let bank: TestPartner;
let other: TestPartner;
let earlier: Checkpoint;

beforeAll(async () => {
  service = await sharedApplication();
  ({ bank, other, earlier } = await makeTwoCheckpoints(service));
});

const keys = async (): Promise<string> => await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text();

const PYTHON = ['Python', 'python', 'checkpoint.py', 'python3'] as const;
const NODE = ['Node', 'js', 'checkpoint.mjs', process.execPath] as const;
const isPythonMissing = spawnSync('python3', ['--version']).error !== undefined;

if (isPythonMissing) {
  describe('the Python program for checkpoints in docs/audit.md', () => {
    it('is NOT TESTED here, because python3 is not installed', () => {
      expect(isPythonMissing).toBe(true);
    });
  });
}

describe.each(isPythonMissing ? [NODE] : [PYTHON, NODE])(
  'the %s program for checkpoints in docs/audit.md',
  (name, language, file, program) => {
    const code = programOfAuditPage(`Checking a checkpoint in ${name}`, language);
    let folder: string;
    let key: string;
    let answer: Proof;
    let note: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
      writeFileSync(join(folder, file), code);
      key = (await keys()).trim().split('\n').at(-1) ?? '';
      answer = await ownProof(bank);
      ({ note } = answer);
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    function check(kept: string, data: object, verifierKey = key, partner = bank.partner_id) {
      const [noteFile, answerFile] = [join(folder, 'note.txt'), join(folder, 'answer.json')];
      writeFileSync(noteFile, kept);
      writeFileSync(answerFile, JSON.stringify({ success: true, data }));
      const { status, stdout, stderr } = spawnSync(program, [join(folder, file), verifierKey, noteFile, answerFile, partner], {
        encoding: 'utf8',
      });
      return { status, out: stdout, err: stderr.trim() };
    }
    const refused = (err: string) => ({ status: 1, out: '', err });
    const resized = (kept: string, size: number) => kept.replace(`\n${answer.tree_size}\n`, `\n${size}\n`);

    it('has fewer than 45 lines', () => {
      expect(code.split('\n').length - 1).toBeLessThan(45);
    });

    it('accepts a checkpoint with the proof of an entry, the last one or an earlier one', async () => {
      const { revision, hash } = answer.entry;
      const out = `The checkpoint of the first ${answer.tree_size} events covers the entry ${revision}:${hash}\n`;
      expect(check(note, answer)).toStrictEqual({ status: 0, out, err: '' });
      const first = await ownProof(bank, 0);
      expect(check(first.note, first)).toMatchObject({ status: 0, out: expect.stringContaining(`covers the entry 0:${first.entry.hash}`) });
    });

    it('refuses the proof of another partner', async () => {
      const theirs = await ownProof(other);
      expect(check(theirs.note, theirs)).toStrictEqual(refused('The proof is of another partner.'));
      const leaf = theirs.leaf.replace(other.partner_id, bank.partner_id);
      expect(check(theirs.note, { ...theirs, leaf })).toStrictEqual(refused('The proof does not hold.'));
    });

    it('refuses another entry, and other texts', () => {
      const { entry, data, metadata } = answer;
      for (const changed of [
        { entry: { ...entry, revision: entry.revision + 1 } },
        { entry: { ...entry, hash: 'f'.repeat(64) } },
        { data: `${data} ` },
        { metadata: ` ${metadata}` },
      ])
        expect(check(note, { ...answer, ...changed })).toStrictEqual(refused('The leaf is of another entry.'));
    });

    it('refuses a changed leaf, index or path', () => {
      const { leaf, index, hashes } = answer;
      for (const changed of [
        { leaf: leaf.replace('Credited', 'Debited') },
        { index: index ^ 1 },
        { index: index + answer.tree_size },
        { hashes: hashes.slice(1) },
        { hashes: hashes.slice(0, -1) },
        { hashes: [...hashes, hashes[0] ?? ''] },
      ])
        expect(check(note, { ...answer, ...changed })).toStrictEqual(refused('The proof does not hold.'));
    });

    it('refuses an earlier root, and the proof of another checkpoint', () => {
      const [, , root = ''] = note.split('\n');
      expect(check(note.replace(root, earlier.root), answer)).toStrictEqual(refused('The key did not sign this.'));
      expect(check(earlier.note, answer)).toStrictEqual(refused('The proof is of another checkpoint.'));
      expect(check(earlier.note, { ...answer, tree_size: earlier.tree_size })).toStrictEqual(refused('The proof does not hold.'));
    });

    it('refuses a changed tree size', () => {
      const size = answer.tree_size + 1;
      expect(check(note, { ...answer, tree_size: size })).toStrictEqual(refused('The proof is of another checkpoint.'));
      expect(check(resized(note, size), { ...answer, tree_size: size })).toStrictEqual(refused('The key did not sign this.'));
    });

    it('refuses another key, and a note that another key signed', () => {
      const forger = new NoteSigner('rupa.example/log', Buffer.alloc(32, 1));
      expect(check(note, answer, forger.verifierKey)).toStrictEqual(refused('The key did not sign this.'));
      const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
      expect(check(forger.sign(text), answer)).toStrictEqual(refused('The key did not sign this.'));
      expect(check(forger.sign(text), answer, forger.verifierKey)).toMatchObject({ status: 0 });
      expect(check(note, answer, key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))).toStrictEqual(refused('The key is malformed.'));
    });
  },
);
