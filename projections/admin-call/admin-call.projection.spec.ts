import { describe, expect, it } from '@jest/globals';
import { type AdminAuditEvent, type RecordedAdminCall } from '../../src/contexts/evidence/domain/admin-audit-events.js';
import { ADMIN_CALL } from '../../test/support/unit/admin-calls.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { adminCallProjection, type AdminCallRow } from './admin-call.projection.js';

const call: RecordedAdminCall = { ...ADMIN_CALL, call_id: 'call-1' };
const begun = (more: Partial<RecordedAdminCall> = {}): AdminAuditEvent => ({ type: 'AdminCallBegun', data: { ...call, ...more } });
const ended = (status: number, more: Partial<RecordedAdminCall> = {}): AdminAuditEvent => ({
  type: 'AdminCallEnded',
  data: { ...call, recorded_at: '2026-11-21T10:00:01.000Z', ...more, status },
});
const entry = {
  entry_id: 'call-1',
  position: '100',
  at: '2026-11-21T10:00:00.000Z',
  actor: 'admin:amina',
  role: 'admin',
  fingerprint: '0a1b2c3d',
  action: 'PUT /admin/v1/farmers/:rupaId',
  target: 'rp-1',
  status: null,
  request_id: 'c',
  address: '203.0.113.7',
  reason: null,
};

describe.each([1, 10])('the audit trail by call, in batches of %i', (batchSize) => {
  const after = (...events: AdminAuditEvent[]): AdminCallRow[] =>
    (project(adminCallProjection, recorded(events), batchSize) as AdminCallRow[]).sort((a, b) => Number(a.position) - Number(b.position));

  it('shows a call from its start on, and its status once it ended', () => {
    expect(after(begun())).toStrictEqual([entry]);
    expect(after(begun(), ended(200))).toStrictEqual([{ ...entry, status: 200 }]);
  });

  it('shows a refused call, and one that only reads, by its end', () => {
    expect(after(ended(403, { role: 'auditor', name: null }))).toStrictEqual([
      { ...entry, at: '2026-11-21T10:00:01.000Z', actor: 'auditor', role: 'auditor', status: 403 },
    ]);
  });

  it('shows the reason of a call that has one', () => {
    expect(after(ended(200, { reason: 'Complaint 4711' }))).toMatchObject([{ entry_id: 'call-1', reason: 'Complaint 4711' }]);
    expect(after(begun({ reason: 'Complaint 4711' }), ended(200))).toMatchObject([{ reason: 'Complaint 4711', status: 200 }]);
  });

  it('keeps calls with the same request id apart', () => {
    expect(after(begun(), begun({ call_id: 'call-2' }), ended(200, { call_id: 'call-2' }), ended(409))).toMatchObject([
      { entry_id: 'call-1', status: 409 },
      { entry_id: 'call-2', status: 200 },
    ]);
  });

  it('hides no event of an earlier release, whose calls have no id', () => {
    const old = { call_id: undefined } as unknown as Partial<RecordedAdminCall>;
    expect(after(begun(old), ended(200, old), begun(old))).toMatchObject([
      { position: '100', status: null },
      { position: '200', status: 200 },
      { position: '300', status: null },
    ]);
  });
});
