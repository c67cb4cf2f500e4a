import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { APPROVAL_STREAMS } from '../../src/contexts/approvals/domain/approval.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, call, makePartner, type TestPartner } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { type Application, type TestService } from '../support/service.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const AMINA = 'a-token-that-is-aminas-own';
const AMINA_TOO = 'another-token-of-aminas';
const BODE = 'a-token-that-is-bodes-own';
const CHIDI = 'a-token-that-is-chidis-own';
const settings = { APPROVAL_ABOVE: '1000', ADMIN_TOKEN: `amina:${AMINA},AMINA:${AMINA_TOO}x,bode:${BODE},chidi:${CHIDI}` };

let started: TestService;
let service: Application;
let log: ServiceLog;
let bank: TestPartner;

beforeAll(async () => {
  started = await startApplication(settings);
  service = { ...started, adminToken: AMINA };
  log = await openLog(started);
});
afterAll(async () => {
  await log.eventStore.close();
  await started.stop();
});
beforeEach(async () => {
  bank = await makePartner(service, { credit: 500, mode: 'live' });
});

/** Calls the interface of administrators as the holder of a token. */
const as = async (token: string, method: string, path: string, body?: object): Promise<ApiResponse> =>
  await admin({ ...service, adminToken: token }, method, path, body);
const wallet = async (kind: string, body: object, token = AMINA): Promise<ApiResponse> =>
  await as(token, 'POST', `/partners/${bank.partner_id}/wallet/${kind}`, body);
const credit = async (amount: number, reference: string, token = AMINA): Promise<ApiResponse> =>
  await wallet('credits', { amount, reference }, token);
const approve = async (id: string, token = BODE): Promise<ApiResponse> => await as(token, 'POST', `/approvals/${id}/approve`);
const reject = async (id: string, token = BODE): Promise<ApiResponse> =>
  await as(token, 'POST', `/approvals/${id}/reject`, { reason: 'no' });
const idOf = ({ status, body }: ApiResponse): string => {
  expect(status).toBe(202);
  return String(body.data.approval_id);
};
const walletEvents = async (): Promise<readonly StoredEvent[]> => await log.eventStore.readStream(`wallet-${bank.partner_id}`);
const listed = async (status: string) => {
  const { body } = await admin(service, 'GET', `/approvals?status=${status}&limit=200`);
  return (body.data.approvals as { approval_id: string; partner_id: string | null }[]).filter(
    ({ partner_id }) => partner_id === bank.partner_id,
  );
};

