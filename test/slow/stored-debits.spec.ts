import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { openLog } from '../support/service-log.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { givenPast } from '../support/wallet-past.js';
import { verificationOf } from '../support/wallet-verification.js';
import { chargeOf } from '../support/unit/charge-of.js';

interface Line {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly prev_hash: string;
  readonly hash: string;
}

const SECTIONS = ['identity', 'outstanding_loans'] as const;
const BREAKDOWN_KOBO = { 'svc_fee.identity': 50_00, 'svc_fee.outstanding_loans': 80_00 };
/** The event types as release 0.1.0 knew them, which stored debits in full. */
const { storedForm: _, ...debit } = eventCatalogue.WalletDebited;
const BEFORE = { ...eventCatalogue, WalletDebited: { ...debit, version: 1 } };

describe('a wallet with debits in full and in the stored form', () => {
  let service: TestService;
  let bank: TestPartner;
  let began: Date;

  beforeAll(async () => {
    service = await startService({}, { repeats: true });
    await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    bank = await makePartner(service);
    const { partner_id } = bank;
    const lookup_id = randomUUID();
    began = new Date();
    const base = { partner_id, at: began.toISOString(), actor: 'key:k' };
    const charge = { lookup_id, rupa_id: 'rp-1', source: 'before', breakdown_kobo: BREAKDOWN_KOBO };
    const commands = [
      chargeOf({ ...base, ...charge, price_book_version: 1, key_id: 'k', grants_consent: true }),
      { ...base, kind: 'settle' as const, lookup_ids: [lookup_id] },
    ];
    await givenPast(service, commands, BEFORE);
    expect((await bank.lookup('rp-1', { sections: SECTIONS, source: 'after' })).status).toBe(200);
    await until(async () => (await verificationOf(service, bank)).open_charges === 0);
  });
  afterAll(() => service.stop());

  async function exported(): Promise<Line[]> {
    const { out } = await rupa(service.dataDir, ['wallet', 'export', bank.partner_id, '-']);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  }

  it('holds the first ones in full, as earlier releases read them, and the later ones in the stored form', async () => {
    const { eventStore } = await openLog(service);
    const stored = await eventStore.readStream(`wallet-${bank.partner_id}`);
    await eventStore.close();
    const debits = stored.filter(({ type }) => type === 'WalletDebited');
    expect(debits.map(({ metadata }) => metadata.schema_version)).toStrictEqual([1, 2]);
    expect(
      debits.map(({ data }) => Object.keys(data).filter((key) => ['partner_id', 'fees', 'breakdown_kobo'].includes(key))),
    ).toStrictEqual([['partner_id', 'breakdown_kobo'], ['fees']]);
  });

  it('is verified and exported with the same fields in each debit', async () => {
    expect(await verificationOf(service, bank)).toMatchObject({ ok: true, fault: null });
    const lines = await exported();
    let head = '0'.repeat(64);
    for (const { stream, revision, type, data, prev_hash, hash } of lines) {
      expect(prev_hash).toBe(head);
      head = createHash('sha256')
        .update([head, stream, revision, type, canonicalize(data)].join('\n'))
        .digest('hex');
      expect(hash).toBe(head);
    }
    const [before, after] = lines.filter(({ type }) => type === 'WalletDebited').map(({ data }) => data);
    if (!before || !after) throw new Error('A debit is missing.');
    expect(Object.keys(after)).toStrictEqual(Object.keys(before));
    for (const same of ['partner_id', 'amount_kobo', 'breakdown_kobo', 'price_book_version'])
      expect(after[same]).toStrictEqual(before[same]);
  });

  it('shows equal charges in its lists and explanations', async () => {
    const { entries } = (await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/entries`)).body.data as unknown as {
      entries: { type: string; lookup_id: string; amount: number; breakdown: object }[];
    };
    const [before, after] = entries.filter(({ type }) => type === 'WalletDebited');
    if (!before || !after) throw new Error('A debit is missing.');
    expect([after.amount, after.breakdown]).toStrictEqual([before.amount, before.breakdown]);
    const explained = await Promise.all(
      [before, after].map(async ({ lookup_id }) => (await admin(service, 'GET', `/lookups/${lookup_id}`)).body.data),
    );
    expect(explained[1]?.breakdown).toStrictEqual(explained[0]?.breakdown);
    expect(explained.map(({ outcome }) => outcome)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
  });

  it('counts both in a statement, in a farmer’s report and in the books', async () => {
    // A month may have ended since the first charge.
    const months = new Set([began, new Date()].map((date) => date.toISOString().slice(0, 7)));
    const counted = await Promise.all(
      [...months].map(async (month) => {
        const { body } = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/statements/${month}`);
        return (body.data as unknown as { lookups: { count: number; sections: { key: string; count: number }[] } }).lookups;
      }),
    );
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    for (const { count, sections } of counted) for (const section of sections) expect(section.count).toBe(count);
    const report = (await admin(service, 'GET', '/farmers/rp-1/report')).body.data as unknown as { lookups: { sections: string[] }[] };
    expect(report.lookups).toHaveLength(2);
    expect(report.lookups[0]?.sections).toStrictEqual(report.lookups[1]?.sections);
    expect(report.lookups[0]?.sections).toContain('identity');
    expect((await admin(service, 'GET', '/ledger/trial-balance')).body.data).toMatchObject({ balanced: true });
  });

  it('gives back the same fees for both', async () => {
    const debits = (await exported()).filter(({ type }) => type === 'WalletDebited');
    for (const { data } of debits) {
      const path = `/lookups/${String(data.lookup_id)}/compensation`;
      expect((await admin(service, 'POST', path, { reason: 'a complaint' })).body.data).toMatchObject({ created: true });
    }
    const given = (await exported()).filter(({ type }) => type === 'LookupCompensated');
    expect(given.map(({ data }) => data.breakdown_kobo)).toStrictEqual(debits.map(({ data }) => data.breakdown_kobo));
    expect(await verificationOf(service, bank)).toMatchObject({ ok: true, fault: null });
  });
});
