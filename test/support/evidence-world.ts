import { randomUUID } from 'node:crypto';
import { startApplication } from './application.js';
import { admin, call, evidenceFile, makePartner } from './client.js';
import { ConsoleVisitor } from './console.js';
import { type Application, type TestService } from './service.js';
import { until } from './until.js';

/** A service whose log has every kind of event that the programs in docs/audit have rules about, written by its own calls. */
export interface EvidenceWorld {
  readonly service: TestService;
  /** The service for one of its two administrators. */
  readonly administrator: Application;
  /** Fetches the evidence file as an auditor. */
  evidence(): Promise<string>;
}

const IDENTITY = { sections: ['identity'] };

export async function startEvidenceWorld(): Promise<EvidenceWorld> {
  const [amina, bayo] = [randomUUID(), randomUUID()];
  const service = await startApplication({ ADMIN_TOKEN: `amina:${amina},bayo:${bayo}` });
  const [asAmina, asBayo] = [amina, bayo].map((adminToken): Application => ({ ...service, adminToken })) as [Application, Application];
  await putFarmers(asAmina);
  const bank = await makePartner(asAmina, { company_name: 'A Bank' });
  const agtech = await makePartner(asBayo, { account_type: 'agtech', credit: 0 });
  const sandbox = await makePartner(asAmina, { mode: 'sandbox', credit: 2_000 });
  await admin(asBayo, 'PUT', `/partners/${bank.partner_id}/optional-sections`, { sections: ['wallet'] });
  await admin(asBayo, 'POST', `/partners/${agtech.partner_id}/wallet/credits`, {
    amount: 700.5,
    reference: 'thanks',
    kind: 'goodwill',
    reason: 'an outage',
  });

  await bank.lookup('rp-evidence-1');
  await bank.lookup('rp-evidence-2', { sections: ['identity', 'bvn_nin_data', 'credit_history'] });
  await sandbox.lookup('rp-test-failing');
  await sandbox.lookup('rp-test-gold', IDENTITY);
  const { fees } = (await admin(asBayo, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
  await admin(asBayo, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': 60 }, vat_percent: 7.5 });
  const later = { fees: { ...fees, 'svc_fee.identity': 70 }, vat_percent: 10 };
  // A time that has come before the service reads the request is refused, so each attempt states another.
  await until(async () => {
    const effective_at = new Date(Date.now() + 2_000).toISOString();
    return (await admin(asAmina, 'PUT', '/price-book', { ...later, effective_at })).status !== 422;
  });
  await bank.lookup('rp-evidence-1', IDENTITY);
  await agtech.lookup('rp-evidence-2', IDENTITY);
  await bank.call('POST', '/report', {
    rupa_id: 'rp-evidence-1',
    event: 'loan_disbursed',
    amount: 100,
    currency: 'NGN',
    occurred_at: '2026-01-01',
  });
  await bank.call('DELETE', '/consents/rp-evidence-1');
  await correct(asBayo, bank.partner_id, await settled(asBayo, bank.partner_id));
  await postEntries(asAmina);
  await until(async () => ((await admin(asAmina, 'GET', '/price-book')).body.data as { version: number }).version === 3);
  await bank.lookup('rp-evidence-2', IDENTITY);
  await call(service, 'GET', '/admin/v1/farmers/rp-evidence-1', {
    headers: { Authorization: `Bearer ${bayo}`, 'X-Reason': 'a complaint' },
  });
  await admin(asBayo, 'DELETE', '/farmers/rp-evidence-1');
  await admin(asBayo, 'PUT', '/maintenance', { reason: 'a test of maintenance' });
  await admin(asBayo, 'PUT', '/maintenance', { reason: 'a test', until: new Date(Date.now() + 3_600_000).toISOString() });
  await admin(asBayo, 'DELETE', '/maintenance');
  await useConsole(asAmina, agtech.partner_id);
  for (const { partner_id } of [bank, agtech, sandbox]) await settled(asBayo, partner_id);
  return {
    service,
    administrator: asAmina,
    evidence: () => evidenceFile(service),
  };
}

async function putFarmers(service: Application): Promise<void> {
  await admin(service, 'PUT', '/farmers/rp-evidence-1', { phone_verified: true, identity: { first_name: 'Eneojo' } });
  const credit_history = { credit_score: 700, bureau: { bureau_name: 'CRC', report_date: '2026-01-01' } };
  await admin(service, 'PUT', '/farmers/rp-evidence-2', { identity: { first_name: 'Ọlá' }, credit_history });
}

/** Waits until no charge of the wallet is open, and returns the newest settled lookup. */
async function settled(service: Application, partnerId: string): Promise<string> {
  return await until(async () => {
    const { ok, open_charges } = (await admin(service, 'GET', `/partners/${partnerId}/wallet/verification`)).body.data as {
      ok: boolean;
      open_charges: number;
    };
    if (!ok || open_charges > 0) return undefined;
    const { entries } = (await admin(service, 'GET', `/partners/${partnerId}/wallet/entries`)).body.data as {
      entries: { type: string; lookup_id: string | null }[];
    };
    return entries.findLast(({ type }) => type === 'WalletDebited')?.lookup_id ?? undefined;
  });
}

async function correct(service: Application, partnerId: string, lookupId: string): Promise<void> {
  await admin(service, 'POST', `/lookups/${lookupId}/compensation`, { reason: 'a wrong record' });
  const reversals = `/partners/${partnerId}/wallet/reversals`;
  await admin(service, 'POST', `/partners/${partnerId}/wallet/payouts`, { amount: 300, reason: 'asked back', reference: 'out-1' });
  await admin(service, 'POST', reversals, { credit_reference: 'opening', amount: 500, reason: 'sent twice', reference: 'back-1' });
}

/** Signs in at the console, acts by a form, and signs out. */
async function useConsole(service: Application, partnerId: string): Promise<void> {
  const visitor = new ConsoleVisitor(service);
  await visitor.signIn(service.adminToken);
  const page = `/console/partners/${partnerId}`;
  await visitor.act(page, `${page}/deactivate`);
  await visitor.submit('/console/sign-out', { _csrf: await visitor.csrf() });
  const { status } = (await admin(service, 'GET', `/partners/${partnerId}`)).body.data as { status: string };
  if (status === 'active') throw new Error('The form of the console did not deactivate the partner.');
}

async function postEntries(service: Application): Promise<void> {
  const entries = [
    { kind: 'opening_balance', account: 'cash_received', amount: 9_000, date: '2026-01-31' },
    { kind: 'passthrough_settlement', account: 'bvn', amount: 60, date: '2026-02-28' },
    { kind: 'bank_charge', amount: 52.5 },
    { kind: 'bank_interest', amount: 0.13, mode: 'sandbox' },
    { kind: 'reversal', of: 'entry-1' },
  ];
  for (const [index, entry] of entries.entries())
    await admin(service, 'POST', '/ledger/entries', { ...entry, reference: `entry-${index}`, reason: 'by the bank' });
  for (const month of ['2026-01', '2026-02']) await admin(service, 'POST', `/ledger/periods/${month}/close`, {});
}
