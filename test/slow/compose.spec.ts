import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, call, makePartner } from '../support/client.js';
import { type OwnService, ownServices, readCompose } from '../support/compose.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { run } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { freePort, type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

const compose = readCompose();

/** Settings that a process without a container needs: its port, and the folder with its secrets. */
interface Here {
  readonly port: number;
  readonly secrets: string;
}

function environmentHere({ environment }: OwnService, { port, secrets }: Here): Record<string, string> {
  const mounted = Object.entries(environment).map(([name, value]) => [name, value.replace(/^\/run\/secrets/, secrets)] as const);
  return {
    ...Object.fromEntries(mounted),
    PORT: String(port),
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    METRICS_HOST: '127.0.0.1',
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    WEBHOOK_ALLOW_ANY_PORT: 'true',
  };
}

describe('the services of docker-compose.yml, run without containers,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-compose-'));
  const running = new Map<string, { service: TestService; starting: Starting; env: Record<string, string> }>();
  let stores: SharedStores;
  let receiver: Receiver;

  beforeAll(async () => {
    [stores, receiver] = await Promise.all([startSharedStores(), startReceiver()]);
    const { ADMIN_TOKEN: adminToken = '', AUDITOR_TOKEN: auditorToken = '' } = stores.env;
    for (const name of Object.keys(compose.secrets))
      writeFileSync(join(folder, name), `${stores.env[name.toUpperCase()] ?? 'not used here'}\n`);
    for (const [name, compound] of ownServices(compose)) {
      const port = await freePort();
      const env = environmentHere(compound, { port, secrets: folder });
      const starting = startWithoutWaiting(env, compound.command?.slice(1));
      running.set(name, {
        starting,
        env,
        service: {
          ...stores.env,
          url: `http://127.0.0.1:${port}`,
          adminToken,
          auditorToken,
          repeatsChanges: true,
          repeatsUnserved: true,
        } as unknown as TestService,
      });
    }
    await until(() => [...running.values()].every(({ starting }) => starting.output().includes('Rupa is up')));
  });
  afterAll(async () => {
    for (const { starting } of running.values()) starting.kill('SIGKILL');
    await Promise.all([...running.values()].map(({ starting }) => starting.exited));
    await receiver.close();
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  const service = (name: string): TestService => {
    const found = running.get(name);
    if (!found) throw new Error(`docker-compose.yml has no service ${name}.`);
    return found.service;
  };

  it('pass their health checks', async () => {
    for (const [name, { healthcheck }] of ownServices(compose)) {
      const [, program = '', ...args] = healthcheck.test;
      const check = await until(async () => {
        const ended = await run(program, args, running.get(name)?.env ?? {});
        return ended.code === 0 && ended;
      });
      expect(check.err).toBe('');
    }
  });

  it('serve a lookup, accept a report and deliver a webhook', async () => {
    const [one, other] = [service('api-1'), service('api-2')];
    await admin(one, 'PUT', '/farmers/rp-1', { mode: 'sandbox', identity: { first_name: 'Aisha' } });
    const bank = await makePartner(one, { mode: 'sandbox' });
    expect(await bank.lookup('rp-1', { sections: ['identity'] })).toMatchObject({
      status: 200,
      body: { data: { identity: { first_name: 'Aisha' } } },
    });
    expect((await bank.call('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
    const headers = { 'X-API-KEY': bank.key };
    const report = await call(other, 'POST', '/v1/rupa/report', {
      headers,
      body: { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1_000, partner_reference: 'l1' },
    });
    expect(report.status).toBe(200);
    const { contribution_id } = report.body.data;
    const { headers: posted } = await until(() => receiver.received.find(({ json }) => json.data.contribution_id === contribution_id));
    expect(posted).toHaveProperty('webhook-signature');
  });

  it('exit with 0 when they are stopped as Docker stops them', async () => {
    for (const { starting } of running.values()) starting.kill('SIGTERM');
    expect(await Promise.all([...running.values()].map(({ starting }) => starting.exited))).toStrictEqual([...running].map(() => 0));
  });

  it('report why a health check fails', async () => {
    const [, program = '', ...args] = ownServices(compose)[0]?.[1].healthcheck.test ?? [];
    expect(await run(program, args, { PORT: String(await freePort()), HOST: '127.0.0.1' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\S/),
    });
  });
});
