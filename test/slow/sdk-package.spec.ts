import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { installPackedSdk, type SdkProject } from '../support/packed-sdk.js';
import { run } from '../support/rupa.js';
import { type Application } from '../support/service.js';

/** Partners have either compiler, so each gets a part of the programs below. */
const TSC_6 = resolve('node_modules/typescript/bin/tsc');
const TSC_7 = resolve('node_modules/typescript-7/bin/tsc');

let service: Application;
let bank: TestPartner;
let project: SdkProject;

beforeAll(async () => {
  service = await sharedApplication();
  project = await installPackedSdk();
  for (const farmer of ['rp-sdk-1', 'rp-sdk-2', 'rp-sdk-3']) await admin(service, 'PUT', `/farmers/${farmer}`, { mode: 'sandbox' });
  bank = await makePartner(service, { mode: 'sandbox' });
});
afterAll(() => {
  project.remove();
});

/** Runs a partner's program, which gets a client named `client` and prints JSON. */
async function program(code: string): Promise<unknown> {
  const text = `
    import * as sdk from '@rupa/client';
    const client = new sdk.RupaClient({ apiKey: process.env.RUPA_API_KEY, baseUrl: process.env.RUPA_URL });
    const print = (value) => process.stdout.write(JSON.stringify(value));
    ${code}`;
  writeFileSync(join(project.folder, 'program.mjs'), text);
  const { code: status, out, err } = await project.node(['program.mjs'], { RUPA_API_KEY: bank.key, RUPA_URL: service.url });
  expect({ status, err }).toStrictEqual({ status: 0, err: '' });
  return JSON.parse(out);
}

