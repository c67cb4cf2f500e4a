import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { run, rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const CLI = resolve('dist/src/cli.js');

interface Shown {
  readonly position: string;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: { readonly $correlationId: string };
}

describe('rupa events tail', () => {
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await startService({}, { repeats: true });
    bank = await makePartner(service);
    for (let n = 0; n < 30; n += 1) await admin(service, 'PUT', `/farmers/rp-tail-${n}`, { identity: { first_name: 'Canary-Ngozi' } });
    await bank.lookup('rp-tail-0', { sections: ['identity'] });
    // The charge is settled, the end of each call is recorded, and the key of the log's tree is issued: the service writes nothing more by itself.
    await until(async () => {
      const types = (await parsed('--from', '0')).map(({ type }) => type);
      const count = (type: string): number => types.filter((each) => each === type).length;
      return count('ChargesSettled') > 0 && count('CheckpointKeyIssued') > 0 && count('AdminCallBegun') === count('AdminCallEnded');
    });
  });
  afterAll(() => service.stop());

  const tail = async (...args: string[]): Promise<string[]> => {
    const { code, out, err } = await rupa(service.dataDir, ['events', 'tail', ...args]);
    expect([code, err]).toStrictEqual([0, '']);
    return out.split('\n').slice(0, -1);
  };
  const parsed = async (...args: string[]): Promise<Shown[]> => (await tail('--json', ...args)).map((line) => JSON.parse(line) as Shown);

  it('shows the newest events, one per line, oldest first', async () => {
    expect(await tail()).toHaveLength(20);
    const lines = await tail('-n', '3', '--category', 'farmer');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^ *\d+ {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}farmer-rp-tail-\d+@\d+ +\w+ +\S{1,8}$/);
    const columns = lines.map((line) => [line.indexOf('farmer-'), line.search(/Farmer[A-Z]/)]);
    expect(new Set(columns.map(String)).size).toBe(1);
    expect(await tail('-n', '0')).toStrictEqual([]);
    expect(await tail('--category', 'nothing')).toStrictEqual([]);
  });

  it('shows everything from a position on, with data and metadata as stored', async () => {
    const all = await parsed('--from', '0');
    expect(all[0]).toMatchObject({ type: expect.any(String), revision: 0 });
    const debit = all.find(({ type }) => type === 'WalletDebited');
    expect(debit).toMatchObject({
      stream: `wallet-${bank.partner_id}`,
      data: { rupa_id: 'rp-tail-0' },
      metadata: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const positions = all.map(({ position }) => BigInt(position));
    expect(positions).toStrictEqual(positions.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(await parsed('--from', all[40]?.position ?? '')).toStrictEqual(all.slice(40));
    expect(await parsed('-n', '7')).toStrictEqual(all.slice(-7));
  });

  it('never decrypts personal data', async () => {
    for (const args of [
      ['--json', '--from', '0'],
      ['--from', '0'],
    ])
      expect((await tail(...args)).join()).not.toContain('Canary-Ngozi');
  });

  it('follows the log until it is interrupted', async () => {
    const following = spawn(process.execPath, [CLI, 'events', 'tail', '-f', '-n', '1', '--json'], {
      env: { ...process.env, DATA_DIR: service.dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let out = '';
      following.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      await until(() => out.endsWith('\n'));
      await admin(service, 'PUT', '/farmers/rp-tail-new', { phone_verified: true });
      const shown = await until(() => out.split('\n').find((line) => line.includes('"farmer-rp-tail-new"')));
      expect(JSON.parse(shown)).toMatchObject({ stream: 'farmer-rp-tail-new' });
      const exited = once(following, 'exit');
      following.kill('SIGINT');
      expect(await exited).toStrictEqual([0, null]);
      const ids = out
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as Shown).id);
      expect(new Set(ids).size).toBe(ids.length);
    } finally {
      following.kill('SIGKILL');
    }
  });

  it('ends quietly when its reader closes the pipe', async () => {
    const shell = `"${process.execPath}" "${CLI}" events tail --from 0 --json | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { out, err } = await run('bash', ['-c', shell], { DATA_DIR: service.dataDir });
    expect([out.split('\n').slice(1), err]).toStrictEqual([['0', ''], '']);
  });

  it('refuses an invalid position', async () => {
    expect((await rupa(service.dataDir, ['events', 'tail', '--from', 'yesterday'])).code).toBe(2);
  });
});
