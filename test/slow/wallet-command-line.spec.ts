import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { admin, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { chargeOf } from '../support/unit/charge-of.js';

const FORMULA = '=HYPERLINK("http://x","y")';
const refunded = randomUUID();

let service: TestService;
let bank: TestPartner;
let log: ServiceLog;

const wallet = (...args: string[]): Promise<ProcessResult> => rupa(service.dataDir, ['wallet', ...args]);
const outputOf = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await wallet(...args);
  expect([code, err]).toStrictEqual([0, '']);
  return out;
};

beforeAll(async () => {
  service = await startService({}, { repeats: true });
  log = await openLog(service);
  await admin(service, 'PUT', '/farmers/rp-1', {});
  bank = await makePartner(service, { company_name: 'Harvest Bank', credit: 1_234_567.5 });
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 5, reference: FORMULA });
  const { status } = await bank.lookup('rp-1', { sections: ['identity', 'outstanding_loans'] });
  expect(status).toBe(200);
  const circumstances = { partner_id: bank.partner_id, at: new Date().toISOString(), actor: 'service' };
  const bill = {
    rupa_id: 'rp-1',
    source: 'loan',
    breakdown_kobo: { 'svc_fee.identity': 50_00 },
    price_book_version: 1,
    key_id: 'no-key',
    grants_consent: false,
  };
  await log.wallets.execute(bank.partner_id, chargeOf({ ...circumstances, ...bill, lookup_id: refunded }));
  await log.wallets.execute(bank.partner_id, { ...circumstances, kind: 'refund', lookup_ids: [refunded], reason: 'the response failed' });
  await until(async () => (await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data.open_charges === 0);
});
afterAll(async () => {
  await log.eventStore.close();
  await service.stop();
});

describe('rupa wallet replay', () => {
  it('prints every entry with its running balance as a table', async () => {
    const lines = (await outputOf('replay', bank.partner_id)).split('\n');
    expect(lines[0]).toMatch(/^ revision {2}recorded at +type +amount \(NGN\) +balance \(NGN\) {2}for$/);
    expect(lines[1]).toMatch(/^ +0 {2}\S+Z {2}WalletCredited +1,234,567\.50 +1,234,567\.50 {2}opening$/);
    expect(lines[3]).toMatch(/WalletDebited +-130\.00 +1,234,442\.50 {2}lookup \S+ of rp-1$/);
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^.{9} {2}.{24} {2}.{17} {2}.{17}[0-9)] {2}.{17}[0-9)] {2}\S/);
    expect(lines.at(-2)).toMatch(/^\d+ entries; the balance is NGN 1,234,442\.50$/);
  });

  it('prints as JSON the same entries as the API', async () => {
    expect(JSON.parse(await outputOf('replay', bank.partner_id, '--format', 'json'))).toStrictEqual(await entriesOf(service, bank));
  });

  it('prints CSV without formulas', async () => {
    const lines = (await outputOf('replay', bank.partner_id, '--format', 'csv')).split('\r\n');
    expect(lines[0]).toBe('revision,recorded_at,type,amount,balance_after,lookup_id,rupa_id,breakdown,reason,reference,hash');
    expect(lines[1]).toMatch(/^0,\S+Z,WalletCredited,1234567\.5,1234567\.5,,,,,opening,[0-9a-f]{64}$/);
    expect(lines[2]).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`);
    expect(lines[3]).toMatch(/,WalletDebited,-130,1234442\.5,[^,]+,rp-1,svc_fee\.identity 50\.00; svc_fee\.outstanding_loans 80\.00,,,/);
    expect(lines.at(-1)).toBe('');
  });

  it('stops at a given time', async () => {
    const [first, second] = (await entriesOf(service, bank)) as unknown as { recorded_at: string }[];
    const entriesUpTo = async (at: string) =>
      (JSON.parse(await outputOf('replay', bank.partner_id, '--format', 'json', '--at', at)) as object[]).length;
    expect(await entriesUpTo(first?.recorded_at ?? '')).toBe(first?.recorded_at === second?.recorded_at ? 2 : 1);
    expect(await entriesUpTo('2020-01-01')).toBe(0);
    expect(await outputOf('replay', bank.partner_id, '--at', '2020-01-01T01:00:00+01:00')).toMatch(
      /for\n0 entries; the balance is NGN 0\.00\n$/,
    );
    expect((await wallet('replay', bank.partner_id, '--at', 'yesterday')).code).toBe(2);
  });
});

describe('rupa wallet verify', () => {
  it('reports that a wallet holds, with the head to note', async () => {
    const last = (await entriesOf(service, bank)).at(-1);
    const head = `${last?.revision ?? ''}:${last?.hash ?? ''}`;
    const entries = (last?.revision ?? 0) + 1;
    expect((await outputOf('verify', bank.partner_id)).split('\n')).toStrictEqual([
      `Harvest Bank (${bank.partner_id}): valid; ${entries} entries, 0 open charges, head ${head}`,
      expect.stringMatching(`^Verified at \\S+Z: 1 wallet, ${entries} valid entries, 1 head, 0 wallets with a fault; took [0-9.]+ s$`),
      '',
    ]);
    const { body } = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`);
    expect(JSON.parse(await outputOf('verify', bank.partner_id, '--since', head, '--json'))).toStrictEqual({
      partner_id: bank.partner_id,
      ...body.data,
    });
  });

  it('verifies all partners when none is named', async () => {
    const { partner_id } = await makePartner(service, { company_name: 'No Money Yet', credit: 0 });
    expect((await outputOf('verify')).split('\n')).toStrictEqual([
      expect.stringMatching(/^Harvest Bank .* valid; /),
      `No Money Yet (${partner_id}): valid; no entries.`,
      expect.stringMatching(/: 2 wallets, \d+ valid entries, 1 head, 0 wallets with a fault; took /),
      '',
    ]);
  });

  it('exits with 1 when a noted head is missing, and with 2 for wrong usage', async () => {
    const missing = `999:${'a'.repeat(64)}`;
    expect(await wallet('verify', bank.partner_id, '--since', missing)).toMatchObject({
      code: 1,
      out: expect.stringContaining('FAULT at revision 999 (since): The entry noted earlier is missing'),
    });
    expect((await wallet('verify', '--since', missing)).code).toBe(2);
    expect((await wallet('verify', bank.partner_id, '--since', '999')).code).toBe(2);
    expect(await wallet('verify', 'nobody')).toMatchObject({ code: 1, err: 'No partner found for that id.\n' });
  });
});

