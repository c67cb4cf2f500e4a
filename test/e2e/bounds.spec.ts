import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommanderError } from 'commander';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import 'reflect-metadata';
import { buildProgram } from '../../src/cli/program.js';
import { type CommandRuntime } from '../../src/cli/runtime.js';
import { KEYS_STREAM } from '../../src/contexts/evidence/domain/make-checkpoint.js';
import { fieldsOf } from '../../src/contexts/farmers/domain/fields.js';
import { SECTION_CLASSES } from '../../src/contexts/farmers/domain/sections.js';
import { LEGAL_FIELDS } from '../../src/contexts/partners/domain/legal-details.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { toNaira } from '../../src/kernel/money.js';
import { SECTIONS } from '../../src/kernel/section-names.js';
import { ValidationFailed } from '../../src/kernel/validation-failed.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import {
  badAmounts,
  badChoices,
  badPositiveAmounts,
  badRequiredTexts,
  badRupaIds,
  badTexts,
  badTypedAmounts,
  violationsOf,
} from '../support/unit/violations.js';

const FEES = Object.fromEntries(Object.entries(DEFAULT_PRICE_BOOK.fees_kobo).map(([key, fee]) => [key, toNaira(fee)]));

let service: TestService;
let log: ServiceLog;
let bank: TestPartner;
let before: bigint | undefined;

beforeAll(async () => {
  service = await startApplication();
  log = await openLog(service);
  await admin(service, 'PUT', '/farmers/rp-1', {});
  bank = await makePartner(service);
  // The service issues the key of its checkpoints in the background after its start.
  await until(async () => (await log.eventStore.lastEvent(KEYS_STREAM)) !== undefined);
  before = await log.eventStore.headPosition();
});
afterAll(async () => {
  await log.eventStore.close();
  await service.stop();
});

type Call = (value: unknown) => Promise<ApiResponse>;
type Rule = readonly [field: string, values: readonly unknown[], call: Call];

const credits = (body: object) =>
  admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 1, reference: 'r', ...body });
const partners = (body: object) => admin(service, 'POST', '/partners', { company_name: 'A', account_type: 'bank', mode: 'live', ...body });
const ownPartner = (path: string, body: object) => admin(service, 'PUT', `/partners/${bank.partner_id}/${path}`, body);
const keys = (body: object) => admin(service, 'POST', `/partners/${bank.partner_id}/api-keys`, body);
const prices = (fees: unknown) => admin(service, 'PUT', '/price-book', { fees });
const farmers = (body: object, id = 'rp-1') => admin(service, 'PUT', `/farmers/${encodeURIComponent(id)}`, body);
const reports = (body: object) => bank.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1, ...body });
const hooks = (body: object) => bank.call('POST', '/webhooks', { url: 'https://partner.example/', ...body });

/** Amounts whose digits JavaScript's numbers would change, as JSON writes them. */
const changed = ['80000000000000.01', '70000000000000.001', '37172674708978.2700000001', '1e400', '0.1000000000000000055'].map(
  (JSON as unknown as { rawJSON(this: void, text: string): unknown }).rawJSON,
);
const loan = (amount: unknown) => ({ loan_id: 'L', amount, outstanding: 1, currency: 'NGN', disbursed_at: '2026-01-01', status: 'active' });

const rules: readonly Rule[] = [
  ['amount of a credit, with its digits', changed, (amount) => credits({ amount })],
  ['fee, with its digits', changed, (fee) => prices({ ...FEES, 'svc_fee.farms': fee })],
  ['amount of a loan, with its digits', changed, (amount) => farmers({ outstanding_loans: { svc_loans: [loan(amount)] } })],
  ['amount of a report, with its digits', changed, (amount) => reports({ amount })],
  ['number in a payload, with its digits', changed, (number) => reports({ payload: { list: [{ number }] } })],
  ['amount of a credit', badPositiveAmounts, (amount) => credits({ amount })],
  ['reference of a credit', badRequiredTexts(), (reference) => credits({ reference })],
  ['reason of a credit', badTexts(), (reason) => credits({ reason })],
  ['name of a company', badRequiredTexts(), (company_name) => partners({ company_name })],
  ['account type', badChoices, (account_type) => partners({ account_type })],
  ['mode of a partner', badChoices, (mode) => partners({ mode })],
  [
    'optional sections',
    ['x', null, ['other'], Array.from({ length: 10 }, () => 'farms')],
    (sections) => ownPartner('optional-sections', { sections }),
  ],
  [
    'allow-list',
    ['x', null, ['somewhere'], [''], [1], Array.from({ length: 1_001 }, () => '::1')],
    (cidrs) => ownPartner('ip-allow-list', { cidrs }),
  ],
  [
    'new name of a company',
    badRequiredTexts(),
    (company_name) => admin(service, 'PATCH', `/partners/${bank.partner_id}`, { company_name }),
  ],
  ...LEGAL_FIELDS.map((field): Rule => [
    `legal ${field}`,
    badRequiredTexts().filter((value) => value !== null),
    (value) => admin(service, 'PATCH', `/partners/${bank.partner_id}`, { legal: { [field]: value } }),
  ]),
  ['label of a key', badTexts(), (label) => keys({ label })],
  ['fee', [-1, 0.001, 1_000_000.01, '1', null], (fee) => prices({ ...FEES, 'svc_fee.farms': fee })],
  ['fees of a price book', [{}, { ...FEES, tip: 1 }, 1, null, []], prices],
  ['Rupa ID of a farmer', ['a b', 'ẹ', 'x'.repeat(65)], (id) => farmers({}, String(id))],
  ['mode of a farmer', badChoices, (mode) => farmers({ mode })],
  ...SECTIONS.flatMap((section) =>
    fieldsOf(SECTION_CLASSES[section])
      .filter(({ lookupOnly }) => !lookupOnly)
      .map(({ name, kind }): Rule => [
        `${section}.${name}`,
        violationsOf(kind).slice(0, 4),
        (value) => farmers({ [section]: { [name]: value } }),
      ]),
  ),
  ['Rupa ID of a lookup', badRupaIds, (rupa_id) => bank.call('POST', '/lookup', { rupa_id })],
  ['source of a lookup', badTexts(), (source) => bank.lookup('rp-1', { source })],
  ['sections of a lookup', [[], ['other'], 'identity'], (sections) => bank.lookup('rp-1', { sections })],
  ['Rupa ID of a report', badRupaIds, (rupa_id) => reports({ rupa_id })],
  ['event of a report', [...badChoices, 'harvest_record'], (event) => reports({ event })],
  ['amount of a report', badAmounts, (amount) => reports({ amount })],
  ['currency of a report', ['naira', 'XYZ', 1], (currency) => reports({ currency })],
  ['reference of a report', ['', ' ', ...badTexts()], (partner_reference) => reports({ partner_reference })],
  ['time of a report', ['yesterday', '2199-01-01', '1899-12-31', 1], (occurred_at) => reports({ occurred_at })],
  ['payload of a report', [1, [1], { a: '\0' }, { '\ud83c': 1 }, { a: 'x'.repeat(16 * 1024) }], (payload) => reports({ payload })],
  ['URL of a webhook', ['', 'x', 'ftp://a.example', `https://a.example/${'x'.repeat(2_048)}`, 'a\0b', 1, null], (url) => hooks({ url })],
  ['name of a webhook', badTexts(), (name) => hooks({ name })],
  ['events of a webhook', [[], ['other'], '*', Array.from({ length: 101 }, () => '*')], (events) => hooks({ events })],
];

