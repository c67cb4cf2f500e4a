import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, call } from '../support/client.js';
import { type Application } from '../support/service.js';

const RUPA_ID = 'rp-reasoned';
const ACTION = 'GET /admin/v1/farmers/:rupaId';

describe('the reason of a call that reads personal data', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: 'Aisha Bello' } });
  });

  const read = async (reason: string | undefined, path = `/farmers/${RUPA_ID}`, token = service.adminToken): Promise<ApiResponse> =>
    await call(service, 'GET', `/admin/v1${path}`, {
      headers: { Authorization: `Bearer ${token}`, ...(reason === undefined ? {} : { 'X-Reason': reason }) },
    });
  const entryOf = async ({ headers }: ApiResponse, action = ACTION): Promise<unknown> => {
    const query = new URLSearchParams({ action, limit: '50' }).toString();
    const { entries } = (await admin(service, 'GET', `/audit-trail?${query}`)).body.data as { entries: { request_id: string }[] };
    return entries.find(({ request_id }) => request_id === headers.get('X-Request-Id'));
  };

  it('is in the audit trail as it was typed, in any language', async () => {
    for (const reason of ['Complaint 4711: 50% missing', 'Ìdí: ẹ̀sùn nọ́mbà 12', '农户投诉 4711']) {
      const response = await read(encodeURIComponent(reason));
      expect(response.body.data).toMatchObject({ identity: { full_name: 'Aisha Bello' } });
      expect(await entryOf(response)).toMatchObject({ actor: 'admin', target: RUPA_ID, status: 200, reason });
    }
  });

  it('is optional', async () => {
    const response = await read(undefined);
    expect(response.status).toBe(200);
    expect(await entryOf(response)).toMatchObject({ status: 200, reason: null });
  });

  it('is taken for the report that contains the record, too', async () => {
    const response = await read('Access%20request%2012', `/farmers/${RUPA_ID}/report?personal=true`);
    expect(response.status).toBe(200);
    expect(await entryOf(response, 'GET /admin/v1/farmers/:rupaId/report')).toMatchObject({ reason: 'Access request 12' });
  });

  it('is refused with 422 where it is no reason, and nothing personal is returned', async () => {
    const wrong: [string, string][] = [
      ['ab', 'must be at least 3 characters'],
      ['x'.repeat(501), 'must not be greater than 500 characters'],
      ['50% missing', 'must be percent-encoded UTF-8'],
      ['two%0Alines', 'must be printable text'],
    ];
    for (const [reason, rule] of wrong) {
      const response = await read(reason);
      expect([response.status, response.body]).toStrictEqual([
        422,
        {
          success: false,
          message: 'Validation Error',
          code: 'validation_failed',
          doc_url: expect.stringMatching(/#validation_failed$/),
          data: { errors: { 'X-Reason': [`The X-Reason header ${rule}.`] } },
        },
      ]);
      expect(await entryOf(response)).toMatchObject({ status: 422, reason: null });
    }
  });

  it('does not open the record to an auditor', async () => {
    const response = await read('Complaint%204711', undefined, service.auditorToken);
    expect([response.status, response.body.data]).toStrictEqual([403, undefined]);
    expect(await entryOf(response)).toMatchObject({ actor: 'auditor', status: 403, reason: null });
  });

  it('is in no log line', async () => {
    await read('canary-of-a-reason');
    await read('canary-of-a-reason%');
    expect(service.output()).not.toContain('canary-of-a-reason');
  });
});
