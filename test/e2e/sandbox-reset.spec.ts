import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const GOLD = 'rp-test-gold';
const ORDINARY = 'rp-ordinary-sandbox';
const LOAN = { event: 'loan_disbursed', amount: 5_000, occurred_at: '2026-10-01T00:00:00Z' };

type Item = Readonly<Record<string, unknown>>;

describe('a reset of the sandbox', () => {
  let service: TestService;
  let failing: Receiver;

  beforeAll(async () => {
    // A delivery that failed once waits for its next attempt for an hour.
    service = await startApplication({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,3600' });
    failing = await startReceiver(500);
    await admin(service, 'PUT', `/farmers/${ORDINARY}`, { mode: 'sandbox' });
  });
  afterAll(async () => {
    await failing.close();
    await service.stop();
  });

  const itemsOf = async (partner: TestPartner, path: string, name: string): Promise<Item[]> =>
    (await partner.call('GET', path)).body.data[name] as Item[];
  const lookUp = async (partner: TestPartner, rupa_id: string): Promise<Record<string, Item>> => {
    const { status, body } = await partner.lookup(rupa_id, { sections: ['outstanding_loans'] });
    expect(status).toBe(200);
    return body.data as Record<string, Item>;
  };
  const loansOf = async (partner: TestPartner, rupa_id: string): Promise<unknown[]> =>
    ((await lookUp(partner, rupa_id)).outstanding_loans?.partner_loans as Item[]).map(({ contribution_id }) => contribution_id);
  const report = async (partner: TestPartner, rupa_id: string, more: object = {}) =>
    (await partner.call('POST', '/report', { rupa_id, ...LOAN, ...more })).body;
  const reset = async (partner: TestPartner): Promise<void> => {
    expect(await partner.call('POST', '/sandbox/reset')).toMatchObject({ status: 202, body: { success: true, data: {} } });
  };
  /** Returns what the account's lists show of a farmer. */
  const listsOf = async (partner: TestPartner, endpoint: number, rupa_id: string) => ({
    consents: (await itemsOf(partner, '/consents', 'consents')).filter((each) => each.rupa_id === rupa_id).length,
    contributions: (await itemsOf(partner, '/contributions', 'contributions')).filter((each) => each.rupa_id === rupa_id).length,
    ofFarmer: (await itemsOf(partner, `/contributions?rupa_id=${rupa_id}`, 'contributions')).length,
    events: (await itemsOf(partner, '/events', 'events')).filter(({ data }) => (data as Item).rupa_id === rupa_id).length,
    deliveries: (await itemsOf(partner, `/webhooks/${endpoint}/deliveries?rupa_id=${rupa_id}`, 'deliveries')).length,
  });
  /** Makes an account with a consent, a report, events and deliveries about a test farmer and about an ordinary one. */
  const usedAccount = async (): Promise<{ partner: TestPartner; endpoint: number; sampleLoans: unknown[] }> => {
    const partner = await makePartner(service, { mode: 'sandbox' });
    const endpoint = (await partner.call('POST', '/webhooks', { url: failing.url })).body.data.id as number;
    const sampleLoans = await loansOf(partner, GOLD);
    await lookUp(partner, ORDINARY);
    await report(partner, GOLD, { partner_reference: 'about gold' });
    await partner.call('POST', '/sandbox/events', { type: 'farmer.claim_filed', rupa_id: GOLD });
    await report(partner, ORDINARY, { partner_reference: 'about another' });
    await until(async () =>
      (await itemsOf(partner, `/webhooks/${endpoint}/deliveries`, 'deliveries')).every(({ attempt }) => attempt === 1),
    );
    await until(async () => (await listsOf(partner, endpoint, ORDINARY)).deliveries === 1);
    return { partner, endpoint, sampleLoans };
  };
  const USED = { consents: 1, contributions: 1, ofFarmer: 1, events: 2, deliveries: 2 };
  const UNUSED = { consents: 0, contributions: 0, ofFarmer: 0, events: 0, deliveries: 0 };

  it('removes what the account did with test farmers from every list and section, and nothing else', async () => {
    const { partner, endpoint, sampleLoans } = await usedAccount();
    const other = await usedAccount();
    expect(await listsOf(partner, endpoint, GOLD)).toStrictEqual(USED);
    expect(await loansOf(partner, GOLD)).toHaveLength(sampleLoans.length + 1);
    const ordinary = await listsOf(partner, endpoint, ORDINARY);
    const kept = async () => ({
      // Settlements follow on their own time.
      entries: (await entriesOf(service, partner)).filter(({ type }) => type !== 'ChargesSettled').length,
      lookups: (await itemsOf(partner, '/lookups', 'lookups')).length,
      compliance: (await partner.call('GET', '/me')).body.data.compliance,
      endpoints: await itemsOf(partner, '/webhooks', 'endpoints'),
    });
    const before = await kept();
    await reset(partner);
    await until(async () => (await listsOf(partner, endpoint, GOLD)).events === 0);
    expect(await listsOf(partner, endpoint, GOLD)).toStrictEqual(UNUSED);
    expect(await listsOf(partner, endpoint, ORDINARY)).toStrictEqual(ordinary);
    expect(await kept()).toStrictEqual(before);
    expect(await loansOf(partner, GOLD)).toStrictEqual(sampleLoans);
    expect(await listsOf(other.partner, other.endpoint, GOLD)).toStrictEqual(USED);
    expect(await loansOf(other.partner, GOLD)).toHaveLength(sampleLoans.length + 1);
  });

  it('frees the references of reports about test farmers alone, again and again', async () => {
    const { partner } = await usedAccount();
    const ids = new Set<unknown>();
    for (let round = 0; round < 3; round += 1) {
      await reset(partner);
      const { message, data } = await report(partner, GOLD, { partner_reference: 'about gold' });
      expect(message).toBe('Contribution recorded.');
      await report(partner, GOLD, { event: 'loan_repayment', amount: 1_000, payload: { loan_reference: 'about gold' } });
      const [newest] = (await lookUp(partner, GOLD)).outstanding_loans?.partner_loans as Item[];
      // A repayment of an earlier run is none of this loan's.
      expect([newest?.contribution_id, newest?.outstanding]).toStrictEqual([data.contribution_id, 4_000]);
      ids.add(data.contribution_id);
    }
    expect(ids.size).toBe(3);
    expect((await report(partner, ORDINARY, { partner_reference: 'about another', amount: 1 })).message).toBe('Contribution updated.');
    await reset(partner);
    expect((await report(partner, ORDINARY, { partner_reference: 'about gold' })).message).toBe('Contribution recorded.');
  });

  it('leaves the lists and the sections in agreement if it meets reports', async () => {
    const { partner, sampleLoans } = await usedAccount();
    const reports = Array.from({ length: 12 }, (_, n) => report(partner, GOLD, { partner_reference: `r${n % 4}`, amount: n + 1 }));
    await Promise.all([reset(partner), ...reports, reset(partner)]);
    const ownIds = async () =>
      (await itemsOf(partner, `/contributions?rupa_id=${GOLD}`, 'contributions')).map((each) => each.contribution_id);
    const inSection = (await loansOf(partner, GOLD)).filter((id) => !sampleLoans.includes(id));
    expect(new Set(inSection)).toStrictEqual(new Set(await ownIds()));
    const references = (await itemsOf(partner, '/contributions', 'contributions')).map((each) => each.partner_reference);
    expect(new Set(references).size).toBe(references.length);
    await reset(partner);
    expect(await ownIds()).toStrictEqual([]);
    expect(await loansOf(partner, GOLD)).toStrictEqual(sampleLoans);
  });

  it('shows the same after a rebuild of the read models', async () => {
    const { partner, endpoint, sampleLoans } = await usedAccount();
    await reset(partner);
    await report(partner, GOLD, { partner_reference: 'about gold' });
    const lists = () => listsOf(partner, endpoint, GOLD);
    await lookUp(partner, GOLD);
    await until(async () => (await lists()).events === 0);
    const before = await lists();
    for (const name of ['contribution', 'consent_roster', 'partner']) {
      for (const action of ['verify', 'rebuild']) {
        const { job_id } = (await admin(service, 'POST', `/projections/${name}/${action}`)).body.data;
        const job = await until(async () => {
          const { data } = (await admin(service, 'GET', `/projections/jobs/${String(job_id)}`)).body;
          return ['done', 'failed'].includes(data.state as string) && data;
        });
        expect([name, action, job.state, job.differences ?? 0]).toStrictEqual([name, action, 'done', 0]);
      }
    }
    expect(await lists()).toStrictEqual(before);
    expect(await loansOf(partner, GOLD)).toHaveLength(sampleLoans.length + 1);
  });

  it('queues no notification of before it in a recovery', async () => {
    const { partner, endpoint } = await usedAccount();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await reset(partner);
    await until(async () => (await listsOf(partner, endpoint, GOLD)).events === 0);
    expect((await partner.call('POST', `/webhooks/${endpoint}/recover`, { since })).body.data.queued).toBe(1);
    expect((await listsOf(partner, endpoint, GOLD)).deliveries).toBe(0);
  });

  it('happens once for an Idempotency-Key', async () => {
    const { partner } = await usedAccount();
    const keyed = () => partner.call('POST', '/sandbox/reset', undefined, { 'Idempotency-Key': 'once' });
    expect((await keyed()).status).toBe(202);
    await report(partner, GOLD);
    expect((await keyed()).headers.get('Idempotent-Replayed')).toBe('true');
    expect(await itemsOf(partner, `/contributions?rupa_id=${GOLD}`, 'contributions')).toHaveLength(1);
  });

  it('is refused to a live key, before the body is looked at', async () => {
    const live = await makePartner(service);
    for (const body of [undefined, '{"type":', 'x'.repeat(70_000)])
      expect(await live.call('POST', '/sandbox/reset', body)).toMatchObject({ status: 403, body: { code: 'sandbox_only' } });
  });
});
