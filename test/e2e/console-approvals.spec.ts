import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application, type TestService } from '../support/service.js';

const AMINA = 'a-token-that-is-aminas-own';
const BODE = 'a-token-that-is-bodes-own';

let started: TestService;
let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  started = await startApplication({ APPROVAL_ABOVE: '1000', ADMIN_TOKEN: `amina:${AMINA},bode:${BODE}` });
  service = { ...started, adminToken: AMINA };
});
afterAll(() => started.stop());
beforeEach(async () => {
  bank = await makePartner(service, { credit: 500, mode: 'live' });
});

const credit = async (amount: number, reference: string): Promise<ApiResponse> =>
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount, reference });
const idOf = ({ status, body }: ApiResponse): string => {
  expect(status).toBe(202);
  return String(body.data.approval_id);
};
const firstPending = async (): Promise<string> => {
  const { approvals } = (await admin(service, 'GET', '/approvals?status=pending')).body.data as { approvals: { approval_id: string }[] };
  return approvals[0]?.approval_id ?? '';
};

describe('an approval in the console', () => {
  const signedIn = async (token: string): Promise<ConsoleVisitor> => {
    const visitor = new ConsoleVisitor(started);
    await visitor.signIn(token);
    return visitor;
  };
  const submit = async (visitor: ConsoleVisitor, path: string, fields: Record<string, string>): Promise<string> => {
    const from = `/console/partners/${bank.partner_id}`;
    const { status, headers } = await visitor.submit(path, { ...(await visitor.crafted(from)), ...fields });
    expect(status).toBe(303);
    return await (await visitor.get(headers.get('location') ?? '')).text();
  };

  it('says that a call waits, lists it, and lets another person approve or reject it', async () => {
    const [amina, bode] = [await signedIn(AMINA), await signedIn(BODE)];
    const fields = { amount: '2000', reference: 'in-the-browser', kind: 'payment' };
    expect(await submit(amina, `/console/partners/${bank.partner_id}/credits`, fields)).toContain(
      'waits for the approval of a second person',
    );
    const path = `/console/approvals/${await firstPending()}`;
    expect(await (await bode.get('/console/approvals')).text()).toContain(`${path}/approve`);
    expect(await submit(amina, `${path}/approve`, {})).toContain('Another person must approve this call');
    expect(await submit(bode, `${path}/approve`, {})).toContain('The call is approved and executed.');
    expect(await balanceOf(service, bank)).toBe(2_500);
    const other = idOf(await credit(2_000, 'other'));
    expect(await submit(bode, `/console/approvals/${other}/reject`, { reason: 'not on the statement' })).toContain('The call is rejected.');
    expect(await (await bode.get('/console/approvals?status=rejected')).text()).toContain('not on the statement');
  });

  it('says before the approval which call is approved: how much, for whom, with its reference as it is', async () => {
    const visitor = await signedIn(BODE);
    // The letters after this mark are shown from right to left: 000,2 for 2,000.
    const reference = 'transfer \u202E000,2';
    const action = `/console/approvals/${idOf(await credit(2_500, reference))}/approve`;
    const asked = await visitor.submit(action, await visitor.form('/console/approvals', action));
    const page = await (await visitor.get(asked.headers.get('location') ?? '')).text();
    expect(asked.headers.get('location')).toMatch(/^\/console\/confirm\//);
    for (const said of ['₦2,500.00', bank.partner_id, 'admin:amina', String.raw`transfer \u202e000,2`]) expect(page).toContain(said);
    const list = await (await visitor.get('/console/approvals')).text();
    expect(list).toContain(String.raw`transfer \u202e000,2`);
    expect(page + list).not.toContain('\u202E');
  });
});