describe('a call above the limit', () => {
  it('waits for a second person and is executed once that person approves it, with both names in its event', async () => {
    const sent = await credit(1_000.01, 'large');
    expect(sent).toMatchObject({ status: 202, body: { data: { status: 'pending', expires_at: expect.stringMatching(/Z$/) } } });
    expect(await balanceOf(service, bank)).toBe(500);
    const id = idOf(sent);
    expect(await listed('pending')).toMatchObject([
      { approval_id: id, kind: 'credit', amount: 1_000.01, reference: 'large', requested_by: 'admin:amina', status: 'pending' },
    ]);
    expect(await approve(id)).toMatchObject({ status: 200, body: { data: { approval_id: id, status: 'executed' } } });
    expect(await balanceOf(service, bank)).toBe(1_500.01);
    expect((await walletEvents()).at(-1)).toMatchObject({
      type: 'WalletCredited',
      data: { actor: 'admin:amina', approved_by: 'admin:bode', approval_id: id },
    });
    expect(await listed('executed')).toMatchObject([{ approval_id: id, decided_by: 'admin:bode' }]);
    expect(await approve(id)).toMatchObject({ status: 200, body: { data: { status: 'executed' } } });
    expect(await credit(1_000.01, 'large')).toMatchObject({ status: 200, body: { data: { created: false } } });
    expect((await walletEvents()).filter(({ data }) => data.reference === 'large')).toHaveLength(1);
  });

  it('is executed at once if the amount is not above the limit', async () => {
    expect(await credit(1_000, 'small')).toMatchObject({ status: 200, body: { data: { created: true } } });
    expect((await walletEvents()).at(-1)?.data).not.toHaveProperty('approval_id');
  });

  it('is executed at once in the sandbox', async () => {
    const sandbox = await makePartner(service, { mode: 'sandbox', credit: 5_000 });
    expect(await balanceOf(service, sandbox)).toBe(5_000);
  });

  it('is the same approval when it is sent again while it waits, also at the same time', async () => {
    const sent = await Promise.all(Array.from({ length: 5 }, () => credit(2_000, 'twice')));
    const ids = new Set(sent.map(idOf));
    expect(ids.size).toBe(1);
    expect([...ids]).toStrictEqual([idOf(await credit(2_000, 'twice', BODE))]);
    expect(await credit(3_000, 'twice')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await wallet('payouts', { amount: 2_000, reference: 'twice', reason: 'x' })).toMatchObject({ status: 409 });
  });

  it('is the same approval whether its defaults are sent or not', async () => {
    expect(await approve(idOf(await credit(9_000, 'whole')))).toMatchObject({ status: 200 });
    const calls: readonly (readonly [path: string, body: object, defaults: readonly object[]])[] = [
      [
        `/partners/${bank.partner_id}/wallet/credits`,
        { amount: 2_000, reference: 'credit' },
        [{ kind: 'payment' }, { kind: null, reason: null }, { bank_fee: 0, withheld_tax: 0 }, { bank_fee: null, withheld_tax: null }],
      ],
      [
        `/partners/${bank.partner_id}/wallet/reversals`,
        { credit_reference: 'whole', reference: 'reversal', reason: 'x' },
        [{ amount: null }],
      ],
      [
        '/ledger/entries',
        { kind: 'bank_charge', amount: 2_000, reference: `defaults-${bank.partner_id}`, reason: 'x' },
        [{ mode: 'live' }, { mode: null, account: null, of: '', date: null }],
      ],
    ];
    for (const [path, body, defaults] of calls) {
      const id = idOf(await as(AMINA, 'POST', path, body));
      for (const sent of defaults) expect([sent, idOf(await as(AMINA, 'POST', path, { ...body, ...sent }))]).toStrictEqual([sent, id]);
    }
  });

  it('is checked before it waits', async () => {
    expect(await credit(0, 'wrong')).toMatchObject({ status: 422 });
    expect(await wallet('payouts', { amount: 2_000, reference: 'p', reason: 'x' })).toMatchObject({
      status: 409,
      body: { data: { available_amount: 500 } },
    });
    expect(await as(AMINA, 'POST', '/partners/nobody/wallet/credits', { amount: 5_000, reference: 'r' })).toMatchObject({ status: 404 });
    expect(await listed('pending')).toStrictEqual([]);
  });

  it('may be a ledger entry, whose reference is one of its own, but not one of the sandbox or below the limit', async () => {
    const entry = { kind: 'bank_charge', amount: 1_000.01, reference: `charge ${bank.partner_id}`, reason: 'a fee' };
    const post = async (body: object) => await as(AMINA, 'POST', '/ledger/entries', body);
    const id = idOf(await post(entry));
    expect(idOf(await post(entry))).toBe(id);
    expect((await post({ ...entry, amount: 2_000 })).status).toBe(409);
    expect(await approve(id, AMINA)).toMatchObject({ status: 403, body: { code: 'same_person' } });
    expect(await approve(id)).toMatchObject({ status: 200, body: { data: { status: 'executed' } } });
    expect(await post(entry)).toMatchObject({ status: 200, body: { data: { created: false, actor: 'admin:amina' } } });
    const events = await log.eventStore.readStream('ledger-live');
    expect(events.filter(({ data }) => data.reference === entry.reference)).toMatchObject([
      { data: { actor: 'admin:amina', approved_by: 'admin:bode', approval_id: id } },
    ]);
    const undone = { kind: 'reversal', of: entry.reference, reference: `undo ${bank.partner_id}`, reason: 'a mistake' };
    expect((await approve(idOf(await post(undone)))).status).toBe(200);
    expect((await post({ ...entry, mode: 'sandbox' })).status).toBe(201);
    expect((await post({ ...entry, amount: 1_000, reference: `small ${bank.partner_id}` })).status).toBe(201);
  });

  it('may be a payout, or a reversal of all that is left', async () => {
    expect(await approve(idOf(await credit(5_000, 'large')))).toMatchObject({ status: 200 });
    const paid = idOf(await wallet('payouts', { amount: 2_000, reference: 'out', reason: 'asked back' }));
    expect(await approve(paid)).toMatchObject({ status: 200 });
    const reversal = { credit_reference: 'large', reference: 'back', reason: 'a mistake' };
    expect(await wallet('reversals', { ...reversal, amount: 1_000 })).toMatchObject({ status: 200 });
    // 4000 are left of the credit, and the balance is 2500.
    expect(await wallet('reversals', { ...reversal, reference: 'rest' })).toMatchObject({ status: 409 });
    expect(await wallet('reversals', { ...reversal, reference: 'rest', amount: 1_500 })).toMatchObject({ status: 202 });
    expect(await balanceOf(service, bank)).toBe(2_500);
  });
});

