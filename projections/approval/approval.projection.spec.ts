import { describe, expect, it } from '@jest/globals';
import { type ApprovalEvent } from '../../src/contexts/approvals/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { approvalProjection, type ApprovalRow } from './approval.projection.js';

const by = { approval_id: 'a-1', recorded_at: '2026-03-01T10:00:00.000Z', actor: 'admin:amina' };
const second = { ...by, recorded_at: '2026-03-01T11:00:00.000Z', actor: 'admin:bode' };
const call = { kind: 'payout', mode: 'live', partner_id: 'p-1', amount_kobo: 5_00, reference: 'r-1', call: { amount: 5 } } as const;
const expires_at = '2026-03-08T10:00:00.000Z';
const requested: ApprovalEvent = { type: 'ApprovalRequested', data: { ...by, ...call, expires_at } };
const rowAfter = (...events: readonly ApprovalEvent[]) => (project(approvalProjection, recorded(events)) as readonly ApprovalRow[])[0];

describe('the approval read model', () => {
  it('shows a call that waits, with its amount and who made it', () => {
    expect(rowAfter(requested)).toMatchObject({
      ...call,
      expires_at,
      requested_by: 'admin:amina',
      requested_at: by.recorded_at,
      ended: null,
      decided_by: null,
    });
  });

  it('shows the second person once it decided, and how it ended', () => {
    const granted: ApprovalEvent = { type: 'ApprovalGranted', data: second };
    const decided = { decided_by: 'admin:bode', decided_at: second.recorded_at };
    expect(rowAfter(requested, granted)).toMatchObject({ ...decided, ended: null });
    expect(rowAfter(requested, granted, { type: 'ApprovalExecuted', data: second })).toMatchObject({ ...decided, ended: 'executed' });
    const rejected: ApprovalEvent = { type: 'ApprovalRejected', data: { ...second, reason: 'no' } };
    expect(rowAfter(requested, rejected)).toMatchObject({ ...decided, ended: 'rejected', rejection_reason: 'no' });
  });

  it('ignores decisions on an approval that nobody requested', () => {
    expect(rowAfter({ type: 'ApprovalExecuted', data: second })).toBeUndefined();
  });
});
