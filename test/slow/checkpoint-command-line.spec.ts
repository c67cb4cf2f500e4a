import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { type Checkpoint } from '../support/checkpoints.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

let service: TestService;
let bank: TestPartner;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  service = await startService({}, { repeats: true });
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

describe('the tree of the log', () => {
  it('has a key, whose name is its origin, from the first start on', async () => {
    const [key = ''] = await until(async () => {
      const keys = await publishedKeys();
      // A start that takes so long that the limit of these reads is reached gets 429 for a while, which is no key.
      return keys[0]?.includes('/log+') && keys;
    });
    expect(key).toMatch(/^[^+]+\/log\+[0-9a-f]{8}\+\S+$/);
    expect(await checkpoints()).toStrictEqual([]);
  });

  it('gets a checkpoint every CHECKPOINT_EVERY seconds, and the tiles that it covers', async () => {
    const quick = await startService({ CHECKPOINT_EVERY: '1' }, { repeats: true });
    try {
      const listed = async () => (await admin(quick, 'GET', '/checkpoints')).body.data.checkpoints as readonly Checkpoint[];
      const [made] = await until(async () => {
        const found = await listed();
        return found.length > 0 && found;
      });
      expect(made?.tree_size).toBeGreaterThan(0);
      const width = Math.min(made?.tree_size ?? 0, 256);
      const tile = await fetch(`${quick.url}/log/tile/0/000${width < 256 ? `.p/${width}` : ''}`);
      expect([tile.status, (await tile.arrayBuffer()).byteLength]).toStrictEqual([200, 32 * width]);
      expect(quick.output()).not.toContain('cannot be made');
    } finally {
      await quick.stop();
    }
  });
});

describe('rupa ledger checkpoint', () => {
  it('prints the note that it made', async () => {
    const before = (await checkpoints())[0];
    const { code, out } = await ledger('checkpoint');
    expect([code, out]).toStrictEqual([0, (await checkpoints())[0]?.note]);
    const json = await ledger('checkpoint', '--json');
    expect(JSON.parse(json.out)).toStrictEqual((await checkpoints())[0]);
    expect((await checkpoints())[0]?.number).toBe((before?.number ?? 0) + 2);
    // The process that keeps the tree found the two in its own.
    expect((await admin(service, 'POST', '/checkpoints')).status).toBe(201);
    expect(await (await fetch(`${service.url}/log/checkpoint`)).text()).toBe((await checkpoints())[0]?.note);
  });
});

describe('rupa ledger checkpoints', () => {
  it('lists the newest ones, and prints one by its number', async () => {
    const made = await checkpoints();
    const first = made.at(-1);
    expect(JSON.parse((await ledger('checkpoints', '--json')).out)).toStrictEqual(made);
    expect((await ledger('checkpoints', '-n', '1')).out).toMatch(
      new RegExp(`│ +${made[0]?.number ?? ''} │ ${made[0]?.made_at ?? ''} │ +${made[0]?.tree_size ?? ''} │`),
    );
    expect(await ledger('checkpoints', '1')).toMatchObject({ code: 0, out: first?.note });
    expect(JSON.parse((await ledger('checkpoints', '1', '--json')).out)).toStrictEqual(first);
    expect(await ledger('checkpoints', '99')).toMatchObject({ code: 1, out: '' });
  });
});

describe('rupa ledger verify-checkpoint', () => {
  it('accepts the latest checkpoint and one that was kept, with the published keys or a noted one', async () => {
    const [latest, first] = [(await checkpoints())[0], (await checkpoints()).at(-1)];
    const origin = latest?.note.split('\n')[0] ?? '';
    const holds = (made: Checkpoint | undefined, wallets: number) =>
      `checkpoint of ${origin}: signed; the log has the ${made?.tree_size ?? ''} events that it covers; ${wallets} wallets hold\n`;
    expect(await ledger('verify-checkpoint')).toMatchObject({ code: 0, out: holds(latest, 0) });
    await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 100, reference: 'first' });
    const later = (await admin(service, 'POST', '/checkpoints')).body.data as unknown as Checkpoint;
    expect(await ledger('verify-checkpoint')).toMatchObject({ code: 0, out: holds(later, 1) });
    const kept = fileWith('kept.txt', first?.note ?? '');
    const [key = ''] = await publishedKeys();
    expect(await ledger('verify-checkpoint', kept, '--key', key)).toMatchObject({ code: 0, out: holds(first, 0) });
    const { out } = await ledger('verify-checkpoint', kept, '--json');
    expect(JSON.parse(out)).toStrictEqual({ ok: true, origin, tree_size: first?.tree_size, wallets: 0, faults: [] });
  });

  it('exits with 1 for a note that was changed or signed by somebody else', async () => {
    const note = (await checkpoints())[0]?.note ?? '';
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const forger = new NoteSigner(text.split('\n')[0] ?? '', Buffer.alloc(32, 1));
    for (const changed of [note.replace(/\n(\d+)\n/, '\n1$1\n'), forger.sign(text)])
      expect(await ledger('verify-checkpoint', fileWith('changed.txt', changed))).toMatchObject({
        code: 1,
        err: 'None of the keys signed this text as a checkpoint.\n',
      });
    const other = forger.sign(text.replace(/\n\S{43}=\n/, `\n${'A'.repeat(43)}=\n`));
    expect(await ledger('verify-checkpoint', fileWith('other.txt', other), '--key', forger.verifierKey)).toMatchObject({
      code: 1,
      err: expect.stringContaining('events of the log are not those that the note covers.'),
    });
    const beyond = forger.sign(text.replace(/\n(\d+)\n/, '\n9$100000\n'));
    expect(await ledger('verify-checkpoint', fileWith('beyond.txt', beyond), '--key', forger.verifierKey)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The log has \d+ events, and the note covers 9\d+00000\.\n$/),
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