describe('the package for partners, installed into an empty project', () => {
  it('consists of compiled code, its types, a readme and a license', () => {
    expect(project.packed).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'dist/index.js',
        'dist/index.d.ts',
        'dist/cjs/package.json',
        'dist/cjs/index.js',
        'dist/cjs/index.d.ts',
      ]),
    );
    expect(project.packed.filter((file) => /\.spec\.|^src\/|tsconfig/.test(file))).toStrictEqual([]);
  });

  it('can be required by a CommonJS program', async () => {
    const code = `
      const { FarmerNotFoundError, RupaClient } = require('@rupa/client');
      const client = new RupaClient({ apiKey: process.env.RUPA_API_KEY, baseUrl: process.env.RUPA_URL });
      const missing = client.lookup({ rupa_id: 'rp-sdk-nobody' }).catch((error) => error instanceof FarmerNotFoundError);
      Promise.all([client.me(), missing]).then(([{ company_name }, isMissing]) => console.log(company_name, isMissing));`;
    writeFileSync(join(project.folder, 'program.cjs'), code);
    const { out, err } = await project.node(['program.cjs'], { RUPA_API_KEY: bank.key, RUPA_URL: service.url });
    expect({ out, err }).toStrictEqual({ out: 'Test true\n', err: '' });
  });

  it('exports the same names to both kinds of modules', async () => {
    const [common, esm] = (await program(`
      const { createRequire } = await import('node:module');
      const required = createRequire(import.meta.url)('@rupa/client');
      print([Object.keys(required).sort(), Object.keys(sdk).sort()]);
    `)) as string[][];
    expect(esm).toContain('RupaClient');
    expect(common).toStrictEqual(esm);
  });

  it('can be required by a test that Jest runs without its support of modules', async () => {
    const code = `
      const { RupaClient, WebhookVerifier } = require('@rupa/client');
      test('it refuses a missing key', () => {
        expect(() => new RupaClient({ apiKey: undefined, baseUrl: 'https://api.example' })).toThrow('apiKey is missing');
        expect(() => new WebhookVerifier(undefined)).toThrow('The signing secret is missing');
      });`;
    writeFileSync(join(project.folder, 'partner.test.cjs'), code);
    const config = { rootDir: project.folder, transform: {}, testMatch: ['**/*.test.cjs'] };
    const jest = [resolve('node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config)];
    expect(await project.node(jest)).toMatchObject({ code: 0, err: expect.stringContaining('1 passed') });
  });

  it('looks up, reports and pages', async () => {
    const result = await program(`
      const { company_name, mode } = await client.me();
      const { amount } = await client.prices();
      const charged = [];
      for (const rupa_id of ['rp-sdk-1', 'RP-SDK-2', 'rp-sdk-3']) {
        const { billing } = await client.lookup({ rupa_id, sections: ['identity'] });
        charged.push(billing.lookup_id);
      }
      const reported = await client.report({ rupa_id: 'rp-sdk-1', event: 'loan_disbursed', amount: 250_000, partner_reference: 'l-1' });
      const again = await client.report({ rupa_id: 'rp-sdk-1', event: 'loan_disbursed', amount: 250_000, partner_reference: 'l-1' });
      const listed = [];
      for await (const lookup of client.lookups.list({ limit: 2 })) listed.push(lookup.lookup_id);
      const roster = [];
      for await (const { rupa_id } of client.consents.list({ limit: 1 })) roster.push(rupa_id);
      await client.consents.release('rp-sdk-3');
      const exported = [];
      for await (const { type } of client.wallet.export()) exported.push(type);
      const first = await client.lookups.get(charged[0]);
      print({ company_name, mode, created: [reported.created, again.created], isSame: listed.join() === charged.reverse().join(),
              roster, exported, first: first.rupa_id, csv: (await client.wallet.printedStatement(new Date().toISOString().slice(0, 7), 'csv')).length > 0,
              pdf: new TextDecoder().decode((await client.wallet.statementPdf(new Date().toISOString().slice(0, 7))).subarray(0, 5)) });
    `);
    expect(result).toStrictEqual({
      company_name: 'Test',
      mode: 'sandbox',
      created: [true, false],
      isSame: true,
      roster: ['rp-sdk-3', 'rp-sdk-2', 'rp-sdk-1'],
      exported: expect.arrayContaining(['WalletCredited', 'ConsentGranted', 'WalletDebited']),
      first: 'rp-sdk-1',
      csv: true,
      pdf: '%PDF-',
    });
  });

  it('charges a lookup once that is sent again with its key', async () => {
    const result = await program(`
      const before = (await client.me()).wallet_balance;
      const options = { idempotencyKey: 'loan-application-1', requestId: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11' };
      const one = await client.lookup({ rupa_id: 'rp-sdk-1', sections: ['identity'] }, options);
      const other = await client.lookup({ rupa_id: 'rp-sdk-1', sections: ['identity'] }, options);
      const responses = [one.lastResponse, other.lastResponse];
      print({ isSame: one.billing.lookup_id === other.billing.lookup_id, spent: before - (await client.me()).wallet_balance,
              replays: responses.map(({ isReplayed }) => isReplayed), ids: responses.map(({ requestId }) => requestId === options.requestId) });
    `);
    expect(result).toStrictEqual({ isSame: true, spent: 50, replays: [false, true], ids: [true, true] });
  });

  it('throws errors by their code', async () => {
    const result = await program(`
      const errorOf = (call) => call.then(() => undefined, (error) => error);
      const missing = await errorOf(client.lookup({ rupa_id: 'rp-sdk-nobody' }));
      const invalid = await errorOf(client.lookup({}));
      const wrongKey = await errorOf(new sdk.RupaClient({ apiKey: 'rupa_key_wrong', baseUrl: process.env.RUPA_URL }).me());
      const nowhere = await errorOf(new sdk.RupaClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:2', maxRetries: 0 }).me());
      print([
        missing instanceof sdk.FarmerNotFoundError && missing.requestId !== null,
        invalid instanceof sdk.ValidationFailedError && invalid.fieldErrors,
        wrongKey instanceof sdk.ApiKeyInvalidError,
        nowhere instanceof sdk.RupaConnectionError && nowhere.message,
      ]);
    `);
    expect(result).toStrictEqual([
      true,
      { rupa_id: ['The rupa id field is required.'] },
      true,
      expect.stringMatching(/^No response to GET http:\/\/127\.0\.0\.1:2\/v1\/rupa\/me: .*ECONNREFUSED/),
    ]);
  });

  it('looks up the test farmers, and is refunded for every attempt that failed inside the service', async () => {
    const result = await program(`
      const errorOf = (call) => call.then(() => undefined, ({ name }) => name);
      const tiers = [];
      for (const rupa_id of [sdk.TEST_FARMERS.gold, sdk.TEST_FARMERS.silver, sdk.TEST_FARMERS.bronze])
        tiers.push((await client.lookup({ rupa_id, sections: ['identity'] })).meta.profile_tier);
      const before = (await client.me()).wallet_balance;
      const erased = await errorOf(client.lookup({ rupa_id: sdk.TEST_FARMERS.erased }));
      const failing = await errorOf(client.lookup({ rupa_id: sdk.TEST_FARMERS.failing }, { maxRetries: 1 }));
      const refunds = [];
      for await (const { type } of client.wallet.entries({ limit: 2 })) if (type === 'RefundIssued') refunds.push(type);
      print({ tiers, erased, failing, refunds: refunds.length, spent: before - (await client.me()).wallet_balance });
    `);
    expect(result).toStrictEqual({
      tiers: ['gold', 'silver', 'bronze'],
      erased: 'FarmerNotFoundError',
      failing: 'InternalError',
      refunds: 2,
      spent: 0,
    });
  });

  it('has types that a strict project compiles without other packages', async () => {
    writeFileSync(
      join(project.folder, 'program.ts'),
      `import { InsufficientBalanceError, RupaClient, TEST_FARMERS, webhooks, type WebhookEvent } from '@rupa/client';
       const client = new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example' });
       export async function amountOf(rupa_id: string): Promise<number> {
         const { billing, identity } = await client.lookup({ rupa_id, sections: ['identity'] });
         return identity?.full_name === null ? 0 : billing.amount_charged;
       }
       export async function references(): Promise<(string | null)[]> {
         const found: (string | null)[] = [];
         for await (const { partner_reference } of client.contributions.list()) found.push(partner_reference);
         return found;
       }
       export const isShort = (error: unknown): boolean => error instanceof InsufficientBalanceError && error.status === 402;
       export const shortfall = (error: unknown): number => (error instanceof InsufficientBalanceError ? error.data.shortfall : 0);
       export async function received(body: string, headers: Headers): Promise<string> {
         const event: WebhookEvent = await webhooks.verify(body, headers, 'whsec_x', { tolerance: 60 });
         return event.type === 'account.low_balance' ? String(event.data.balance) : TEST_FARMERS.gold;
       }
       // @ts-expect-error A section that does not exist.
       export const wrong = () => client.lookup({ rupa_id: 'rp-1', sections: ['horoscope'] });
      `,
    );
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable'];
    const { code, out } = await run(TSC_6, [...options, 'program.ts'], {}, '', project.folder);
    expect({ code, out }).toStrictEqual({ code: 0, out: '' });
  });

  it('has samples in its readme that compile in strict mode', async () => {
    const samples = [...readFileSync('sdk/README.md', 'utf8').matchAll(/```ts\n([^]*?)```/g)].map(([, sample = '']) => sample);
    expect(samples.length).toBeGreaterThan(5);
    const files = samples.map((sample, index) => {
      // The rest of a sample stands in a function, where it may declare what the reader has, too.
      const lines = sample.split('\n');
      const imports = lines.filter((line) => line.startsWith('import '));
      const body = lines.filter((line) => !line.startsWith('import ')).join('\n');
      const declared = [...body.matchAll(/^(?:async )?function (\w+)/gm)].map(([, name]) => `  void ${name};`);
      writeFileSync(
        join(project.folder, `sample-${index}.mts`),
        `${imports.join('\n')}\nexport async function sample() {\n${body}\n${declared.join('\n')}\n}\n`,
      );
      return `sample-${index}.mts`;
    });
    writeFileSync(
      join(project.folder, 'reader.d.mts'),
      `import { type ListedEvent, type Lookup, type RupaClient } from '@rupa/client';
       declare global {
         const client: RupaClient;
         const rupa_id: string;
         const signal: AbortSignal;
         function topUp(naira: number): Promise<void>;
         function saveForLater(query: Lookup, idempotencyKey: string | undefined): Promise<void>;
         function load(): Promise<string | undefined>;
         function save(cursor: string): Promise<void>;
         function handle(event: ListedEvent): Promise<void>;
       }`,
    );
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable'];
    const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node'];
    const { code, out } = await run(TSC_7, [...options, ...types, 'reader.d.mts', ...files], {}, '', project.folder);
    expect({ code, out }).toStrictEqual({ code: 0, out: '' });
  });

  it.each(['program.cts', 'program.mts'])('has types for node16 in %s', async (file) => {
    writeFileSync(
      join(project.folder, file),
      `import { RupaClient, type WithResponse, WebhookVerifier, type LookupResult } from '@rupa/client';
       const client = new RupaClient({ apiKey: process.env.RUPA_API_KEY, baseUrl: 'https://api.example', throttle: false });
       export const verifier = new WebhookVerifier(process.env.RUPA_SIGNING_SECRET);
       export const lookUp = (rupa_id: string): Promise<WithResponse<LookupResult>> => client.lookup({ rupa_id, sections: ['identity'] });
       export const replayed = async (): Promise<boolean> => (await lookUp('rp-1')).lastResponse.isReplayed;
       declare const process: { readonly env: Record<string, string | undefined> };
      `,
    );
    const options = ['--strict', '--noEmit', '--module', 'node16', '--target', 'es2022', '--lib', 'es2023,dom,dom.asynciterable'];
    const { code, out } = await run(TSC_7, [...options, file], {}, '', project.folder);
    expect({ code, out }).toStrictEqual({ code: 0, out: '' });
  });
});
