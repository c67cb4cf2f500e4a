import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf } from '../../src/documentation/openapi/parts.js';
import { sharedApplication } from '../support/application.js';
import { call, makePartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { exampleCall } from '../support/document-calls.js';
import { type Application } from '../support/service.js';

const document = readDocument();
const CALLS = operationsOf(document.paths).filter(({ operation }) => operation.requestBody?.content['application/json']);

let service: Application;
let key: string;

beforeAll(async () => {
  service = await sharedApplication();
  ({ key } = await makePartner(service, { mode: 'sandbox' }));
});

/** Sends a body that no call takes, so that nothing is done. Returns the fields that are wrong beside the unknown one. */
async function wrongWithoutFields(method: string, path: string): Promise<string[]> {
  const headers: Record<string, string> = path.startsWith('/admin/')
    ? { Authorization: `Bearer ${service.adminToken}` }
    : { 'X-API-KEY': key };
  const { status, body } = await call(service, method, path, { headers, body: { nonsense: 1 } });
  expect([status, body.data.errors]).toStrictEqual([422, expect.objectContaining({ nonsense: ['The nonsense field is not known.'] })]);
  return Object.keys(body.data.errors as object).filter((field) => field !== 'nonsense');
}

/** decisions, "Numbers, unions and names in OpenAPI": a generated client makes its caller pass a body that the document requires. */
describe('the body of a call', () => {
  it.each(CALLS.map((each) => [each.method.toUpperCase(), each.path, each] as const))(
    'is required for %s %s in the document only if the call refuses to go without a field',
    async (method, _path, operation) => {
      const { path } = exampleCall(operation, document, () => undefined);
      const isNeeded = (await wrongWithoutFields(method, path)).length > 0;
      expect(operation.operation.requestBody?.required).toBe(isNeeded);
    },
  );
});
