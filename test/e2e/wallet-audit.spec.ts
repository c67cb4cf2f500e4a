import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, call, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';
import { ODD_REFERENCE, type Verification, verificationOf } from '../support/wallet-verification.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  for (const farmer of ['rp-audit-1', 'rp-audit-2']) await admin(service, 'PUT', `/farmers/${farmer}`, {});
  bank = await makePartner(service);
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 12.34, reference: ODD_REFERENCE });
  for (const farmer of ['rp-audit-1', 'rp-audit-2', 'rp-audit-1'])
    expect((await bank.lookup(farmer, { source: 'Kredit für 漢' })).status).toBe(200);
  await until(async () => (await verification()).open_charges === 0);
});

const verification = (partner = bank, query = ''): Promise<Verification> => verificationOf(service, partner, query);

describe('the verification of a wallet', () => {
  it('succeeds for the events that the service wrote and returns the head', async () => {
    const entries = await entriesOf(service, bank);
    const last = entries.at(-1);
    expect(await verification()).toStrictEqual({
      ok: true,
      entries: entries.length,
      head: { revision: last?.revision, hash: last?.hash },
      open_charges: 0,
      fault: null,
    });
    const empty = await makePartner(service, { credit: 0 });
    expect(await verification(empty)).toStrictEqual({ ok: true, entries: 0, head: null, open_charges: 0, fault: null });
  });

  it('counts an unsettled charge as open', async () => {
    const other = await makePartner(service);
    // A charge is open for two seconds, in which a busy machine may not verify.
    const found = await until(async () => {
      await other.lookup('rp-audit-1');
      const verified = await verification(other);
      return verified.open_charges > 0 && verified;
    });
    expect(found).toMatchObject({ ok: true, fault: null });
  });

  it('reports whether a head that was noted earlier is still part of the chain', async () => {
    const [first] = await entriesOf(service, bank);
    expect(await verification(bank, `?since=0:${first?.hash ?? ''}`)).toMatchObject({ ok: true });
    expect(await verification(bank, `?since=0:${'0'.repeat(64)}`)).toMatchObject({
      ok: false,
      entries: 0,
      head: null,
      fault: { revision: 0, rule: 'since' },
    });
    expect(await verification(bank, `?since=999:${'0'.repeat(64)}`)).toMatchObject({
      ok: false,
      fault: { revision: 999, rule: 'since', message: expect.stringContaining('is missing') },
    });
  });

  it.each(['17', `17:${'z'.repeat(64)}`, `-1:${'0'.repeat(64)}`])('refuses the malformed head %j', async (since) => {
    const response = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification?since=${since}`);
    expect(response).toMatchObject({
      status: 422,
      body: { data: { errors: { since: ['The since field must be REVISION:HASH, taken from the head of an earlier verification.'] } } },
    });
  });

  it('is available to administrators and auditors only', async () => {
    const path = `/admin/v1/partners/${bank.partner_id}/wallet/verification`;
    expect((await call(service, 'GET', path, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).status).toBe(200);
    expect((await call(service, 'GET', path)).status).toBe(401);
    expect((await admin(service, 'GET', '/partners/nobody/wallet/verification')).status).toBe(404);
  });
});
