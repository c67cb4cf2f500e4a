import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { admin, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type JumpingService, type JumpingTime, startJumpingService } from '../support/jumping-time.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const REASON = 'We move to another event store.';
const RUPA_ID = 'rp-1';
const ERASED_ID = 'rp-2';
const HOUR_MS = 3_600_000;

const isReady = async (service: TestService): Promise<boolean> => (await call(service, 'GET', '/health/ready')).status === 200;

describe('maintenance of one process', () => {
  let jumping: JumpingService;
  let time: JumpingTime;
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    jumping = await startJumpingService();
    ({ service, time } = jumping);
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, {});
    bank = await makePartner(service);
  });
  afterAll(() => jumping.close());

  it('ends by itself at its time', async () => {
    const end = new Date(Date.now() + HOUR_MS).toISOString();
    expect((await admin(service, 'PUT', '/maintenance', { reason: REASON, until: end })).status).toBe(200);
    expect((await bank.lookup(RUPA_ID)).body).toMatchObject({ code: 'maintenance', message: expect.stringContaining(end) });
    await time.jump(HOUR_MS);
    await until(() => isReady(service));
    await until(async () => (await bank.lookup(RUPA_ID)).status === 200);
    expect((await admin(service, 'GET', '/maintenance')).body.data).toStrictEqual({ maintenance: null });
    // After a jump, the process has heard no changes for an hour until it hears one, and says so.
    const { data } = await until(async () => {
      const { body } = await call(service, 'GET', '/health/ready');
      return body.data.status === 'ready' && body;
    });
    expect(data).toStrictEqual({ status: 'ready' });
  });
});

