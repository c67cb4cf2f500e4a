import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { type Checkpoint } from '../support/checkpoints.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { pastOf } from '../support/february.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { givenPast } from '../support/wallet-past.js';

let service: TestService;
let bank: TestPartner;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  service = await startService();
  bank = await makePartner(service, { credit: 0 });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const checkpoints = async (): Promise<readonly Checkpoint[]> =>
  (await admin(service, 'GET', '/checkpoints')).body.data.checkpoints as readonly Checkpoint[];
const ledger = (...args: string[]) => rupa(service, ['ledger', ...args]);
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const publishedKeys = async () => (await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text()).trim().split('\n');

describe('the daily checkpoint', () => {
  it('is made by the service once money has moved on an earlier day', async () => {
    expect(await checkpoints()).toStrictEqual([]);
    expect(await publishedKeys()).toStrictEqual(['']);
    // A verification would find that the lookups' fees are those of no price book.
    await givenPast(
      service,
      pastOf(bank.partner_id).filter(({ kind }) => kind === 'credit'),
    );
    await service.interrupt();
    await service.restart();
    const [first] = await until(async () => {
      const found = await checkpoints();
      return found.length > 0 && found;
    });
    expect(first).toMatchObject({ number: 1, tree_size: 1 });
    expect(service.output()).not.toContain('cannot be made');
  });
});

describe('rupa ledger checkpoint', () => {
  it('prints the note that it made', async () => {
    const { code, out } = await ledger('checkpoint');
    expect([code, out]).toStrictEqual([0, (await checkpoints())[0]?.note]);
    const json = await ledger('checkpoint', '--json');
    expect(JSON.parse(json.out)).toStrictEqual((await checkpoints())[0]);
  });
});

describe('rupa ledger checkpoints', () => {
  it('lists the newest ones, and prints one by its number', async () => {
    const made = await checkpoints();
    const first = made.at(-1);
    expect(JSON.parse((await ledger('checkpoints', '--json')).out)).toStrictEqual(made);
    expect((await ledger('checkpoints', '-n', '1')).out).toMatch(
      new RegExp(`│ +${made[0]?.number ?? ''} │ ${made[0]?.made_at ?? ''} │ +1 │`),
    );
    expect(await ledger('checkpoints', '1')).toMatchObject({ code: 0, out: first?.note });
    expect(JSON.parse((await ledger('checkpoints', '1', '--json')).out)).toStrictEqual(first);
    expect(await ledger('checkpoints', '99')).toMatchObject({ code: 1, out: '' });
  });
});

describe('rupa ledger verify-checkpoint', () => {
  it('accepts the latest checkpoint and one that was kept, with the published keys or a noted one', async () => {
    const [latest, , first] = await checkpoints();
    const holds = (made: Checkpoint | undefined) =>
      `checkpoint ${made?.number ?? ''} of ${made?.made_at ?? ''}: signed; all 1 wallets contain the heads that it covers\n`;
    expect(await ledger('verify-checkpoint')).toMatchObject({ code: 0, out: holds(latest) });
    const kept = fileWith('kept.txt', first?.note ?? '');
    const [key = ''] = await publishedKeys();
    expect(await ledger('verify-checkpoint', kept, '--key', key)).toMatchObject({ code: 0, out: holds(first) });
    const { out } = await ledger('verify-checkpoint', kept, '--json');
    expect(JSON.parse(out)).toStrictEqual({ ok: true, number: 1, made_at: first?.made_at, wallets: 1, faults: [] });
  });

  it('exits with 1 for a note that was changed or signed by somebody else', async () => {
    const note = (await checkpoints())[0]?.note ?? '';
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const forger = new NoteSigner(text.split('\n')[0] ?? '', Buffer.alloc(32, 1));
    for (const changed of [note.replace(/\n1\n/, '\n2\n'), forger.sign(text)])
      expect(await ledger('verify-checkpoint', fileWith('changed.txt', changed))).toMatchObject({
        code: 1,
        err: 'None of the keys signed this text as a checkpoint.\n',
      });
    const unknown = forger.sign(text.replace(/\nnumber \d+\n/, '\nnumber 99\n'));
    expect(await ledger('verify-checkpoint', fileWith('unknown.txt', unknown), '--key', forger.verifierKey)).toMatchObject({
      code: 1,
      err: 'The log holds no checkpoint 99.\n',
    });
  });

  it('exits with 2 for a file that it cannot read and for a malformed key', async () => {
    expect((await ledger('verify-checkpoint', join(folder, 'none.txt'))).code).toBe(2);
    expect((await ledger('verify-checkpoint', '--key', 'x')).code).toBe(2);
  });
});

describe('rupa keys rotate-checkpoint', () => {
  it('replaces the key, and checkpoints that the former key signed still verify', async () => {
    const before = fileWith('before.txt', (await checkpoints())[0]?.note ?? '');
    const [former] = await publishedKeys();
    const { code, out } = await rupa(service, ['keys', 'rotate-checkpoint']);
    expect([code, await publishedKeys()]).toStrictEqual([0, [former, out.trim()]]);
    const after = fileWith('after.txt', (await ledger('checkpoint')).out);
    expect((await ledger('verify-checkpoint', before)).code).toBe(0);
    expect((await ledger('verify-checkpoint', after, '--key', out.trim())).code).toBe(0);
    expect((await ledger('verify-checkpoint', after, '--key', former ?? '')).code).toBe(1);
  });

  it('leaves a key that rupa keys rotate encrypts again', async () => {
    expect((await rupa(service, ['keys', 'rotate', '--new'])).code).toBe(0);
    expect((await rupa(service, ['keys', 'retire', 'k1'])).code).toBe(0);
    expect((await ledger('checkpoint')).code).toBe(0);
  });
});
