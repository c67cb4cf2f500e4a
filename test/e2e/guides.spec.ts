import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { makePartner, type TestPartner } from '../support/client.js';
import { differences, documentedCalls, runCall } from '../support/documented-calls.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('the commands in the guides', () => {
  let service: Application;
  let bank: TestPartner;
  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
  });

  it.each([
    ['getting-started', 3],
    ['lookups', 5],
    ['reports', 3],
    ['wallet', 1],
    ['sandbox', 3],
    ['errors', 1],
    ['going-live', 1],
    ['webhooks', 1],
  ])('get responses with the fields that the guide shows: %s', async (guide, count) => {
    // The newest entry is the charge of a farmer who is on the roster already, or its settlement.
    for (let lookup = 0; lookup < 2; lookup += 1) await bank.lookup('rp-test-gold', { sections: ['identity', 'outstanding_loans'] });
    const calls = documentedCalls(`docs/partners/${guide}.md`);
    expect(calls.length).toBeGreaterThanOrEqual(count);
    for (const { command, response } of calls) {
      const actual = await until(() => {
        const response = runCall(command, { RUPA_URL: service.url, RUPA_API_KEY: bank.key });
        return (response as { code?: string }).code !== 'unavailable' && response;
      });
      expect([command, differences(response, actual)]).toStrictEqual([command, []]);
    }
  });

  it('are compared field by field, whatever the values', () => {
    expect(differences({ a: [{ b: 1 }], c: null, d: [] }, { a: [{ b: 2 }, {}], c: 1, d: [1] })).toStrictEqual([]);
    expect(differences({ a: 1, b: { c: 1 }, d: [1] }, { a: '1', b: {}, d: {}, e: 1 })).toStrictEqual([
      'response.a is documented as number, and is string',
      'response.b.c is documented, but missing',
      'response.d is documented as list, and is object',
      'response.e is not documented',
    ]);
  });
});
