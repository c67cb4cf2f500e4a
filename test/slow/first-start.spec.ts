import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { startService, type TestService } from '../support/service.js';

describe('the first start on an empty data folder', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ DEMO: 'true' });
  });
  afterAll(() => service.stop());

  it('creates the demo data and prints a lookup command that works as it is pasted', async () => {
    expect(service.output()).toContain('1000 sandbox farmers');
    const curl = /^curl .*$/m.exec(service.output())?.[0] ?? '';
    const { stdout } = await promisify(exec)(curl);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { identity: { country: 'NG' }, billing: { currency: 'NGN' } } });
  });

  it('prints the address of the API’s documentation and serves it', async () => {
    const docs = /API docs: +(\S+)/.exec(service.output())?.[1] ?? '';
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
