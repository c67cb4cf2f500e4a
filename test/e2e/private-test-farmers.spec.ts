import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const SHOWING_REPORTS = ['credit_history', 'outstanding_loans', 'farms', 'underwriting_value'];
const TYPES = ['bank', 'insurer', 'agtech'] as const;

type Item = Readonly<Record<string, unknown>>;

describe('a test farmer', () => {
  let service: Application;
  /** An account of each type that reports, and another that does not. */
  const reporters: Record<string, TestPartner> = {};
  const others: Record<string, TestPartner> = {};
  const receivers: Receiver[] = [];

  const make = async (account_type: string): Promise<TestPartner> => {
    const partner = await makePartner(service, { mode: 'sandbox', account_type });
    await admin(service, 'PUT', `/partners/${partner.partner_id}/optional-sections`, { sections: SHOWING_REPORTS });
    return partner;
  };
  beforeAll(async () => {
    service = await sharedWebhookApplication();
    for (const type of TYPES) [reporters[type], others[type]] = [await make(type), await make(type)];
  });
  afterAll(async () => {
    for (const receiver of receivers) await receiver.close();
  });

  const shown = async (partner: TestPartner | undefined, rupa_id: string) => {
    const { status, body } = (await partner?.lookup(rupa_id, { sections: SHOWING_REPORTS })) ?? {};
    expect(status).toBe(200);
    const { credit_history, outstanding_loans, farms, underwriting_value, meta } = body?.data as Record<string, Item>;
    return { credit_history, outstanding_loans, farms, underwriting_value, meta };
  };
  const report = async (type: string, rupa_id: string, fields: object): Promise<number> => {
    const { status, body } = (await reporters[type]?.call('POST', '/report', { rupa_id, ...fields })) ?? {};
    expect([status, body?.message]).toStrictEqual([200, expect.stringMatching(/^Contribution (recorded|updated)\.$/)]);
    return body?.data.contribution_id as number;
  };
  const idsIn = (section: Item | undefined, list: string): unknown[] =>
    (section?.[list] as Item[]).map(({ contribution_id }) => contribution_id);

  // rp-test-unverified shows no items of its own, rp-test-gold some of every kind.
  it.each(['rp-test-unverified', 'rp-test-gold'])(
    'shows the account what it reported, besides the items that it always has: %s',
    async (rupa_id) => {
      const [bank, insurer, agtech] = [
        await shown(reporters.bank, rupa_id),
        await shown(reporters.insurer, rupa_id),
        await shown(reporters.agtech, rupa_id),
      ];
      const loan = await report('bank', rupa_id, { event: 'loan_disbursed', amount: 90_000, partner_reference: `loan ${rupa_id}` });
      const repaid = { event: 'loan_repayment', amount: 10_000, payload: { loan_reference: `loan ${rupa_id}` } };
      const repayment = await report('bank', rupa_id, repaid);
      const policy = await report('insurer', rupa_id, { event: 'policy_issued', amount: 70_000 });
      const harvest = await report('agtech', rupa_id, { event: 'harvest_record', payload: { item: 'yam' } });

      const after = await shown(reporters.bank, rupa_id);
      expect(idsIn(after.outstanding_loans, 'partner_loans')).toStrictEqual([loan, ...idsIn(bank.outstanding_loans, 'partner_loans')]);
      expect((after.outstanding_loans?.partner_loans as Item[])[0]).toMatchObject({ amount: 90_000, outstanding: 80_000 });
      expect(after.outstanding_loans?.total_outstanding).toBe(Number(bank.outstanding_loans?.total_outstanding) + 80_000);
      expect(idsIn(after.credit_history, 'partner_reported_repayments')).toStrictEqual([
        repayment,
        ...idsIn(bank.credit_history, 'partner_reported_repayments'),
      ]);
      const insured = await shown(reporters.insurer, rupa_id);
      expect(idsIn(insured.underwriting_value, 'active_policies')).toStrictEqual([
        policy,
        ...idsIn(insurer.underwriting_value, 'active_policies'),
      ]);
      expect(insured.underwriting_value?.total_active_coverage).toBe(Number(insurer.underwriting_value?.total_active_coverage) + 70_000);
      expect(idsIn((await shown(reporters.agtech, rupa_id)).farms, 'harvests')).toStrictEqual([
        harvest,
        ...idsIn(agtech.farms, 'harvests'),
      ]);
    },
  );

  it.each(['rp-test-unverified', 'rp-test-gold'])('never shows another account what it reported: %s', async (rupa_id) => {
    const fresh = await make('bank');
    const before = await shown(fresh, rupa_id);
    await report('bank', rupa_id, { event: 'loan_disbursed', amount: 1_000 });
    await report('agtech', rupa_id, { event: 'harvest_record' });
    const sections = ({ credit_history, outstanding_loans, farms, underwriting_value }: Partial<Record<string, Item>>) => ({
      credit_history,
      outstanding_loans,
      farms,
      underwriting_value,
    });
    expect(await shown(fresh, rupa_id)).toStrictEqual(before);
    // An account without reports sees the same, whatever its type.
    for (const type of TYPES) expect(sections(await shown(others[type], rupa_id))).toStrictEqual(sections(before));
    // The loans of the bank are none of the insurer's.
    expect((await shown(reporters.insurer, rupa_id)).outstanding_loans).toStrictEqual(before.outstanding_loans);
    for (const other of Object.values(others))
      expect((await other.call('GET', '/contributions')).body.data.contributions).toStrictEqual([]);
  });

  it('has the tier that follows from what the account reported, for that account alone', async () => {
    const rupa_id = 'rp-test-silver';
    const tierOf = async (partner: TestPartner | undefined) => (await shown(partner, rupa_id)).meta?.profile_completeness;
    const before = await tierOf(reporters.agtech);
    expect(await tierOf(others.agtech)).toBe(before);
    await report('agtech', rupa_id, { event: 'harvest_record' });
    expect(Number(await tierOf(reporters.agtech))).toBeGreaterThan(Number(before));
    expect(await tierOf(others.agtech)).toBe(before);
    expect((await admin(service, 'GET', `/farmers/${rupa_id}`)).body.data).toMatchObject({ profile_completeness: before });
  });

  it('notifies the account of its own reports alone, if it has a consent', async () => {
    const rupa_id = 'rp-test-bronze';
    const [own, theirs] = [await startReceiver(), await startReceiver()];
    receivers.push(own, theirs);
    const [reporter, other] = [await make('bank'), await make('bank')];
    await reporter.call('POST', '/webhooks', { url: own.url });
    await other.call('POST', '/webhooks', { url: theirs.url });
    const reported = async (partner: TestPartner): Promise<unknown> =>
      (await partner.call('POST', '/report', { rupa_id, event: 'loan_disbursed' })).body.data.contribution_id;
    const listed = async (partner: TestPartner, query = ''): Promise<unknown[]> => {
      const { events } = (await partner.call('GET', `/events${query}`)).body.data;
      return (events as { data: Item }[]).map(({ data }) => data.contribution_id);
    };
    await reported(reporter);
    for (const partner of [reporter, other]) expect((await partner.lookup(rupa_id, { sections: ['identity'] })).status).toBe(200);
    const [first, second] = [await reported(reporter), await reported(other)];
    // A subscriber works in the order of the log: with the second notification, those of the first are complete.
    await until(async () => (await listed(other)).length > 0 && own.received.length > 0 && theirs.received.length > 0);
    for (const query of ['', `?rupa_id=${rupa_id}`, '?type=farmer.loan_added']) {
      expect(await listed(reporter, query)).toStrictEqual([first]);
      expect(await listed(other, query)).toStrictEqual([second]);
    }
    expect(own.received.map(({ json }) => json.data.contribution_id)).toStrictEqual([first]);
    expect(theirs.received.map(({ json }) => json.data.contribution_id)).toStrictEqual([second]);
    await reporter.call('DELETE', `/consents/${rupa_id}`);
    expect(await listed(reporter)).toStrictEqual([]);
  });

  it('is among the contributions of the account, and counts for its compliance', async () => {
    const agtech = await make('agtech');
    const { data } = (await agtech.call('POST', '/report', { rupa_id: 'rp-test-bronze', event: 'harvest_record', amount: 5 })).body;
    for (const query of ['', '?rupa_id=rp-test-bronze'])
      expect((await agtech.call('GET', `/contributions${query}`)).body.data).toMatchObject({
        contributions: [{ contribution_id: data.contribution_id, rupa_id: 'rp-test-bronze', event: 'harvest_record', amount: 5 }],
      });
    expect((await agtech.call('GET', '/me')).body.data).toMatchObject({ compliance: { contributions_received: 1 } });
  });

  it('loses a report that is moved to another farmer of the sandbox, which everybody sees', async () => {
    await admin(service, 'PUT', '/farmers/rp-own-sandbox', { mode: 'sandbox' });
    const moved = { event: 'harvest_record', partner_reference: 'moved' };
    const id = await report('agtech', 'rp-test-unverified', moved);
    expect(idsIn((await shown(reporters.agtech, 'rp-test-unverified')).farms, 'harvests')).toContain(id);
    await report('agtech', 'rp-own-sandbox', moved);
    expect(idsIn((await shown(reporters.agtech, 'rp-test-unverified')).farms, 'harvests')).not.toContain(id);
    expect(idsIn((await shown(others.bank, 'rp-own-sandbox')).farms, 'harvests')).toStrictEqual([id]);
  });
});
