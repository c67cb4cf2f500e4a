import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUBSCRIBABLE_TYPES } from '../../src/contexts/webhooks/domain/notification-types.js';
import { startApplication } from '../support/application.js';
import { makePartner } from '../support/client.js';
import { run } from '../support/rupa.js';
import { type TestService } from '../support/service.js';

const PROGRAMS = 'test/slow/generated-clients';

type Command = readonly [program: string, ...args: string[]];

interface Generator {
  readonly name: string;
  /** Fetch the generator and the packages of its client, in its folder. */
  readonly fetch: readonly Command[];
  /** Generate the client from document.json, and compile the program. */
  readonly build: readonly Command[];
  readonly program: Command;
}

function fromNuGet(name: string, id: string, version: string, ...generate: readonly string[]): Generator {
  return {
    name,
    fetch: [
      ['dotnet', 'tool', 'install', '--tool-path', 'tools', id, '--version', version],
      ['dotnet', 'restore', 'program.csproj'],
    ],
    build: [
      [join('tools', name), ...generate],
      ['dotnet', 'build', 'program.csproj', '--no-restore', '-o', 'out', '-v', 'q'],
    ],
    program: ['dotnet', join('out', 'program.dll')],
  };
}

/** The clients of hey-api, of which the SDK's types are made, too, are tested in every run (e2e/openapi.spec.ts, test/slow/sdk-package.spec.ts). */
const GENERATORS: readonly Generator[] = [
  fromNuGet(
    'nswag',
    'NSwag.ConsoleCore',
    '14.7.1',
    ...['openapi2csclient', '/input:document.json', '/output:Client.cs', '/namespace:Rupa', '/generateOptionalParameters:true'],
  ),
  fromNuGet(
    'kiota',
    'Microsoft.OpenApi.Kiota',
    '1.38.0',
    ...['generate', '-l', 'CSharp', '-d', 'document.json', '-o', 'Client', '-n', 'Rupa', '-c', 'RupaApi'],
  ),
  {
    name: 'openapi-fetch',
    fetch: [['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']],
    build: [
      [process.execPath, 'node_modules/openapi-typescript/bin/cli.js', 'document.json', '-o', 'api.d.ts'],
      [process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.'],
    ],
    program: [process.execPath, join('out', 'program.js')],
  },
];

/** Time for one step of what needs the network, so that a machine without one goes on. */
const FETCH_MS = 90_000;

const folder = mkdtempSync(join(tmpdir(), 'rupa-generated-'));
const ENVIRONMENT = {
  ...{ DOTNET_CLI_HOME: folder, NUGET_PACKAGES: join(folder, 'nuget'), TMPDIR: folder, DOTNET_NOLOGO: '1' },
  ...{ DOTNET_CLI_TELEMETRY_OPTOUT: '1', MSBUILDDISABLENODEREUSE: '1', DOTNET_CLI_USE_MSBUILD_SERVER: '0' },
};

function step([program, ...args]: Command, cwd: string, timeout?: number): SpawnSyncReturns<string> {
  const limit = timeout === undefined ? {} : { timeout, killSignal: 'SIGKILL' as const };
  return spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, ...ENVIRONMENT }, ...limit });
}

/** Fetches the generator and the packages of its client. Returns whether both can be had on this machine. */
function isAvailable({ name, fetch: steps }: Generator): boolean {
  const home = join(folder, name);
  cpSync(join(PROGRAMS, name), home, { recursive: true });
  return steps.every((each) => step(each, home, FETCH_MS).status === 0);
}

const available = GENERATORS.filter(isAvailable);
const missing = GENERATORS.filter((generator) => !available.includes(generator));

let service: TestService;
beforeAll(async () => {
  service = await startApplication();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the client that a generator makes', () => {
  for (const { name } of missing)
    it(`is NOT TESTED here with ${name}, because .NET or the packages are missing`, () => {
      expect(existsSync(join(PROGRAMS, name))).toBe(true);
    });

  for (const generator of available)
    it(`makes a lookup, and reads an event of each type and an error: ${generator.name}`, () => tryOut(generator));
});

async function tryOut({ name, build, program: [program, ...args] }: Generator): Promise<void> {
  const home = join(folder, name);
  writeFileSync(join(home, 'document.json'), await (await fetch(`${service.url}/docs/partner-json`)).text());
  for (const each of build) {
    const { status, stdout, stderr } = step(each, home);
    expect([each[0], status, status === 0 ? '' : stdout + stderr]).toStrictEqual([each[0], 0, '']);
  }
  const bank = await makePartner(service, { mode: 'sandbox', credit: 9_000_000 });
  const env = { ...ENVIRONMENT, RUPA_URL: service.url, RUPA_API_KEY: bank.key };
  const { code, out, err } = await run(program, args, env, '', home);
  expect({ code, err }).toStrictEqual({ code: 0, err: '' });
  const lines = out.trim().split('\n');
  expect(lines[0]).toMatch(/^charged \d+, account of 8999\d+$/);
  expect(lines.slice(1, -1).map((line) => line.split(' ')[0])).toStrictEqual(SUBSCRIBABLE_TYPES.map(variantOf));
  expect(lines.filter((line) => / (?:about|at) /.test(line))).toStrictEqual([
    'FarmerLoanAddedNotification about rp-test-gold, False',
    expect.stringMatching(/^AccountLowBalanceNotification at \d/),
  ]);
  expect(lines.at(-1)).toBe('404 Farmer_not_found');
}

function variantOf(type: string): string {
  return `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Notification`;
}
