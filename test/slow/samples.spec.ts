import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApplication } from '../support/application.js';
import { admin, balanceOf, makePartner, type TestPartner } from '../support/client.js';
import { type ProcessResult, run } from '../support/rupa.js';
import { type TestService } from '../support/service.js';

const SOURCES = 'examples/without-packages';

interface Language {
  readonly name: string;
  readonly files: readonly [lookup: string, verify: string];
  /** Compiles a file, and returns the command of the program. The folder is that of the files. */
  readonly commandOf: (file: string, folder: string) => readonly string[];
  /** A program that does nothing: a language that cannot compile and run it is not installed. */
  readonly empty: readonly [file: string, text: string];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Node',
    files: ['lookup.mjs', 'verify.mjs'],
    commandOf: (file) => [process.execPath, file],
    empty: ['empty.mjs', ''],
  },
  { name: 'Python', files: ['lookup.py', 'verify.py'], commandOf: (file) => ['python3', file], empty: ['empty.py', ''] },
  { name: 'PHP', files: ['lookup.php', 'verify.php'], commandOf: (file) => ['php', file], empty: ['empty.php', '<?php'] },
  {
    name: 'Go',
    files: ['lookup.go', 'verify.go'],
    commandOf: (file, folder) => {
      const program = join(folder, file.replace('.go', '.out'));
      compile(['go', 'build', '-o', program, file], folder);
      return [program];
    },
    empty: ['empty.go', 'package main\n\nfunc main() {}\n'],
  },
  {
    name: 'Java',
    files: ['Lookup.java', 'Verify.java'],
    commandOf: (file, folder) => {
      compile(['javac', '-Xlint:all', '-Werror', file], folder);
      return ['java', '-Xshare:auto', '-cp', folder, file.replace('.java', '')];
    },
    empty: ['Empty.java', 'public class Empty { public static void main(String[] arguments) {} }\n'],
  },
  {
    name: 'C#',
    files: ['lookup.cs', 'verify.cs'],
    commandOf: (file, folder) => {
      const built = join(folder, `${file}.out`);
      compile(['dotnet', 'build', file, '-o', built], folder);
      return ['dotnet', join(built, file.replace('.cs', '.dll'))];
    },
    empty: ['empty.cs', ''],
  },
];

/** The programs leave nothing behind outside their folder. */
const environmentIn = (folder: string): Record<string, string> => ({
  ...{ DOTNET_CLI_HOME: folder, NUGET_PACKAGES: join(folder, 'nuget'), DOTNET_NOLOGO: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' },
  ...{ MSBUILDDISABLENODEREUSE: '1', DOTNET_CLI_USE_MSBUILD_SERVER: '0', TMPDIR: folder },
  ...{ GOCACHE: join(folder, 'go'), GOPATH: join(folder, 'gopath'), GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' },
  ...{ PYTHONDONTWRITEBYTECODE: '1', NODE_OPTIONS: '' },
});

function compile([program = '', ...args]: readonly string[], folder: string): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...environmentIn(folder) },
  });
  if (error || status !== 0) throw error ?? new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

function isInstalled({ commandOf, empty: [file, text] }: Language): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-sample-'));
  try {
    writeFileSync(join(folder, file), text === '' && file.endsWith('.cs') ? 'return 0;\n' : text);
    const [program = '', ...args] = commandOf(file, folder);
    return spawnSync(program, args, { cwd: folder, env: { ...process.env, ...environmentIn(folder) } }).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const installed = LANGUAGES.filter(isInstalled);
const missing = LANGUAGES.filter((language) => !installed.includes(language));

let service: TestService;
beforeAll(async () => {
  service = await startApplication();
});
afterEach(() => {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    proxy.close();
  }
});
afterAll(() => service.stop());

describe('the samples', () => {
  it('are in every language, and NOT TESTED here in those that are not installed', () => {
    process.stderr.write(`not tested, because not installed: ${missing.map(({ name }) => name).join(', ') || 'none'}\n`);
    for (const file of LANGUAGES.flatMap(({ files }) => files)) expect(existsSync(join(SOURCES, file))).toBe(true);
  });
});

