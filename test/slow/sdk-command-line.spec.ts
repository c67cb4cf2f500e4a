import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { endWithThisProcess } from '../support/end-with-this-process.js';
import { installPackedSdk, type SdkProject } from '../support/packed-sdk.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const FARMER = 'rp-listen-1';

let service: Application;
let project: SdkProject;
let bank: TestPartner;
let receiver: Receiver;
let listening: ChildProcess | undefined;

beforeAll(async () => {
  service = await sharedApplication();
  project = await installPackedSdk();
  await admin(service, 'PUT', `/farmers/${FARMER}`, { mode: 'sandbox' });
  bank = await makePartner(service, { mode: 'sandbox', company_name: 'Listening Bank' });
  expect((await bank.lookup(FARMER, { sections: ['identity'] })).status).toBe(200);
  receiver = await startReceiver(204);
});
afterEach(() => {
  listening?.kill('SIGKILL');
});
afterAll(async () => {
  await receiver.close();
  project.remove();
});

const env = () => ({ RUPA_API_KEY: bank.key, RUPA_URL: service.url });
const npx = (...args: string[]) => project.npx(['--no', '--', 'rupa-client', ...args], env());

/** The lines about events that were forwarded. On a busy machine, the program also says that it asks the service again. */
const forwarded = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.includes('  ->  '));

/** Starts `rupa-client listen` and waits until it follows the events. */
async function listen(): Promise<{ lines: readonly string[]; secret: string; process: ChildProcess }> {
  const program = join(project.folder, 'node_modules/.bin/rupa-client');
  const child = spawn(program, ['listen', '--forward-to', receiver.url], { env: { ...process.env, NODE_OPTIONS: '', ...env() } });
  endWithThisProcess(child);
  listening = child;
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const secret = await until(() => /^Signing secret: (whsec_\S+)/.exec(lines.at(-1) ?? '')?.[1]);
  return { lines, secret, process: child };
}