describe('maintenance of two APIs and a projector, each a process', () => {
  let stores: SharedStores;
  let projector: TestService;
  let one: TestService;
  let other: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    stores = await startSharedStores();
    projector = await stores.start('projector');
    [one, other] = await Promise.all([stores.start('api', {}, { repeats: true }), stores.start('api', {}, { repeats: true })]);
    for (const id of [RUPA_ID, ERASED_ID]) await admin(one, 'PUT', `/farmers/${id}`, {});
    bank = await makePartner(one);
  });
  afterEach(() => admin(one, 'DELETE', '/maintenance'));
  afterAll(() => stores.close());

  const via = (service: TestService): TestPartner => partnerWith(service, bank.partner_id, bank.key);
  const statuses = async (): Promise<number[]> => [(await via(one).lookup(RUPA_ID)).status, (await via(other).lookup(RUPA_ID)).status];
  const run = async (...args: readonly string[]): Promise<ProcessResult> => await rupa({ dataDir: 'unused', stores: stores.env }, args);
  const lookupsInLog = async (): Promise<number> => {
    const { out } = await run('events', 'tail', '--from', '0', '--category', 'wallet', '--json');
    return out.split('\n').filter((line) => line.includes('"type":"WalletDebited"')).length;
  };

  it('begins and ends on both before the response', async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      expect(await statuses()).toStrictEqual([200, 200]);
      await admin(one, 'PUT', '/maintenance', { reason: REASON });
      expect(await statuses()).toStrictEqual([503, 503]);
      await admin(other, 'DELETE', '/maintenance');
    }
    expect(await statuses()).toStrictEqual([200, 200]);
  });

  it('lets no lookup through that arrives after the response, whichever API it calls', async () => {
    let [hasBegun, stopped] = [false, false];
    const late: number[] = [];
    const caller = async (service: TestService): Promise<void> => {
      while (!stopped) {
        const arrivedAfter = hasBegun;
        const { status } = await via(service).lookup(RUPA_ID);
        if (arrivedAfter) late.push(status);
      }
    };
    const callers = [one, other, one, other].map(caller);
    await run('maintenance', 'on', '--reason', REASON);
    hasBegun = true;
    await until(() => late.length >= 40);
    stopped = true;
    await Promise.all(callers);
    expect(new Set(late)).toStrictEqual(new Set([503]));
    const written = await lookupsInLog();
    expect(await statuses()).toStrictEqual([503, 503]);
    expect(await lookupsInLog()).toBe(written);
  });

  it('is begun, shown and ended on the command line, which refuses other changes meanwhile', async () => {
    expect((await run('maintenance', 'status')).out).toBe('No maintenance is in force.\n');
    const end = new Date(Date.now() + HOUR_MS).toISOString();
    const begun = await run('maintenance', 'on', '--reason', REASON, '--until', end);
    expect([begun.code, begun.err]).toStrictEqual([0, '']);
    expect(begun.out).toContain(`until ${end}`);
    expect(await statuses()).toStrictEqual([503, 503]);
    expect((await run('maintenance', 'status')).out).toContain(REASON);
    expect(JSON.parse((await run('maintenance', 'status', '--json')).out)).toMatchObject({
      reason: REASON,
      until: end,
      actor: `cli:${userInfo().username}`,
    });
    for (const refused of [
      ['partners', 'create', 'Late Bank', '--type', 'bank'],
      ['partners', 'deactivate', bank.partner_id],
      ['prices', 'cancel'],
    ]) {
      const { code, err } = await run(...refused);
      expect([refused, code, err]).toStrictEqual([refused, 1, expect.stringContaining('To end it, run: rupa maintenance off')]);
      expect(err).toContain(REASON);
    }
    expect((await run('wallet', 'verify')).code).toBe(0);
    expect((await run('ledger', 'checkpoint')).code).toBe(0);
    expect((await run('farmers', 'erase', ERASED_ID)).code).toBe(0);
    const ended = await run('maintenance', 'off');
    expect([ended.code, ended.out]).toStrictEqual([0, 'Maintenance is over: every instance accepts all calls.\n']);
    expect(await statuses()).toStrictEqual([200, 200]);
    expect((await run('maintenance', 'off')).out).toBe('No maintenance is in force.\n');
    const { out } = await run('audit', 'list', '--json');
    for (const route of ['rupa maintenance on', 'rupa maintenance off', 'rupa partners create']) expect(out).toContain(route);
    expect((await run('maintenance', 'on')).code).toBe(2);
    expect((await run('maintenance', 'on', '--reason', 'x')).code).toBe(2);
  });

  it('stops an import that runs', async () => {
    const env = { ...process.env, ...stores.env };
    const importing = spawn(process.execPath, [resolve('dist/src/cli.js'), 'farmers', 'import', '-', '--json'], { env });
    const ended = once(importing, 'close');
    let printed = '';
    importing.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    importing.stdin.on('error', () => undefined);
    const isKnown = async (rupaId: string): Promise<boolean> => (await admin(one, 'GET', `/farmers/${rupaId}`)).status === 200;
    const write = (from: number): void => {
      for (let line = from; line < from + 64; line += 1) importing.stdin.write(`{"rupa_id":"rp-import-${line}"}\n`);
    };
    write(0);
    await until(() => isKnown('rp-import-63'));
    await run('maintenance', 'on', '--reason', REASON);
    write(64);
    importing.stdin.end();
    const [code] = (await ended) as [number | null];
    expect([code, printed]).toStrictEqual([1, expect.stringContaining('Run the import again after it')]);
    expect(await isKnown('rp-import-64')).toBe(false);
  });

  it('is told by the health of a process that serves no API', async () => {
    await admin(one, 'PUT', '/maintenance', { reason: REASON });
    expect((await call(projector, 'GET', '/health')).body.data).toStrictEqual({
      status: 'ready',
      maintenance: { reason: REASON, until: null },
    });
  });

  it('survives restarts', async () => {
    await admin(one, 'PUT', '/maintenance', { reason: REASON });
    for (const service of [one, other]) {
      await service.interrupt();
      await service.restart();
    }
    expect(await statuses()).toStrictEqual([503, 503]);
    expect((await via(one).call('GET', '/me')).status).toBe(200);
  });

  it('begins although no projector runs', async () => {
    await projector.interrupt();
    await admin(one, 'PUT', '/maintenance', { reason: REASON });
    expect(await statuses()).toStrictEqual([503, 503]);
    await projector.restart();
  });
});
