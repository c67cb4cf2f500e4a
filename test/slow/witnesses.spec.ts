import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Checkpoint, makeCheckpoint } from '../support/checkpoints.js';
import { admin, makePartner } from '../support/client.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { startWitness, type TestWitness } from '../support/witness.js';

let service: TestService;
let witness: TestWitness;
let away: TestWitness;

beforeAll(async () => {
  const keys = async () => (await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text()).trim().split('\n');
  [witness, away] = [await startWitness(keys), await startWitness(keys)];
  service = await startService({ WITNESSES: `${witness.setting('amina')}, ${away.setting('bode')}` }, { repeats: true });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([witness.close(), away.close()]);
});

const newest = async (): Promise<string> => await (await fetch(`${service.url}/log/checkpoint`)).text();
const get = async (number: number): Promise<Checkpoint> =>
  (await admin(service, 'GET', `/checkpoints/${number}`)).body.data as unknown as Checkpoint;

describe('a service with witnesses', () => {
  it('serves the newest checkpoint with the line of each witness, and to administrators beside the note', async () => {
    const made = await makeCheckpoint(service);
    const lines = await until(async () => {
      const text = await newest();
      const added = text.slice(made.note.length).split('\n').slice(0, -1);
      return text.startsWith(made.note) && added.length === 2 && added;
    });
    const { cosignatures, ...checkpoint } = await get(made.number);
    expect({ ...checkpoint, cosignatures: [] }).toStrictEqual(made);
    expect(cosignatures.map(({ witness: name, signature }) => [name, signature])).toStrictEqual([
      ['amina', lines[0]],
      ['bode', lines[1]],
    ]);
    const { checkpoints } = (await admin(service, 'GET', '/checkpoints?limit=1')).body.data;
    expect(checkpoints).toStrictEqual([{ ...checkpoint, cosignatures }]);
  });

  it('goes on signing while a witness is away, whose line the next checkpoint has again', async () => {
    away.misbehaviour = (response) => response.destroy();
    await makePartner(service);
    const missed = await makeCheckpoint(service);
    await until(async () => (await get(missed.number)).cosignatures.length === 1);
    await until(() => service.output().includes('a witness did not cosign a checkpoint of the log'));
    away.misbehaviour = undefined;
    await makePartner(service);
    const made = await makeCheckpoint(service);
    await until(async () => (await get(made.number)).cosignatures.length === 2);
    expect((await get(missed.number)).cosignatures.map(({ witness: name }) => name)).toStrictEqual(['amina']);
    expect(witness.requests.map(({ status }) => status)).not.toContain(422);
  });
});
