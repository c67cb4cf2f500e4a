import { defineEntity } from '@mikro-orm/core';
import { type ApprovalEvent, type ApprovalKind } from '../../src/contexts/approvals/domain/events.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'approval',
  tableName: 'approval',
  properties: {
    approval_id: column.text().primary(),
    /** Position in $all of the request, by which approvals are ordered. */
    position: column.position(),
    kind: column.text<ApprovalKind>(),
    mode: column.text<Mode>(),
    partner_id: column.text().nullable(),
    amount_kobo: column.kobo().nullable(),
    reference: column.text().nullable(),
    call: column.json<Readonly<Record<string, unknown>>>(),
    requested_by: column.text(),
    requested_at: column.time(),
    expires_at: column.time(),
    /** How it ended; null while it is pending, and for good if it expired. */
    ended: column.text<'executed' | 'rejected'>().nullable(),
    /** The second person, who approved or rejected. */
    decided_by: column.text().nullable(),
    decided_at: column.time().nullable(),
    /** Why it was rejected. */
    rejection_reason: column.text().nullable(),
  },
  // A page has the newest ones with one status.
  indexes: [{ properties: ['position'] }, { properties: ['ended', 'position'] }],
});

export type ApprovalRow = RowOf<typeof table>;

const keys = ({ data: { approval_id } }: { readonly data: { readonly approval_id: string } }) => [{ approval_id }];

/** Calls that need a second person, and what became of them. */
export const approvalProjection = projection<ApprovalRow, ApprovalEvent>({
  name: 'approval',
  version: 1,
  table,
  comparedHourly: true,
  handlers: {
    ApprovalRequested: {
      creates: true,
      keys,
      apply: (_row, { data: { recorded_at, actor, ...requested }, position }) => ({
        ...requested,
        position: position.toString(),
        requested_by: actor,
        requested_at: recorded_at,
        ended: null,
        decided_by: null,
        decided_at: null,
        rejection_reason: null,
      }),
    },
    ApprovalGranted: {
      keys,
      apply: (row, { data: { actor, recorded_at } }) => row && { ...row, decided_by: actor, decided_at: recorded_at },
    },
    ApprovalRejected: {
      keys,
      apply: (row, { data: { actor, recorded_at, reason } }) =>
        row && { ...row, ended: 'rejected', decided_by: actor, decided_at: recorded_at, rejection_reason: reason },
    },
    ApprovalExecuted: { keys, apply: (row) => row && { ...row, ended: 'executed' } },
  },
});
