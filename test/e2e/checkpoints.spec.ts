import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { isIncluded, leafHash } from '../../src/contexts/evidence/domain/merkle.js';
import { openNote, parseVerifierKey } from '../../src/contexts/evidence/domain/signed-note.js';
import { TreeEdge } from '../../src/contexts/evidence/domain/tree-edge.js';
import { sharedApplication } from '../support/application.js';
import { type Checkpoint, makeTwoCheckpoints, ownProof } from '../support/checkpoints.js';
import { admin, call, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
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

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const open = async (path: string, method = 'GET'): Promise<Response> => await whenServed(() => fetch(`${service.url}${path}`, { method }));

/** Nobody is told of a number who asked by a revision or for a tile. */
const NOT_COVERED = { code: 'checkpoint_not_found', message: expect.stringContaining('none covers what you asked for yet') };

describe('a checkpoint', () => {
  it('is a signed note that states origin, tree size and root alone', () => {
    const { number, note, tree_size, root } = checkpoint;
    expect(number).toBe(earlier.number + 1);
    expect(tree_size).toBeGreaterThan(earlier.tree_size);
    expect(note).toMatch(/^rupa\.example\/log\n\d+\n\S+\n\n— rupa\.example\/log \S+\n$/);
    expect(note.split('\n').slice(1, 3)).toStrictEqual([`${tree_size}`, root]);
  });

  it('is listed newest first, page by page, and found by its number', async () => {
    const first = (await admin(service, 'GET', '/checkpoints?limit=1')).body.data as { checkpoints: unknown; next_cursor: string };
    expect(first).toStrictEqual({ checkpoints: [checkpoint], next_cursor: expect.any(String) });
    const next = (await admin(service, 'GET', `/checkpoints?limit=1&cursor=${first.next_cursor}`)).body.data;
    expect(next).toMatchObject({ checkpoints: [earlier] });
    expect((await admin(service, 'GET', `/checkpoints/${earlier.number}`)).body.data).toStrictEqual(earlier);
  });

  it.each(['0', '999999999', 'latest', '-1'])('that does not exist is 404: %s', async (number) => {
    expect(await admin(service, 'GET', `/checkpoints/${number}`)).toMatchObject({ status: 404, body: { code: 'checkpoint_not_found' } });
  });

  it('refuses a cursor that no response contained', async () => {
    for (const cursor of ['x', 'LTE']) expect((await admin(service, 'GET', `/checkpoints?cursor=${cursor}`)).status).toBe(422);
  });

  it('can be made by administrators and read by auditors', async () => {
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    expect((await call(service, 'POST', '/admin/v1/checkpoints', { headers })).status).toBe(403);
    expect((await call(service, 'GET', '/admin/v1/checkpoints', { headers })).status).toBe(200);
    expect((await call(service, 'GET', '/admin/v1/checkpoints')).status).toBe(401);
  });

  it('is no longer one over the heads of wallets', async () => {
    expect((await bank.call('GET', '/wallet/checkpoints/latest')).status).toBe(404);
    expect((await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/checkpoints/1`)).status).toBe(404);
  });
});

describe('the proof of an entry of a wallet', () => {
  it('is shown to its partner: the entry, its exact texts, its leaf, and its way to the root', async () => {
    const entries = await entriesOf(service, bank);
    const head = { revision: entries.at(-1)?.revision, hash: entries.at(-1)?.hash };
    const proof = await ownProof(bank);
    expect(proof.entry).toStrictEqual(head);
    const [stream, revision, type, id, digests] = proof.leaf.split('\n');
    expect([stream, revision, type]).toStrictEqual([`wallet-${bank.partner_id}`, String(head.revision), 'WalletCredited']);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(digests).toBe(`${sha256(proof.data)} ${sha256(proof.metadata)}`);
    expect(JSON.parse(proof.metadata)).toMatchObject({ hash: head.hash });
    const { index, tree_size, note, proof: text } = proof;
    const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'base64'));
    expect(isIncluded(leafHash(proof.leaf), { index, tree_size, hashes }, Buffer.from(note.split('\n')[2] ?? '', 'base64'))).toBe(true);
    expect(text).toBe(['c2sp.org/tlog-proof@v1', `index ${index}`, ...proof.hashes, '', note].join('\n'));
  });

  it('is that of any revision, in the newest checkpoint that covers it', async () => {
    const first = await ownProof(bank, 0);
    expect(first.entry.revision).toBe(0);
    expect(first.note).toBe((await ownProof(bank)).note);
    expect(first.leaf).toContain(bank.partner_id);
    expect((await ownProof(other, 0)).leaf).toContain(other.partner_id);
  });

  it('is 404 for a revision that does not exist, or that no checkpoint covers, and 422 for none', async () => {
    const missing = { status: 404, body: NOT_COVERED };
    expect(await bank.call('GET', '/wallet/proof?revision=99999')).toMatchObject(missing);
    const later = await makePartner(service);
    expect(await later.call('GET', '/wallet/proof')).toMatchObject(missing);
    expect((await (await makePartner(service, { credit: 0 })).call('GET', '/wallet/proof')).status).toBe(404);
    for (const revision of ['-1', 'x', '1.5', '99999999999999999999'])
      expect((await bank.call('GET', `/wallet/proof?revision=${revision}`)).status).toBe(422);
    expect((await open('/v1/rupa/wallet/proof')).status).toBe(401);
  });
});

describe('the log for anybody', () => {
  it('has its newest checkpoint, without credentials and from any page', async () => {
    const response = await open('/log/checkpoint');
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/plain; charset=utf-8']);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const text = await response.text();
    const newest = (await admin(service, 'GET', '/checkpoints?limit=1')).body.data.checkpoints as readonly Checkpoint[];
    expect(text).toBe(newest[0]?.note);
    const head = await open('/log/checkpoint', 'HEAD');
    expect([head.status, await head.text()]).toStrictEqual([200, '']);
  });

  it('has the tiles from which its root follows', async () => {
    const [, size = '', root] = (await (await open('/log/checkpoint')).text()).split('\n');
    const leaves: Buffer[] = [];
    for (let index = 0; index * 256 < Number(size); index += 1) {
      const width = Math.min(256, Number(size) - index * 256);
      const path = `/log/tile/0/${String(index).padStart(3, '0')}${width < 256 ? `.p/${width}` : ''}`;
      const response = await open(path);
      expect([path, response.status, response.headers.get('content-type')]).toStrictEqual([path, 200, 'application/octet-stream']);
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBe(width * 32);
      for (let at = 0; at < bytes.length; at += 32) leaves.push(bytes.subarray(at, at + 32));
    }
    const { tree, filled } = TreeEdge.EMPTY.with(leaves);
    expect(tree.root().toString('base64')).toBe(root);
    for (const { level, index, hashes } of [...filled, ...tree.tiles].filter(({ level }) => level > 0)) {
      const response = await open(
        `/log/tile/${level}/${String(index).padStart(3, '0')}${hashes.length < 256 ? `.p/${hashes.length}` : ''}`,
      );
      expect(Buffer.from(await response.arrayBuffer())).toStrictEqual(Buffer.concat(hashes));
    }
  });

  it.each([
    '0/x999/999',
    '0/999',
    '5/000',
    '6/000',
    'x',
    '0',
    '0/000.p/0',
    '0/000.p/256',
    'data/000',
    'entries/000',
    '..%2f..%2fcheckpoint',
  ])('has no tile %s', async (path) => {
    const response = await open(`/log/tile/${path}`);
    expect([response.status, (await response.json()) as { code: string }]).toMatchObject([404, NOT_COVERED]);
  });

  it('is read by an address at least 100 times a second', async () => {
    const statuses = (await Promise.all(Array.from({ length: 100 }, () => open('/log/checkpoint')))).map(({ status }) => status);
    expect(new Set(statuses)).toStrictEqual(new Set([200]));
  });
});

describe('the keys of checkpoints', () => {
  it('are published, one verifier key per line, without credentials', async () => {
    const response = await open('/.well-known/rupa-checkpoint-key');
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/plain; charset=utf-8']);
    const key = parseVerifierKey((await response.text()).trim().split('\n').at(-1) ?? '');
    expect(key?.name).toBe('rupa.example/log');
    expect(openNote(checkpoint.note, key ? [key] : [])).toContain(checkpoint.root);
  });
});
