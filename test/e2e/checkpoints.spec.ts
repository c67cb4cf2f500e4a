import { beforeAll, describe, expect, it } from '@jest/globals';
import { openNote, parseVerifierKey } from '../../src/contexts/evidence/domain/signed-note.js';
import { sharedApplication } from '../support/application.js';
import { type Checkpoint, makeTwoCheckpoints, ownCheckpoint } from '../support/checkpoints.js';
import { admin, call, entriesOf, makePartner, type TestPartner } from '../support/client.js';
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

describe('a checkpoint', () => {
  it('is a signed note that states number, time, tree size and root', () => {
    const { number, note, tree_size, root, made_at } = checkpoint;
    expect(number).toBe(earlier.number + 1);
    expect(tree_size).toBeGreaterThanOrEqual(2);
    expect(note).toMatch(/^rupa\.example\/wallets\n.*\n\n— rupa\.example\/wallets \S+\n$/s);
    expect(note.split('\n').slice(1, 5)).toStrictEqual([`${tree_size}`, root, `number ${number}`, `made_at ${made_at}`]);
  });

  it('is listed newest first, page by page, and found by its number', async () => {
    const first = (await admin(service, 'GET', '/checkpoints?limit=1')).body.data as { checkpoints: unknown; next_cursor: string };
    expect(first).toStrictEqual({ checkpoints: [checkpoint], next_cursor: expect.any(String) });
    const next = (await admin(service, 'GET', `/checkpoints?limit=1&cursor=${first.next_cursor}`)).body.data;
    expect(next).toMatchObject({ checkpoints: [earlier] });
    expect((await admin(service, 'GET', `/checkpoints/${earlier.number}`)).body.data).toStrictEqual(earlier);
  });

  it.each(['0', '999999999', 'latest', '-1'])('that does not exist is 404: %s', async (number) => {
    for (const path of ['/checkpoints', `/partners/${bank.partner_id}/wallet/checkpoints`])
      expect(await admin(service, 'GET', `${path}/${number}`)).toMatchObject({
        status: 404,
        body: { code: 'checkpoint_not_found', message: 'No checkpoint found for that number.' },
      });
    if (number !== 'latest') expect((await bank.call('GET', `/wallet/checkpoints/${number}`)).status).toBe(404);
  });

  it('refuses a cursor that no response contained', async () => {
    for (const cursor of ['x', 'LTE']) expect((await admin(service, 'GET', `/checkpoints?cursor=${cursor}`)).status).toBe(422);
  });

  it('is shown to partners with the proof of their own wallet only', async () => {
    const entries = await entriesOf(service, bank);
    const { proof, ...shown } = await ownCheckpoint(bank, 'latest');
    expect(shown).toStrictEqual(checkpoint);
    const head = { revision: entries.at(-1)?.revision, hash: entries.at(-1)?.hash };
    expect(proof?.leaf).toStrictEqual({ mode: 'live', partner_id: bank.partner_id, ...head });
    expect((await ownCheckpoint(bank, earlier.number)).proof?.leaf.revision).toBe(entries.length - 2);
    expect((await ownCheckpoint(other, checkpoint.number)).proof?.leaf).toMatchObject({ mode: 'sandbox', partner_id: other.partner_id });
  });

  it('has no proof of a wallet that had no entries', async () => {
    const later = await makePartner(service);
    expect((await ownCheckpoint(later, checkpoint.number)).proof).toBeNull();
    const path = `/partners/${later.partner_id}/wallet/checkpoints/${checkpoint.number}`;
    expect((await admin(service, 'GET', path)).status).toBe(404);
  });

  it('can be made by administrators and read by auditors', async () => {
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    expect((await call(service, 'POST', '/admin/v1/checkpoints', { headers })).status).toBe(403);
    expect((await call(service, 'GET', '/admin/v1/checkpoints', { headers })).status).toBe(200);
    expect((await call(service, 'GET', '/admin/v1/checkpoints')).status).toBe(401);
    expect((await admin(service, 'GET', `/partners/nobody/wallet/checkpoints/${checkpoint.number}`)).status).toBe(404);
  });
});

describe('the keys of checkpoints', () => {
  it('are published, one verifier key per line, without credentials', async () => {
    const response = await fetch(`${service.url}/.well-known/rupa-checkpoint-key`);
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/plain; charset=utf-8']);
    const key = parseVerifierKey((await response.text()).trim().split('\n').at(-1) ?? '');
    expect(key?.name).toBe('rupa.example/wallets');
    expect(openNote(checkpoint.note, key ? [key] : [])).toContain(checkpoint.root);
  });
});
