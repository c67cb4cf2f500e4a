import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { admin, type ApiResponse, balanceOf, makePartner, type TestPartner } from '../support/client.js';
import { balancesOf } from '../support/ledger.js';
import { Random } from '../support/random.js';
import { type Application, startService, type TestService } from '../support/service.js';
import { openLog } from '../support/service-log.js';
import { until } from '../support/until.js';

/** `APPROVAL_KILLS=50 npm run test:slow -- approvals-crash` kills more often; APPROVAL_SEED repeats the random numbers of a run. */
const KILLS = Number(process.env.APPROVAL_KILLS ?? 4);
const SEED = Number(process.env.APPROVAL_SEED ?? Math.floor(Math.random() * 1_000_000));
const CALLS_OF_A_KIND = 4;
const [CREDIT, PAYOUT, CHARGE] = [3_000, 2_000, 1_500];

const AMINA = 'a-token-that-is-aminas-own';
const BODE = 'a-token-that-is-bodes-own';
const CHIDI = 'a-token-that-is-chidis-own';
const APPROVERS = [BODE, CHIDI, BODE];
const FUNDS = 100_000;

interface Pending {
  readonly id: string;
  readonly reference: string;
  /** Stream of the event that executes the call. */
  readonly stream: string;
}

describe('approved calls', () => {
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await startService({ APPROVAL_ABOVE: '1000', ADMIN_TOKEN: `amina:${AMINA},bode:${BODE},chidi:${CHIDI}` }, { repeats: true });
    bank = await makePartner(as(AMINA), { credit: 0 });
    const { id } = await pending('credits', FUNDS, 'funds');
    await approve(id, BODE);
  });
  afterAll(() => service.stop());

  const as = (token: string): Application => ({ ...service, adminToken: token });
  const approve = async (id: string, token: string): Promise<ApiResponse> => await admin(as(token), 'POST', `/approvals/${id}/approve`);

  async function pending(call: 'credits' | 'payouts' | 'entries', amount: number, reference: string): Promise<Pending> {
    const [path, more, stream] =
      call === 'entries'
        ? ['/ledger/entries', { kind: 'bank_charge', reason: 'a fee' }, 'ledger-live']
        : [`/partners/${bank.partner_id}/wallet/${call}`, call === 'payouts' ? { reason: 'asked back' } : {}, `wallet-${bank.partner_id}`];
    const { status, body } = await admin(as(AMINA), 'POST', path, { amount, reference, ...more });
    expect(status).toBe(202);
    return { id: String(body.data.approval_id), reference, stream };
  }

  async function pendingOf(round: number): Promise<Pending[]> {
    const sent: Pending[] = [];
    for (let n = 0; n < CALLS_OF_A_KIND; n += 1) {
      sent.push(await pending('credits', CREDIT, `credit ${round}-${n}`));
      sent.push(await pending('payouts', PAYOUT, `payout ${round}-${n}`));
      sent.push(await pending('entries', CHARGE, `charge ${round}-${n}`));
    }
    return sent;
  }

  /** Lets several persons approve each call at the same time, and kills the process once it has sent so many responses. */
  async function approveUntilKilled(calls: readonly Pending[], responses: number): Promise<void> {
    let received = 0;
    const running = calls.flatMap(({ id }) =>
      APPROVERS.map((token) =>
        approve(id, token).then(
          () => (received += 1),
          () => undefined,
        ),
      ),
    );
    await until(() => received >= responses);
    await service.kill();
    await Promise.all(running);
  }

  async function eventsIn(stream: string): Promise<readonly StoredEvent[]> {
    const { eventStore } = await openLog(service);
    try {
      return await eventStore.readStream(stream);
    } finally {
      await eventStore.close();
    }
  }

  it('are executed exactly once with both names, whenever the process is killed', async () => {
    const random = new Random(SEED);
    const executed: Pending[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const calls = await pendingOf(round);
      await approveUntilKilled(calls, random.between(0, calls.length * APPROVERS.length - 1));
      await service.restart();
      for (const { id } of calls) {
        const again = await until(async () => {
          const response = await approve(id, CHIDI);
          return response.status === 503 ? undefined : response;
        });
        expect({ SEED, ...again }).toMatchObject({ SEED, status: 200, body: { data: { status: 'executed' } } });
      }
      executed.push(...calls);
    }
    for (const stream of ['ledger-live', `wallet-${bank.partner_id}`]) {
      const expected = executed.filter((each) => each.stream === stream);
      const events = (await eventsIn(stream)).filter(({ data }) => data.reference !== 'funds');
      const found = events.map(({ data: { reference, actor, approval_id: id } }) => ({ reference, actor, id }));
      const byReference = (one: { reference: unknown }, other: { reference: unknown }): number =>
        String(one.reference).localeCompare(String(other.reference));
      expect({ SEED, found: found.sort(byReference) }).toStrictEqual({
        SEED,
        found: expected.map(({ reference, id }) => ({ reference, actor: 'admin:amina', id })).sort(byReference),
      });
      for (const { data } of events) expect(['admin:bode', 'admin:chidi']).toContain(data.approved_by);
    }
    for (const { id } of executed)
      expect((await eventsIn(`approval-${id}`)).map(({ type }) => type)).toStrictEqual([
        'ApprovalRequested',
        'ApprovalGranted',
        'ApprovalExecuted',
      ]);
    const times = KILLS * CALLS_OF_A_KIND;
    const balance = FUNDS + times * (CREDIT - PAYOUT);
    expect(await balanceOf(as(AMINA), bank)).toBe(balance);
    const { balanced, accounts } = await balancesOf(as(AMINA));
    expect({ balanced, accounts: Object.fromEntries(accounts.map(({ account, closing }) => [account, closing])) }).toStrictEqual({
      balanced: true,
      accounts: { bank_charges: times * CHARGE, cash_received: balance - times * CHARGE, partner_balances: -balance },
    });
  });
});