/** The fields that the command line takes, with the words that set them. */
const words: readonly (readonly [field: string, values: readonly unknown[], command: (value: string) => readonly string[]])[] = [
  ['amount', badTypedAmounts, (amount) => ['partners', 'credit', bank.partner_id, amount, '--reference', 'r']],
  ['reference', badRequiredTexts(), (reference) => ['partners', 'credit', bank.partner_id, '1', '--reference', reference]],
  ['reason', badTexts(), (reason) => ['partners', 'credit', bank.partner_id, '1', '--reference', 'r', '--reason', reason]],
  ['company', badRequiredTexts(), (company) => ['partners', 'create', company, '--type', 'bank']],
  ['type', badChoices, (type) => ['partners', 'create', 'A', '--type', type]],
  ['mode', badChoices, (mode) => ['partners', 'create', 'A', '--type', 'bank', '--mode', mode]],
  ['tax id', badRequiredTexts(), (tax) => ['partners', 'details', bank.partner_id, '--tax-id', tax]],
  ['details to clear', ['', ' ', 'phone', 'name;email'], (fields) => ['partners', 'details', bank.partner_id, '--clear', fields]],
  ['label', badTexts(), (label) => ['partners', 'key', bank.partner_id, '--label', label]],
  ['Rupa ID', badRupaIds, (id) => ['farmers', 'erase', id]],
  ['count', ['', ' ', '0', '-1', '0x10', '1e3', '1.5', 'NaN'], (count) => ['demo', '--farmers', count]],
];

describe('a value that is out of bounds', () => {
  it.each(rules)('is refused over HTTP as the %s', async (_field, values, call) => {
    for (const value of values) {
      const { status, body } = await call(value);
      expect([value, status, body.message]).toStrictEqual([value, 422, 'Validation Error']);
    }
  });

  it.each(words)('is refused by the command line as the %s, before a store is opened', async (_field, values, command) => {
    for (const value of values) {
      if (typeof value !== 'string') continue;
      const refusal = await run(command(value));
      expect([value, refusal instanceof ValidationFailed || refusal instanceof CommanderError]).toStrictEqual([value, true]);
    }
  });

  it('is refused by the command line in a price book', async () => {
    const file = join(service.dataDir, 'fees.json');
    for (const fee of [-1, 0.001, 1_000_000.01, '1', null]) {
      writeFileSync(file, JSON.stringify({ fees: { ...FEES, 'svc_fee.farms': fee } }));
      expect(String(await run(['prices', 'publish', file]))).toMatch('The fees.svc fee.farms field must be an amount from 0 to 1000000');
    }
    writeFileSync(file, JSON.stringify({ fees: FEES, effective_at: 'soon' }));
    expect(String(await run(['prices', 'publish', file]))).toMatch('The effective at field must be an ISO 8601 date or timestamp');
  });

  it('adds nothing to the log but the administrators’ calls, and every wallet is verified', async () => {
    const added: string[] = [];
    for await (const page of logPages(log.eventStore, before)) added.push(...page.map(({ type }) => type));
    expect(added.filter((type) => !type.startsWith('AdminCall'))).toStrictEqual([]);
    const { body } = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`);
    expect(body.data).toMatchObject({ ok: true, entries: 1 });
  });
});

/** Runs a command without stores, and returns the error with which it ends. */
async function run(command: readonly string[]): Promise<unknown> {
  const opened = (): Promise<never> => Promise.reject(new Error('The command opened its stores.'));
  const runtime: CommandRuntime = {
    begin: () => undefined,
    actor: 'cli:test',
    withApplication: opened,
    withLog: opened,
    checkLog: opened,
    withKeys: opened,
    examine: opened,
  };
  const program = buildProgram(runtime);
  for (const each of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    each.configureOutput({ writeErr: () => undefined });
  return await program.parseAsync(command, { from: 'user' }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
