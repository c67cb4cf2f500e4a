import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';

const REPORTS = 12;
const farmers = Array.from({ length: 3 }, (_, index) => `rp-read-back-${index}`);

describe('a report that has a response is shown at once', () => {
  let service: Application;
  let bank: TestPartner;
  let other: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    [bank, other] = [await makePartner(service), await makePartner(service)];
    for (const id of farmers) await admin(service, 'PUT', `/farmers/${id}`, {});
  });

  /** Reports a loan of a farmer. Returns its contribution id. */
  async function report(rupa_id: string): Promise<number> {
    const { status, body } = await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed', amount: 100 });
    expect(status).toBe(200);
    return body.data.contribution_id as number;
  }

  it('in lookups by every partner, while others are reported', async () => {
    const turns = farmers.map(async (rupa_id) => {
      for (let turn = 1; turn <= REPORTS; turn += 1) {
        const contribution_id = await report(rupa_id);
        for (const partner of [bank, other]) {
          const { data } = (await whenServed(() => partner.lookup(rupa_id, { sections: ['outstanding_loans'] }))).body;
          const { partner_loans } = data.outstanding_loans as { partner_loans: { contribution_id: number }[] };
          expect(partner_loans).toHaveLength(turn);
          expect(partner_loans).toContainEqual(expect.objectContaining({ contribution_id }));
        }
      }
    });
    await Promise.all(turns);
  });

  it("in the partner's list and compliance", async () => {
    const agtech = await makePartner(service);
    for (let turn = 1; turn <= REPORTS; turn += 1) {
      const { body } = await agtech.call('POST', '/report', {
        rupa_id: farmers[0],
        event: 'loan_disbursed',
        partner_reference: `r-${turn}`,
      });
      const [list, me] = await Promise.all(['/contributions', '/me'].map((path) => whenServed(() => agtech.call('GET', path))));
      const contributions = list?.body.data.contributions as unknown[];
      expect(contributions).toHaveLength(turn);
      expect(contributions[0]).toMatchObject({ contribution_id: body.data.contribution_id });
      expect(me?.body.data.compliance).toMatchObject({ contributions_received: turn });
    }
  });

  it('in the tier on the profile page', async () => {
    const agtech = await makePartner(service, { account_type: 'agtech' });
    const before = await profilePage(farmers[1] ?? '');
    for (const event of ['harvest_record', 'input_purchase'])
      await agtech.call('POST', '/report', { rupa_id: farmers[1], event, amount: 1 });
    expect(await profilePage(farmers[1] ?? '')).not.toBe(before);
  });

  async function profilePage(rupaId: string): Promise<string> {
    return await (await whenServed(() => fetch(`${service.url}/p/${rupaId}`))).text();
  }
});