describe('an approval', () => {
  it('is refused to the person who made the call, by any token of the name', async () => {
    const id = idOf(await credit(2_000, 'own'));
    for (const token of [AMINA, `${AMINA_TOO}x`])
      expect(await approve(id, token)).toMatchObject({ status: 403, body: { code: 'same_person' } });
    expect(await balanceOf(service, bank)).toBe(500);
  });

  it('stays pending while the call does not hold, and says why', async () => {
    expect(await approve(idOf(await credit(5_000, 'large')))).toMatchObject({ status: 200 });
    const [one, other] = [
      idOf(await wallet('payouts', { amount: 4_000, reference: 'one', reason: 'x' })),
      idOf(await wallet('payouts', { amount: 4_000, reference: 'other', reason: 'x' })),
    ];
    expect(await approve(one)).toMatchObject({ status: 200 });
    expect(await approve(other)).toMatchObject({ status: 409, body: { data: { available_amount: 1_500 } } });
    expect(await listed('pending')).toMatchObject([{ approval_id: other }]);
    expect(await approve(idOf(await credit(3_000, 'more')))).toMatchObject({ status: 200 });
    expect(await approve(other)).toMatchObject({ status: 200 });
    expect(await balanceOf(service, bank)).toBe(500);
  });

  it('ends with a rejection, after which the call needs another one', async () => {
    const id = idOf(await credit(2_000, 'refused'));
    expect(await reject(id)).toMatchObject({ status: 200, body: { data: { status: 'rejected' } } });
    expect(await approve(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await listed('rejected')).toMatchObject([{ approval_id: id, rejection_reason: 'no', decided_by: 'admin:bode' }]);
    const again = idOf(await credit(2_000, 'refused'));
    expect(again).not.toBe(id);
    expect(await approve(again)).toMatchObject({ status: 200 });
    expect(await reject(again)).toMatchObject({ status: 409 });
  });

  it('is executed once, however many approve it at the same time', async () => {
    const id = idOf(await credit(2_000, 'once'));
    const responses = await Promise.all([BODE, CHIDI, BODE, CHIDI].map((token) => approve(id, token)));
    expect(responses.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
    expect(await balanceOf(service, bank)).toBe(2_500);
    const types = (await log.eventStore.readStream(`approval-${id}`)).map(({ type }) => type);
    expect(types).toStrictEqual(['ApprovalRequested', 'ApprovalGranted', 'ApprovalExecuted']);
  });

  it.each(['before', 'after'])('is executed once although the process is killed %s the execution', async (when) => {
    const id = idOf(await credit(2_000, 'killed'));
    const at = new Date().toISOString();
    await new StreamWriter(log.eventStore, log.codec, APPROVAL_STREAMS).execute(id, { kind: 'grant', at, actor: 'admin:bode' });
    if (when === 'after')
      await log.wallets.execute(bank.partner_id, {
        kind: 'credit',
        partner_id: bank.partner_id,
        amount_kobo: 2_000_00,
        reference: 'killed',
        ...ALL_SEARCHED,
        at,
        actor: 'admin:amina',
        approval: { approval_id: id, approved_by: 'admin:bode' },
      });
    expect(await listed('pending')).toMatchObject([{ approval_id: id, decided_by: 'admin:bode' }]);
    expect(await reject(id)).toMatchObject({ status: 409 });
    expect(await approve(id, CHIDI)).toMatchObject({ status: 200, body: { data: { status: 'executed' } } });
    const credited = (await walletEvents()).filter(({ data }) => data.reference === 'killed');
    expect(credited.map(({ data }) => [data.actor, data.approved_by])).toStrictEqual([['admin:amina', 'admin:bode']]);
    expect(await balanceOf(service, bank)).toBe(2_500);
  });

  it('cannot be found under an id that nobody has', async () => {
    for (const sent of [await approve('nobody'), await reject('nobody')])
      expect(sent).toMatchObject({ status: 404, body: { code: 'approval_not_found' } });
  });
});

describe('prices', () => {
  const book = async () => (await admin(service, 'GET', '/price-book')).body.data as { version: number; fees: Record<string, number> };

  it('need a second person whenever they change', async () => {
    const { version, fees } = await book();
    expect(await as(AMINA, 'PUT', '/price-book', { fees })).toMatchObject({ status: 200 });
    const raised = { ...fees, 'svc_fee.identity': 61 };
    const id = idOf(await as(AMINA, 'PUT', '/price-book', { fees: raised }));
    expect((await book()).version).toBe(version);
    expect(await approve(id)).toMatchObject({ status: 200 });
    expect(await book()).toMatchObject({ version: version + 1, fees: raised });
    expect((await log.eventStore.lastEvent('pricebook-main'))?.data).toMatchObject({ actor: 'admin:amina', approved_by: 'admin:bode' });
  });

  it('need one to be scheduled', async () => {
    const { fees } = await book();
    const effective_at = new Date(Date.now() + 86_400_000).toISOString();
    const id = idOf(await as(AMINA, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': 62 }, effective_at }));
    expect((await admin(service, 'GET', '/price-book')).body.data).toMatchObject({ scheduled: null });
    expect(await approve(id)).toMatchObject({ status: 200 });
    expect((await admin(service, 'GET', '/price-book')).body.data).toMatchObject({ scheduled: { effective_at } });
  });
});

describe('the command line', () => {
  const run = async (words: readonly string[], more: Record<string, string> = {}) =>
    // The limit in force is that of the log: this environment names another one.
    await rupa(started, words, '', { ...settings, APPROVAL_ABOVE: '1000000', ...more });

  it('needs a token of a person for a call above the limit, and the token of another one to approve it', async () => {
    const command = ['partners', 'credit', bank.partner_id, '2000', '--reference', 'by-hand'];
    const unnamed = await run(command, { RUPA_ACTOR: 'amina' });
    expect([unnamed.code, unnamed.err]).toStrictEqual([1, expect.stringContaining('RUPA_TOKEN')]);
    const sent = await run(command, { RUPA_TOKEN: AMINA });
    expect([sent.code, sent.out]).toStrictEqual([0, expect.stringContaining('waits for the approval of a second person')]);
    const [pending] = await listed('pending');
    expect((await run(['approvals', 'list'])).out).toContain(pending?.approval_id);
    const id = pending?.approval_id ?? '';
    expect((await run(['approvals', 'approve', id], { RUPA_TOKEN: AMINA })).code).toBe(1);
    expect((await run(['approvals', 'approve', id], { RUPA_TOKEN: 'a-token-that-nobody-has' })).err).toContain('RUPA_TOKEN is wrong');
    expect((await run(['approvals', 'approve', id], { RUPA_TOKEN: BODE })).code).toBe(0);
    expect(await balanceOf(service, bank)).toBe(2_500);
  });
});

describe('the limit', () => {
  it('is recorded once', async () => {
    const found: StoredEvent[] = [];
    for await (const page of logPages(log.eventStore)) found.push(...page.filter(({ type }) => type === 'ApprovalLimitSet'));
    expect(found.map(({ stream, data }) => [stream, data.limit_kobo, data.actor])).toStrictEqual([
      ['approvallimit-main', 1_000_00, 'service'],
    ]);
  });

  it('lets auditors see approvals, and decide on none', async () => {
    const id = idOf(await credit(2_000, 'seen'));
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    expect((await call(service, 'GET', '/admin/v1/approvals', { headers })).status).toBe(200);
    expect((await call(service, 'POST', `/admin/v1/approvals/${id}/approve`, { headers })).status).toBe(403);
  });
});
