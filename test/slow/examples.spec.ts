import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startApplication } from '../support/application.js';
import { admin, balanceOf, makePartner, type TestPartner } from '../support/client.js';
import { endWithThisProcess } from '../support/end-with-this-process.js';
import { installPackedSdk, type SdkProject } from '../support/packed-sdk.js';
import { type ProcessResult, run } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const NODE = ['Node', 'node', process.execPath, 'lend.mjs', 'score-portfolio.mjs', 'receive-webhooks.mjs'] as const;
const PYTHON = ['Python', 'python', 'python3', 'lend.py', 'score_portfolio.py', 'receive_webhooks.py'] as const;
const isPythonMissing = spawnSync('python3', ['--version']).error !== undefined;

let service: TestService;
let project: SdkProject;

beforeAll(async () => {
  service = await startApplication({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true' });
  project = await installPackedSdk();
});
afterAll(async () => {
  project.remove();
  await service.stop();
});

if (isPythonMissing) {
  describe('the example in Python', () => {
    it('is NOT TESTED here, because python3 is not installed', () => {
      expect(isPythonMissing).toBe(true);
      expect(existsSync('examples/python/lend.py')).toBe(true);
    });
  });
}

describe.each(isPythonMissing ? [NODE] : [NODE, PYTHON])('the example in %s', (_name, language, program, lend, score, receive) => {
  let folder: string;
  let bank: TestPartner;
  let env: Record<string, string>;
  const farmer = `rp-example-${language}`;

  beforeAll(async () => {
    folder = join(project.folder, language);
    cpSync(resolve('examples', language), folder, { recursive: true });
    await admin(service, 'PUT', `/farmers/${farmer}`, { mode: 'sandbox' });
    bank = await makePartner(service, { mode: 'sandbox', credit: 700 });
    env = { RUPA_URL: service.url, RUPA_API_KEY: bank.key, NODE_OPTIONS: '', PYTHONDONTWRITEBYTECODE: '1' };
  });

  const apply = (...args: string[]): Promise<ProcessResult> => run(program, [lend, ...args], env, '', folder);

  it('looks up, reports a loan that it grants, and sums up the entries of the wallet', async () => {
    const granted = await apply(farmer, 'a-1', '300000');
    expect(granted).toMatchObject({ code: 0, err: '' });
    expect(granted.out).toMatch(
      new RegExp(`^Looked up ${farmer} for NGN 130\\.\nGranted: reported as contribution \\d+\\.\nLookups have cost NGN 130 so far\\.\n$`),
    );
  });

  it('is not charged again and reports nothing twice when it is run again for an application', async () => {
    const before = await balanceOf(service, bank);
    const again = await apply(farmer, 'a-1', '300000');
    expect(again.out).toMatch(/^Looked up .* for NGN 130\.\nGranted: reported again as contribution/);
    expect(await balanceOf(service, bank)).toBe(before);
  });

  it('declines a second loan, and reads every page of the wallet', async () => {
    for (const application of ['a-2', 'a-3', 'a-4']) expect((await apply(farmer, application, '300000')).code).toBe(0);
    const { out } = await apply(farmer, 'a-5', '300000');
    expect(out).toBe(
      `Looked up ${farmer} for NGN 130.\nDeclined: NGN 300000 are outstanding already.\nLookups have cost NGN 650 so far.\n`,
    );
  });

  it('says what to do about an empty wallet and about a farmer that does not exist', async () => {
    expect(await apply(farmer, 'a-6')).toMatchObject({ code: 1, err: 'Top up the wallet by NGN 80.\n' });
    expect(await apply('rp-example-nobody', 'a-7')).toMatchObject({ code: 1, err: 'Nobody has the Rupa ID rp-example-nobody.\n' });
  });

  describe('with a portfolio of more farmers than a call takes', () => {
    const FARMERS = 101;
    const ids = Array.from({ length: FARMERS }, (_each, index) => (index === 1 ? 'rp-example-nobody' : farmer));
    const rows = ids.map((id) => (id === farmer ? `${farmer},found,300000\n` : 'rp-example-nobody,not_found,\n')).join('');

    const scoreAll = (...args: string[]): Promise<ProcessResult> => run(program, [score, ...args], env, '', folder);

    beforeAll(() => {
      writeFileSync(join(folder, 'ids.txt'), `${ids.join('\n')}\n`);
    });

    it('says by how much to top up the wallet', async () => {
      expect(await balanceOf(service, bank)).toBe(50);
      expect(await scoreAll('ids.txt', 'march')).toMatchObject({
        code: 1,
        out: '',
        err: 'Top up the wallet by NGN 80, and run this again: it goes on without a second charge.\n',
      });
    });

    it('writes a row for each, and is not charged again when it is run again', async () => {
      await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 1_000, reference: `top-up-${language}` });
      const once = await scoreAll('ids.txt', 'march');
      expect(once).toStrictEqual({ code: 0, out: rows, err: 'Charged NGN 260.\n' });
      expect(await scoreAll('ids.txt', 'march')).toStrictEqual(once);
      expect(await balanceOf(service, bank)).toBe(790);
    });

    it('asks for a file and the name of a run', async () => {
      expect(await scoreAll('ids.txt')).toMatchObject({ code: 2, err: expect.stringMatching(/^Usage: /) });
    });
  });

  describe('as a receiver of webhooks', () => {
    let child: ChildProcess;
    let hook: string;
    const lines: string[] = [];

    beforeAll(async () => {
      const { id, signing_secret } = (await bank.call('POST', '/webhooks', { url: 'http://127.0.0.1:1024/hooks' })).body.data as {
        id: number;
        signing_secret: string;
      };
      child = spawn(program, [receive], {
        cwd: folder,
        env: { ...process.env, ...env, RUPA_SIGNING_SECRET: signing_secret, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      endWithThisProcess(child);
      if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
      hook = await until(() => /^Receiving webhooks at (\S+)$/.exec(lines[0] ?? '')?.[1]);
      await bank.call('PATCH', `/webhooks/${id}`, { url: hook });
      await bank.call('POST', `/webhooks/${id}/test`);
    });
    afterAll(() => {
      child.kill();
    });

    it('accepts what the service delivers', async () => {
      await bank.call('POST', '/report', { rupa_id: farmer, event: 'loan_repayment', amount: 10 });
      await until(() => lines.includes('webhook.test') && lines.includes(`farmer.loan_repaid ${farmer}`));
      expect(lines.slice(1).toSorted()).toStrictEqual([`farmer.loan_repaid ${farmer}`, 'webhook.test']);
    });

    it('rejects a delivery that the service did not sign', async () => {
      const body = JSON.stringify({ id: 'forged', type: 'farmer.loan_repaid', data: { rupa_id: 'rp-forged' } });
      const now = String(Math.floor(Date.now() / 1_000));
      const forged = { 'webhook-id': 'forged', 'webhook-timestamp': now, 'webhook-signature': `v1,${'A'.repeat(43)}=` };
      for (const headers of [forged, { ...forged, 'webhook-timestamp': '1' }, {}])
        expect((await fetch(hook, { method: 'POST', headers, body })).status).toBe(400);
      expect(lines.join()).not.toContain('forged');
    });
  });
});