describe('npx --no -- rupa-client', () => {
  it('shows its help and its version, and refuses a wrong command', async () => {
    expect(await npx('--help')).toMatchObject({ code: 0, out: expect.stringContaining('rupa-client listen --forward-to URL') });
    expect(await npx('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await npx('listen')).toMatchObject({ code: 2, err: expect.stringContaining('--forward-to') });
  });

  it('refuses the key of a live account', async () => {
    const live = await makePartner(service, { mode: 'live' });
    const { code, err } = await project.npx(['--no', '--', 'rupa-client', 'trigger', 'farmer.loan_added'], {
      ...env(),
      RUPA_API_KEY: live.key,
    });
    expect({ code, err }).toStrictEqual({ code: 2, err: expect.stringContaining('Use the key of a sandbox account.') });
  });

  it('forwards what is reported and triggered, signed as the service signs, resends it, and ends on Ctrl-C', async () => {
    await bank.call('POST', '/report', { rupa_id: FARMER, event: 'loan_disbursed', amount: 5 });
    await until(async () => ((await bank.call('GET', '/events')).body.data.events as unknown[]).length === 1);
    const { lines, secret, process } = await listen();
    expect(lines).toStrictEqual([
      'Listening to the events of Listening Bank (sandbox). Stop with Ctrl-C.',
      `Forwarding to ${receiver.url}`,
      `Signing secret: ${secret} (the same whenever you use this API key)`,
    ]);

    await bank.call('POST', '/report', { rupa_id: FARMER, event: 'loan_repayment', amount: 1 });
    await until(() => forwarded(lines).length === 1);
    const [received] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(received?.json).toMatchObject({ type: 'farmer.loan_repaid', mode: 'sandbox', data: { rupa_id: FARMER } });
    expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toStrictEqual(received?.json);
    expect(forwarded(lines)[0]).toMatch(
      new RegExp(`Z {2}farmer\\.loan_repaid ${FARMER} {2}${received?.json.id ?? ''} {2}-> {2}204 No Content \\(\\d+ ms\\)$`),
    );

    const triggered = await npx('trigger', 'farmer.claim_filed', '--rupa-id', FARMER);
    expect(triggered).toMatchObject({
      code: 0,

      out: expect.stringContaining(`Triggered farmer.claim_filed about ${FARMER}: event `),
    });
    await until(() => forwarded(lines).length === 2);
    expect(receiver.received.at(-1)?.json).toMatchObject({ type: 'farmer.claim_filed', data: { test: true } });

    const resent = await npx('resend', received?.json.id ?? '', '--forward-to', receiver.url);
    expect(resent).toMatchObject({ code: 0, out: expect.stringContaining('->  204 No Content') });
    expect(receiver.received.at(-1)?.body).toBe(received?.body);
    const again = receiver.received.at(-1);
    expect(new Webhook(secret).verify(again?.body ?? '', again?.headers ?? {})).toStrictEqual(received?.json);

    const ended = once(process, 'exit');
    process.kill('SIGINT');
    expect(await ended).toStrictEqual([0, null]);
    expect(forwarded(lines)).toHaveLength(2);
    expect(lines.join('\n')).not.toContain(bank.key);
  });

  it('ends when nobody reads its output any more', async () => {
    const { process } = await listen();
    const ended = once(process, 'exit');
    process.stdout?.destroy();
    await bank.call('POST', '/report', { rupa_id: FARMER, event: 'loan_repayment', amount: 1 });
    expect(await ended).toStrictEqual([0, null]);
  });
});

describe('rupa-client report', () => {
  it('records each report of a file once, although it is killed between a response and its output', async () => {
    const partner = await makePartner(service, { mode: 'sandbox' });
    const folder = mkdtempSync(join(tmpdir(), 'rupa-report-'));
    const [input, out] = [join(folder, 'reports.csv'), join(folder, 'results.jsonl')];
    writeFileSync(
      input,
      `rupa_id,event,amount\n${Array.from({ length: 250 }, (_, index) => `${FARMER},loan_repayment,${index}\n`).join('')}`,
    );
    let child: ChildProcess | undefined;
    let lists = 0;
    /** Passes calls on, and kills the program when the second list is recorded and its response not yet sent. */
    const proxy = createServer((request, response) => {
      const pass = async (): Promise<void> => {
        const headers = Object.fromEntries(
          ['x-api-key', 'content-type', 'idempotency-key'].flatMap((name) => {
            const value = request.headers[name];
            return typeof value === 'string' ? [[name, value]] : [];
          }),
        );
        const body = Buffer.concat(await request.toArray());
        const { method = 'GET', url = '' } = request;
        const passed = await fetch(service.url + url, { method, headers, ...(method === 'POST' ? { body } : {}) });
        const text = await passed.text();
        // A list that got 503 on a busy machine is sent again.
        if (passed.ok && url.endsWith('/reports') && (lists += 1) === 2) child?.kill('SIGKILL');
        else response.writeHead(passed.status, { 'Content-Type': 'application/json' }).end(text);
      };
      pass().catch(() => response.destroy());
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const program = join(project.folder, 'node_modules/.bin/rupa-client');
    const run = async (): Promise<unknown[]> => {
      const { port } = proxy.address() as AddressInfo;
      const variables = { ...process.env, NODE_OPTIONS: '', RUPA_API_KEY: partner.key, RUPA_URL: `http://127.0.0.1:${port}` };
      child = spawn(program, ['report', input, '--out', out], { env: variables, stdio: 'ignore' });
      endWithThisProcess(child);
      return (await once(child, 'exit')) as unknown[];
    };
    try {
      expect(await run()).toStrictEqual([null, 'SIGKILL']);
      expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(100);
      expect(await run()).toStrictEqual([0, null]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
    const results = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { item: number; outcome: string; contribution_id: number });
    expect(results.map(({ item, outcome }) => [item, outcome])).toStrictEqual(
      Array.from({ length: 250 }, (_, index) => [index + 1, 'created']),
    );
    expect(new Set(results.map(({ contribution_id }) => contribution_id)).size).toBe(250);
    expect((await partner.call('GET', '/me')).body.data.compliance).toMatchObject({ contributions_received: 250 });
    rmSync(folder, { recursive: true });
  });
});
