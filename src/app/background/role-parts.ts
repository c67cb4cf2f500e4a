import { type Logger } from 'pino';
import { type ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import { type Platform } from '../platform.js';
import { type Settings } from '../../settings/declaration.js';

/** The dependencies of a role of the background thread. */
export interface RoleParts {
  readonly platform: Platform;
  readonly databaseUrl: string;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  /** Aborted when the thread has to stop. */
  readonly signal: AbortSignal;
}
