import { type ApprovalList } from '../../../contexts/approvals/approvals.dto.js';
import { pathOf } from '../../admin-api.js';
import { type Routes } from '../../screen.js';
import { APPROVALS_PATH, approvalsScreen } from './approvals-screen.js';

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
