import { type AuditTrail } from '../../../contexts/evidence/audit-trail/audit-trail.dto.js';
import { type Routes } from '../../screen.js';
import { auditTrailScreen } from './audit-trail-screen.js';

const PER_PAGE = 50;

/** The audit trail with its filters. */
export function addAdministrationScreens(routes: Routes): void {
  routes.screen('/administration', async (visit) => {
    const { actor, action, from, to, cursor } = visit.query;
    const filters = { limit: PER_PAGE, actor, action, from, to, cursor };
    return auditTrailScreen(visit, await visit.api.get<AuditTrail>('/audit-trail', filters));
  });
}
