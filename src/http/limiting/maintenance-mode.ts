import { type FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { rulesOf, withRules } from '../route-rules.js';

/** A refused call and the health endpoints say this of maintenance, and not who began it. */
export interface AnnouncedMaintenance {
  readonly reason: string;
  /** ISO 8601, UTC; null if it lasts until somebody ends it. */
  readonly until: string | null;
}

/** Knows whether writes are refused at present. A context implements it. */
export abstract class MaintenanceMode {
  /** Returns the maintenance that is in force; null if there is none. @throws errors of the event store */
  abstract inForce(): Promise<AnnouncedMaintenance | null>;
}

/** `Retry-After` if nobody knows when maintenance ends. */
const RETRY_SECONDS = 60;
const MAX_RETRY_SECONDS = 3_600;

/** Serves a route that changes something during maintenance, too: it ends it, or belongs to the work for which there is one. */
export const ServedInMaintenance: MethodDecorator = withRules({ servedInMaintenance: true });

/**
 * Refuses a call that may change something while maintenance is in force.
 * @throws ApiError `maintenance`, and errors of the event store: then the call could append nothing, either
 */
export async function refuseInMaintenance(request: FastifyRequest, mode: MaintenanceMode): Promise<void> {
  if (!mayChange(request)) return;
  const maintenance = await mode.inForce();
  if (!maintenance) return;
  const { until } = maintenance;
  const seconds = until === null ? RETRY_SECONDS : Math.ceil((Date.parse(until) - Date.now()) / 1_000);
  throw new ApiError('maintenance', {
    message: maintenanceMessage(maintenance),
    headers: { 'Retry-After': Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS) },
  });
}

/** Returns the sentences that say why a change is refused. */
export function maintenanceMessage({ reason, until }: AnnouncedMaintenance): string {
  const end = until === null ? '' : ` until ${until}`;
  return `The service is in maintenance and accepts only calls that read${end}. Nothing was changed or charged. Reason: ${reason}`;
}

function mayChange(request: FastifyRequest): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false;
  const { changesNothing = false, servedInMaintenance = false } = rulesOf(request);
  return !changesNothing && !servedInMaintenance;
}
