import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf, type Parameter, resolved } from '../../src/documentation/openapi/parts.js';
import { PER_PAGE } from '../../src/http/validating/paging.js';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { until } from '../support/until.js';

const document = readDocument();
const MORE_THAN_A_PAGE = Array.from({ length: PER_PAGE + 5 }, (_, at) => `rp-query-default-${at}`);

/** Every list of a partner that needs no id, and takes a `limit`. */
const LISTS = operationsOf(document.paths)
  .filter(({ path, method }) => method === 'get' && path.startsWith('/v1/rupa/') && !path.includes('{'))
  .map(({ path, operation }) => ({
    path: path.replace('/v1/rupa', ''),
    limit: (operation.parameters ?? []).map((each) => resolved(each, document)).find(({ name }) => name === 'limit'),
  }))
  .filter((list): list is { path: string; limit: Parameter } => list.limit !== undefined);

let bank: TestPartner;

beforeAll(async () => {
  const service = await sharedApplication();
  bank = await makePartner(service);
  for (const rupa_id of MORE_THAN_A_PAGE) await admin(service, 'PUT', `/farmers/${rupa_id}`, {});
  expect((await bank.call('POST', '/lookups', { rupa_ids: MORE_THAN_A_PAGE, sections: ['identity'] })).status).toBe(200);
  const reports = MORE_THAN_A_PAGE.map((rupa_id) => ({ rupa_id, event: 'loan_disbursed' }));
  expect((await bank.call('POST', '/reports', { reports })).status).toBe(200);
  await until(async () => (await itemsOf('/events?limit=200')) === MORE_THAN_A_PAGE.length);
});

async function itemsOf(path: string): Promise<number | undefined> {
  return Object.values((await bank.call('GET', path)).body.data).find(Array.isArray)?.length;
}

/** decisions, "Numbers, unions and names in OpenAPI": a generated client may send a default that the document states. */
describe('the default of a limit in the OpenAPI document', () => {
  it('is there for most lists', () => {
    expect(LISTS.filter(({ limit }) => limit.schema?.default !== undefined).map(({ path }) => path)).toStrictEqual(
      expect.arrayContaining(['/lookups', '/wallet/entries', '/contributions', '/events']),
    );
  });

  it.each(LISTS)('gives GET $path as many items as the call without a limit, if it has one', async ({ path, limit }) => {
    const without = await itemsOf(path);
    expect(without).toBeGreaterThanOrEqual(PER_PAGE);
    const stated = limit.schema?.default as number | undefined;
    expect(stated === undefined ? without : await itemsOf(`${path}?limit=${stated}`)).toBe(without);
  });
});
