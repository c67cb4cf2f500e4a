import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf } from '../../src/documentation/openapi/parts.js';
import { sharedApplication } from '../support/application.js';
import { call, makePartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { exampleCall } from '../support/document-calls.js';
import { type Application } from '../support/service.js';

const document = readDocument();
/** Every documented call that needs an API key or a token. */
const CALLS = operationsOf(document.paths).filter(({ operation }) => (operation.security ?? []).length > 0);

let service: Application;
let liveKey: string;
let sandboxKey: string;

beforeAll(async () => {
  service = await sharedApplication();
  liveKey = (await makePartner(service)).key;
  sandboxKey = (await makePartner(service, { mode: 'sandbox' })).key;
});

function credentialsFor(path: string): Record<string, string> {
  if (path.startsWith('/admin/')) return { Authorization: `Bearer ${service.adminToken}` };
  return { 'X-API-KEY': path.startsWith('/v1/rupa/sandbox/') ? sandboxKey : liveKey };
}

/** decisions, "Checks". {@link call} fails if the response is not one that the document has for the call. */
describe('an unknown query parameter', () => {
  it('can be sent to many calls, of partners and of administrators', () => {
    expect(CALLS.filter(({ path }) => path.startsWith('/v1/rupa/')).length).toBeGreaterThan(30);
    expect(CALLS.filter(({ path }) => path.startsWith('/admin/v1/')).length).toBeGreaterThan(50);
  });

  it.each(CALLS.map((each) => [each.method.toUpperCase(), each.path, each] as const))(
    'is refused by %s %s, as its documentation says',
    async (method, path, operation) => {
      // A file is read before the query.
      const { path: example, headers, body: sent } = exampleCall(operation, document, () => undefined);
      const options = { headers: { ...headers, ...credentialsFor(path) }, body: sent };
      const { status, body } = await call(service, method, `${example.split('?')[0] ?? ''}?nonsense=1`, options);
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', data: { errors: { nonsense: ['The nonsense field is not known.'] } } },
      });
    },
  );
});