describe.each(installed)('the samples in $name', ({ files: [lookup, verify], commandOf }) => {
  let folder: string;
  let command: { readonly lookup: readonly string[]; readonly verify: readonly string[] };
  let bank: TestPartner;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-sample-'));
    for (const file of [lookup, verify]) cpSync(join(SOURCES, file), join(folder, file));
    command = { lookup: commandOf(lookup, folder), verify: commandOf(verify, folder) };
    await admin(service, 'PUT', '/farmers/rp-sample', { mode: 'sandbox' });
    bank = await makePartner(service, { mode: 'sandbox', credit: 1_000 });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const start = ([program = '', ...first]: readonly string[], args: readonly string[], env: Record<string, string>, input = '') =>
    run(program, [...first, ...args], { ...environmentIn(folder), ...env }, input, folder);
  const lookUp = (url: string, ...args: string[]): Promise<ProcessResult> =>
    start(command.lookup, args, { RUPA_URL: url, RUPA_API_KEY: bank.key });

  it('look a farmer up, once for each Idempotency-Key', async () => {
    const [first, again] = [await lookUp(service.url, 'rp-sample', 'once'), await lookUp(service.url, 'rp-sample', 'once')];
    expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/"amount_charged":\s*50/) });
    expect(again.out).toBe(first.out);
    expect(await balanceOf(service, bank)).toBe(950);
  });

  it('send a lookup again whose response was lost, and are charged once', async () => {
    const before = await balanceOf(service, bank);
    const proxy = await losingProxy(service.url, 1);
    const { code, out } = await lookUp(proxy.url, 'rp-sample', 'lost');
    expect({ code, out, requests: proxy.requests() }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/"amount_charged":\s*50/),
      requests: 2,
    });
    expect(await balanceOf(service, bank)).toBe(before - 50);
  });

  it('do not repeat a lookup that would be refused again', async () => {
    const proxy = await losingProxy(service.url, 0);
    const { code, out, err } = await lookUp(proxy.url, 'rp-sample-nobody', 'refused');
    expect({ code, out, err, requests: proxy.requests() }).toStrictEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('"farmer_not_found"'),
      requests: 1,
    });
  });

  it('tell genuine deliveries from others', async () => {
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const body = '{"type":"farmer.loan_added","data":{"note":"Ọ̀gbẹ́ni, 5 €"}}';
    const now = String(Math.floor(Date.now() / 1_000));
    const signature = (secret: Buffer, time: string, text = body): string =>
      `v1,${createHmac('sha256', secret).update(`msg-1.${time}.${text}`).digest('base64')}`;
    const genuine = async (time: string, signatures: string, text = body): Promise<boolean> => {
      const secret = { RUPA_SIGNING_SECRET: `whsec_${key.toString('base64')}` };
      const { code, out } = await start(command.verify, ['msg-1', time, signatures], secret, text);
      expect([code, out.trim()]).toStrictEqual(code === 0 ? [0, 'genuine'] : [1, '']);
      return code === 0;
    };
    const old = String(Number(now) - 400);
    expect(await genuine(now, signature(key, now))).toBe(true);
    expect(await genuine(now, `${signature(other, now)} ${signature(key, now)}`)).toBe(true);
    expect(await genuine(now, signature(other, now))).toBe(false);
    expect(await genuine(now, signature(key, now), `${body} `)).toBe(false);
    expect(await genuine(old, signature(key, old))).toBe(false);
    expect(await genuine(now, 'v1,')).toBe(false);
  });
});

/** The proxies of a test, which end with it. */
const proxies: Server[] = [];

/** Passes requests on to the service, and cuts the connections of the first ones once the service has responded. */
async function losingProxy(target: string, lost: number): Promise<{ url: string; requests(): number }> {
  let requests = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const isLost = requests <= lost;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      ['x-api-key', 'content-type', 'idempotency-key'].map((name) => [name, String(request.headers[name])]),
    );
    const passed = await fetch(target + (request.url ?? ''), { method: 'POST', headers, body: Buffer.concat(chunks) });
    const body = await passed.text();
    if (isLost) request.socket.destroy();
    else response.writeHead(passed.status, { 'Content-Type': 'application/json' }).end(body);
  };
  const server: Server = createServer((request, response) => {
    void pass(request, response);
  });
  proxies.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
  };
}