describe('rupa wallet export', () => {
  it('writes the log, one entry per line, to a file or to standard output', async () => {
    const file = join(service.dataDir, 'wallet.jsonl');
    const stored = (await log.eventStore.readStream(`wallet-${bank.partner_id}`)).map((event) => log.codec.inFull(event));
    const { code, out, err } = await wallet('export', bank.partner_id, file);
    expect([code, out, err]).toStrictEqual([
      0,
      '',
      `${stored.length} entries; the head to note is ${stored.length - 1}:${stored.at(-1)?.metadata.hash ?? ''}\n`,
    ]);
    const text = readFileSync(file, 'utf8');
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as object),
    ).toStrictEqual(
      stored.map(({ stream, revision, type, data, metadata: { hash } }, index) => ({
        stream,
        revision: Number(revision),
        type,
        recorded_at: data.recorded_at,
        data,
        prev_hash: stored[index - 1]?.metadata.hash ?? '0'.repeat(64),
        hash,
      })),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await wallet('export', bank.partner_id, '-')).out).toBe(text);
    const path = `/admin/v1/partners/${bank.partner_id}/wallet/export`;
    const response = await whenServed(() =>
      fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${service.auditorToken}` } }),
    );
    expect([response.status, await response.text()]).toStrictEqual([200, text]);
  });

  it('replaces the target of a link and leaves no other file behind', async () => {
    const folder = join(service.dataDir, 'exports');
    mkdirSync(folder);
    writeFileSync(join(folder, 'target'), 'old');
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    expect((await wallet('export', bank.partner_id, join(folder, 'link'))).code).toBe(0);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toMatch(/^\{"stream":"wallet-/);
    expect(readdirSync(folder).sort()).toStrictEqual(['link', 'target']);
  });

  it('says what to do when it cannot write', async () => {
    expect(await wallet('export', bank.partner_id, '/nowhere/wallet.jsonl')).toMatchObject({
      code: 1,
      err: '/nowhere/wallet.jsonl cannot be written: its folder does not exist. Create it first, or name a file elsewhere.\n',
    });
    for (const path of ['/dev/null', service.dataDir]) {
      expect(await wallet('export', bank.partner_id, path)).toMatchObject({
        code: 1,
        err: `${path} cannot be written: it is a folder or a device. Name a file, or - for standard output.\n`,
      });
    }
    expect(await wallet('export', 'nobody', '-')).toMatchObject({ code: 1, out: '', err: 'No partner found for that id.\n' });
  });
});

describe('rupa wallet explain', () => {
  it('shows the partner, the bill and the settlement of a charge', async () => {
    const [debit] = (await entriesOf(service, bank)).filter(({ type }) => type === 'WalletDebited');
    const explained = JSON.parse(await outputOf('explain', debit?.lookup_id ?? '', '--json')) as object;
    expect(explained).toMatchObject({
      lookup_id: debit?.lookup_id,
      partner: { partner_id: bank.partner_id, company_name: 'Harvest Bank', account_type: 'bank', mode: 'live' },
      key: { key_id: expect.any(String), label: null },
      rupa_id: 'rp-1',
      source: 'loan',
      revision: 2,
      hash: debit?.hash,
      sections: ['identity', 'outstanding_loans'],
      amount: 130,
      breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
      price_book_version: 1,
      consent_granted: true,
      outcome: { status: 'settled', at: expect.any(String), revision: expect.any(Number) },
    });
    const text = await outputOf('explain', debit?.lookup_id ?? '');
    for (const line of [
      /partner +Harvest Bank \(/,
      /sections +identity, outstanding_loans\n/,
      /charged +NGN 130\.00 by version 1 of the price book\n/,
      /svc_fee\.outstanding_loans +80\.00\n/,
      /outcome +settled at \S+, revision \d+/,
    ])
      expect(text).toMatch(line);
  });

  it('shows why a charge was refunded', async () => {
    expect(await outputOf('explain', refunded)).toMatch(/outcome +refunded at \S+, revision \d+: the response failed\n$/);
  });

  it('reports a lookup that was never charged', async () => {
    expect(await wallet('explain', randomUUID())).toMatchObject({ code: 1, err: 'No lookup with that id was ever charged.\n' });
  });
});

describe('rupa lookups find', () => {
  it('lists the lookups of a farmer in a time window, like the API', async () => {
    const find = async (...args: string[]) => await rupa(service.dataDir, ['lookups', 'find', 'rp-1', ...args]);
    const { lookups } = (await admin(service, 'GET', '/lookups?rupa_id=rp-1')).body.data as { lookups: { charged_at: string }[] };
    expect(lookups).toHaveLength(2);
    expect(JSON.parse((await find('--json')).out)).toStrictEqual(lookups);
    expect((await find()).out).toMatch(/│ Harvest Bank +│ identity, outstanding_loans +│ +130\.00 │ settled +│/);
    const today = lookups[0]?.charged_at.slice(0, 10) ?? '';
    expect(JSON.parse((await find('--from', today, '--to', today, '-n', '1', '--json')).out)).toStrictEqual([lookups[0]]);
    expect(JSON.parse((await find('--to', '2026-01-01', '--json')).out)).toStrictEqual([]);
  });
});

describe('rupa partners reverse', () => {
  it('says how much of a credit can be reversed, and changes nothing, when the wallet holds less', async () => {
    const other = await makePartner(service, { credit: 500 });
    const reverse = (amount: string): Promise<ProcessResult> =>
      rupa(service, [
        'partners',
        'reverse',
        other.partner_id,
        'opening',
        '--amount',
        amount,
        '--reason',
        'an error',
        '--reference',
        amount,
      ]);
    expect((await reverse('100')).code).toBe(0);
    expect(await reverse('400.01')).toMatchObject({
      code: 1,
      out: '',
      err: 'The wallet has no such credit, or its balance or what is left of the credit is lower than the amount. At most NGN 400.00 of it can be reversed.\n',
    });
    expect((await reverse('400')).out).toBe('reversed NGN 400.00; the balance is NGN 0.00\n');
  });
});

describe('rupa partners payout', () => {
  it('pays out once per reference, and says what there is if that is less', async () => {
    const other = await makePartner(service, { credit: 500 });
    const payOut = (amount: string, reference: string): Promise<ProcessResult> =>
      rupa(service, ['partners', 'payout', other.partner_id, amount, '--reason', 'asked back', '--reference', reference]);
    expect((await payOut('100', 'p1')).out).toBe('paid out NGN 100.00; the balance is NGN 400.00\n');
    expect((await payOut('100', 'p1')).out).toBe('already paid out NGN 100.00; the balance is NGN 400.00\n');
    expect(await payOut('400.01', 'p2')).toMatchObject({
      code: 1,
      out: '',
      err: 'The balance is lower than the amount. It is NGN 400.00.\n',
    });
  });
});

describe('rupa partners details', () => {
  it('changes and shows what is known of a customer', async () => {
    const { partner_id } = await makePartner(service);
    const details = async (...words: string[]) => await rupa(service, ['partners', 'details', partner_id, ...words]);
    const json = async (...words: string[]) => JSON.parse((await details(...words, '--json')).out) as object;
    const { customer_number } = (await admin(service, 'GET', `/partners/${partner_id}`)).body.data as { customer_number: number };
    const none = { name: null, address: null, tax_id: null, registration_number: null, email: null };
    const set = ['--company-name', 'New Name', '--name', 'New Name Plc', '--tax-id', '1-2'];
    const legal = { ...none, name: 'New Name Plc', tax_id: '1-2' };
    expect(await json(...set)).toStrictEqual({ partner_id, company_name: 'New Name', customer_number, legal });
    expect(await json('--clear', 'tax_id')).toMatchObject({ legal: { ...legal, tax_id: null } });
    const { out } = await details();
    for (const shown of [
      /company +│ New Name/,
      new RegExp(`customer number +│ ${customer_number}`),
      /legal name +│ New Name Plc/,
      /tax id +│ none/,
    ])
      expect(out).toMatch(shown);
    expect(await details('--clear', 'all', '--name', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('--clear names name') });
    expect(await json('--clear', 'all')).toMatchObject({ company_name: 'New Name', legal: none });
  });
});
