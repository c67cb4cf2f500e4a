import { Schema } from '../../http/openapi/example.js';
import { type DocumentedError } from '../../http/openapi/errors.js';
import { OneOf, Texts } from '../../http/openapi/properties.js';

export const NOT_READY: DocumentedError = {
  name: 'NotReady',
  codes: ['unavailable'],
  description: 'The service is not ready. The message gives the reason.',
  message: 'The database does not answer.',
  headers: ['Retry-After'],
};

@Schema('Ready', { status: 'ready' })
export class Ready {
  @OneOf(['ready', 'degraded']) readonly status: 'ready' | 'degraded';

  @Texts(undefined, { description: 'What hinders some calls; only with the status `degraded`.', required: false })
  readonly reasons?: readonly string[];
}

/** Returns what a process that can do its own work says of itself. */
export function readyData(readiness: { degraded(): string[] }): Ready {
  const reasons = readiness.degraded();
  return reasons.length === 0 ? { status: 'ready' } : { status: 'degraded', reasons };
}

@Schema('Live', { status: 'live' })
export class Live {
  @OneOf(['live']) readonly status: 'live';
}
