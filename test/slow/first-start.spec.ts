import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** Variables that the clients of the stores read by themselves, and with which none of them could connect. */
function forOtherStores(proxy: string): Record<string, string> {
  return {
    grpc_proxy: proxy,
    https_proxy: proxy,
    http_proxy: proxy,
    no_proxy: 'example.com',
    PGHOST: 'db.invalid',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGPASSWORD: 'wrong',
    PGDATABASE: 'none',
    PGSSLMODE: 'require',
    PGSSLNEGOTIATION: 'direct',
    PGOPTIONS: '-c no_such_setting=1',
    PGCLIENT_ENCODING: 'LATIN1',
    PGREPLICATION: 'database',
    PGDATA: '/nowhere',
    NODE_PG_FORCE_NATIVE: '1',
  };
}

describe('the first start on an empty data folder', () => {
  let service: TestService;
  let proxy: Server;
  let environment: Record<string, string>;
  let proxied = 0;

  beforeAll(async () => {
    proxy = createServer((socket) => {
      proxied += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    environment = forOtherStores(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    service = await startService({ DEMO: 'true', APROVAL_ABOVE: '1000', ...environment }, { isEmpty: true });
  });
  afterAll(async () => {
    await service.stop();
    proxy.close();
  });

  it('logs a variable that is probably a misspelt setting', () => {
    expect(service.output()).toContain('"msg":"APROVAL_ABOVE is ignored, because it is not a setting. Did you mean APPROVAL_ABOVE?"');
  });

  it('creates the demo data and prints a lookup command that works as it is pasted', async () => {
    expect(service.output()).toContain('1000 sandbox farmers');
    const curl = await until(() => /^(curl .*)\n/m.exec(service.output())?.[1]);
    // A read model may lag for a moment after the demo data was written.
    const response = await until(async () => {
      const body = JSON.parse((await promisify(exec)(curl)).stdout) as { code?: string };
      return body.code !== 'unavailable' && body;
    });
    expect(response).toMatchObject({ success: true, data: { identity: { country: 'NG' }, billing: { currency: 'NGN' } } });
  });

  it('prints the address of the API’s documentation and serves it', async () => {
    const docs = await until(() => /API docs: +(\S+)\s/.exec(service.output())?.[1]);
    const page = await fetch(docs);
    expect([page.status, page.headers.get('content-type')]).toStrictEqual([200, expect.stringContaining('text/html')]);
    const document = (await (await fetch(`${docs}-json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/rupa/lookup', '/v1/rupa/me', '/v1/rupa/consents']));
  });

  it('locks the folder, so that a second service is refused with an explanation', async () => {
    const second = spawn(process.execPath, [resolve('dist/src/main.js')], {
      env: { ...process.env, DATA_DIR: service.dataDir, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    second.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const [code] = (await once(second, 'close')) as [number];
    expect(code).toBe(1);
    expect(printed).toMatch(/in use by process \d+.*Stop|set DATA_DIR/);
  });

  it('refuses to switch to a copy of the log whose source would end with the service', async () => {
    const store = await startEventStoreProcess();
    try {
      expect(await rupa(service, ['events', 'copy', '--to', store.connectionString, '--switch'])).toMatchObject({
        code: 1,
        err: expect.stringContaining('its embedded stores end with it. Stop it, and run this again.'),
      });
    } finally {
      await store.close();
    }
  });

  it('ignores variables for other databases and proxies, as commands on its stores do', async () => {
    const { code, out, err } = await rupa(service.dataDir, ['partners', 'list'], '', environment);
    expect([code, err]).toStrictEqual([0, '']);
    expect(out).toContain('sandbox');
    expect(proxied).toBe(0);
  });

  it('creates the demo data only once', async () => {
    await service.interrupt();
    await service.restart();
    expect(service.output()).not.toContain('demo world');
  });
});

describe('a wrong setting', () => {
  it('prevents the start with a message that names the variable', async () => {
    const service = spawn(process.execPath, [resolve('dist/src/main.js')], {
      env: { ...process.env, PORT: 'eighty' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    service.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    expect(((await once(service, 'close')) as [number])[0]).toBe(1);
    expect(printed).toBe('PORT is wrong: it must be a whole number from 0 to 65535, and is "eighty".\n');
  });
});
