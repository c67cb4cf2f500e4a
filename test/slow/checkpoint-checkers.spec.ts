import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { sharedApplication } from '../support/application.js';
import { programOfAuditPage } from '../support/audit-page.js';
import { type Checkpoint, makeTwoCheckpoints, ownCheckpoint, type Proof } from '../support/checkpoints.js';
import { admin, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

let service: Application;
let bank: TestPartner;
let other: TestPartner;
let earlier: Checkpoint;
let checkpoint: Checkpoint;

beforeAll(async () => {
  service = await sharedApplication();
  ({ bank, other, earlier, checkpoint } = await makeTwoCheckpoints(service));
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
    let answer: Checkpoint & { proof: Proof };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
      writeFileSync(join(folder, file), code);
      key = (await keys()).trim().split('\n').at(-1) ?? '';
      answer = (await ownCheckpoint(bank, checkpoint.number)) as typeof answer;
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    function check(note: string, data: object, verifierKey = key, partner = bank.partner_id) {
      const [noteFile, answerFile] = [join(folder, 'note.txt'), join(folder, 'answer.json')];
      writeFileSync(noteFile, note);
      writeFileSync(answerFile, JSON.stringify({ success: true, data }));
      const { status, stdout, stderr } = spawnSync(program, [join(folder, file), verifierKey, noteFile, answerFile, partner], {
        encoding: 'utf8',
      });
      return { status, out: stdout, err: stderr.trim() };
    }
    const withProof = (changed: Partial<Proof>) => ({ ...answer, proof: { ...answer.proof, ...changed } });
    const refused = (err: string) => ({ status: 1, out: '', err });

    it('has fewer than 40 lines', () => {
      expect(code.split('\n').length - 1).toBeLessThan(40);
    });

    it('accepts a checkpoint with its proof, as partners and as auditors get it', async () => {
      const { revision, hash } = answer.proof.leaf;
      const out = `Checkpoint ${checkpoint.number}, made_at ${checkpoint.made_at}, covers the head ${revision}:${hash}\n`;
      expect(check(checkpoint.note, answer)).toStrictEqual({ status: 0, out, err: '' });
      const path = `/partners/${bank.partner_id}/wallet/checkpoints/${checkpoint.number}`;
      expect(check(checkpoint.note, (await admin(service, 'GET', path)).body.data as object)).toMatchObject({ status: 0, out });
    });

    it('refuses the proof of another partner', async () => {
      const theirs = await ownCheckpoint(other, checkpoint.number);
      expect(check(checkpoint.note, theirs)).toStrictEqual(refused('The proof is of another partner.'));
      const leaf = { ...theirs.proof?.leaf, partner_id: bank.partner_id } as Proof['leaf'];
      expect(check(checkpoint.note, withProof({ leaf }))).toStrictEqual(refused('The proof does not hold.'));
    });

    it('refuses a changed head, index or path', () => {
      const { leaf, leaf_index, hashes } = answer.proof;
      for (const changed of [
        { leaf: { ...leaf, revision: leaf.revision + 1 } },
        { leaf: { ...leaf, hash: 'f'.repeat(64) } },
        { leaf: { ...leaf, mode: 'sandbox' } },
        { leaf_index: leaf_index ^ 1 },
        { leaf_index: leaf_index + answer.tree_size },
        { hashes: hashes.slice(1) },
        { hashes: hashes.slice(0, -1) },
        { hashes: [...hashes, hashes[0] ?? ''] },
      ])
        expect(check(checkpoint.note, withProof(changed))).toStrictEqual(refused('The proof does not hold.'));
    });

    it('refuses an earlier root, and the proof of another checkpoint', async () => {
      const forged = checkpoint.note.replace(checkpoint.root, earlier.root);
      expect(check(forged, answer)).toStrictEqual(refused('The key did not sign this.'));
      expect(check(earlier.note, answer)).toStrictEqual(refused('The proof is of another checkpoint.'));
      expect(check(earlier.note, { ...(await ownCheckpoint(bank, earlier.number)), proof: answer.proof })).toStrictEqual(
        refused('The proof does not hold.'),
      );
    });

    it('refuses a changed tree size', () => {
      const size = answer.tree_size + 1;
      expect(check(checkpoint.note, withProof({ tree_size: size }))).toStrictEqual(refused('The proof is of another checkpoint.'));
      const forged = checkpoint.note.replace(`\n${answer.tree_size}\n`, `\n${size}\n`);
      expect(check(forged, withProof({ tree_size: size }))).toStrictEqual(refused('The key did not sign this.'));
    });

    it('refuses another key, and a note that another key signed', () => {
      const forger = new NoteSigner('rupa.example/wallets', Buffer.alloc(32, 1));
      expect(check(checkpoint.note, answer, forger.verifierKey)).toStrictEqual(refused('The key did not sign this.'));
      const text = checkpoint.note.slice(0, checkpoint.note.lastIndexOf('\n\n') + 1);
      expect(check(forger.sign(text), answer)).toStrictEqual(refused('The key did not sign this.'));
      expect(check(forger.sign(text), answer, forger.verifierKey)).toMatchObject({ status: 0 });
      expect(check(checkpoint.note, answer, key.replace(/\+[0-9a-f]{8}\+/, '+00000000+'))).toStrictEqual(refused('The key is malformed.'));
    });
  },
);
