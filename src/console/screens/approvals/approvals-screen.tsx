import { type VNode } from 'preact';
import { type ApprovalList, type ApprovalView } from '../../../contexts/approvals/approvals.dto.js';
import { APPROVAL_STATUSES } from '../../../contexts/approvals/domain/approval.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Code, jsonText, Money, nairaText, Time } from '../../components/text.js';
import { type Screen, type Visit, type Routes } from '../../screen.js';
import { AdministrationLinks } from '../administration/audit-trail-screen.js';
import { pathOf } from '../../admin-api.js';

const APPROVALS_PATH = '/console/approvals';

/** Length of a time to the second. */
const SECOND = 19;
const STATUSES = APPROVAL_STATUSES.map((status) => [status, status] as const);

/** The calls that need or needed a second person, with the forms that approve and reject them. */
function approvalsScreen(visit: Visit, status: string, { approvals, next_cursor }: ApprovalList): Screen {
  const columns: readonly Column<ApprovalView>[] = [
    { head: 'Call', cell: (approval) => <Call approval={approval} /> },
    { head: 'Amount', numeric: true, cell: ({ amount }) => (amount === null ? null : <Money amount={amount} />) },
    { head: 'Requested by', cell: ({ requested_by }) => requested_by },
    { head: 'Requested (UTC)', cell: ({ requested_at }) => <Time at={requested_at} /> },
    { head: 'Expires (UTC)', cell: ({ expires_at }) => <Time at={expires_at} /> },
    { head: 'Decision', cell: (approval) => <Decision visit={visit} approval={approval} /> },
  ];
  return {
    title: 'Approvals',
    area: 'administration',
    body: (
      <>
        <AdministrationLinks />
        <Filters action={APPROVALS_PATH}>
          <Choice label="Status" name="status" value={status} options={STATUSES} />
        </Filters>
        <Table label="Approvals" columns={columns} rows={approvals} empty={`No approval is ${status}.`} />
        <NextPage path={APPROVALS_PATH} query={{ status, cursor: visit.query.cursor }} cursor={next_cursor} />
      </>
    ),
  };
}

function Call({ approval }: { readonly approval: ApprovalView }): VNode {
  const { partner_id } = approval;
  return (
    <>
      <Badge tone="plain">{kindOf(approval)}</Badge>{' '}
      {partner_id === null ? null : <a href={`/console/partners/${encodeURIComponent(partner_id)}`}>partner</a>}
      <div class="prose">
        <Code>{contentOf(approval)}</Code>
      </div>
    </>
  );
}

function kindOf({ kind }: ApprovalView): string {
  return kind.replaceAll('_', ' ');
}

function contentOf({ call: { partner_id: _, ...content } }: ApprovalView): string {
  return jsonText(content);
}

function Decision({ visit, approval }: { readonly visit: Visit; readonly approval: ApprovalView }): VNode {
  const { approval_id, status, decided_by, rejection_reason, amount, partner_id, requested_by } = approval;
  if (status !== 'pending')
    return (
      <>
        <Badge tone={status === 'executed' ? 'good' : 'warn'}>{status}</Badge> {decided_by}
        {rejection_reason === null ? null : <div class="prose">{rejection_reason}</div>}
      </>
    );
  const path = `${APPROVALS_PATH}/${encodeURIComponent(approval_id)}`;
  const what = [kindOf(approval), amount === null ? '' : `of ${nairaText(amount)}`, partner_id === null ? '' : `for partner ${partner_id}`];
  const of = `${what.filter(Boolean).join(' ')}, requested by ${requested_by}, ${approval.requested_at.slice(0, SECOND)}`;
  return (
    <div class="acts">
      <ActForm
        visit={visit}
        action={`${path}/approve`}
        label="Approve"
        of={of}
        asks={`The call is carried out at once, as it was requested: ${contentOf(approval)}`}
        inline
      />
      <ActForm visit={visit} action={`${path}/reject`} label="Reject" of={of} inline>
        <Field label="Reason" name="reason" required />
      </ActForm>
    </div>
  );
}

const PER_PAGE = 50;

/** The calls that need a second person, and the decisions on them. */
export function addApprovalScreens(routes: Routes): void {
  routes.screen('/approvals', async (visit) => {
    const { status = 'pending', cursor } = visit.query;
    return approvalsScreen(visit, status, await visit.api.get<ApprovalList>('/approvals', { status, cursor, limit: PER_PAGE }));
  });

  routes.act('/approvals/:id/approve', async ({ api, params }) => {
    await api.post(pathOf`/approvals/${params.id ?? ''}/approve`);
    return { goTo: APPROVALS_PATH, notice: 'The call is approved and executed.' };
  });

  routes.act('/approvals/:id/reject', async ({ api, params }, form) => {
    await api.post(pathOf`/approvals/${params.id ?? ''}/reject`, { reason: form.text('reason') });
    return { goTo: APPROVALS_PATH, notice: 'The call is rejected.' };
  });
}
