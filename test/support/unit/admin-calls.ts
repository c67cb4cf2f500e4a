import { type RecordedAdminCall } from '../../../src/contexts/evidence/domain/admin-audit-events.js';

/** A call of an administrator as earlier releases recorded it, without a call id. */
export const ADMIN_CALL: RecordedAdminCall = {
  recorded_at: '2026-11-21T10:00:00.000Z',
  role: 'admin',
  name: 'amina',
  fingerprint: '0a1b2c3d',
  address: '203.0.113.7',
  method: 'PUT',
  route: '/admin/v1/farmers/:rupaId',
  parameters: { rupaId: 'rp-1' },
};
