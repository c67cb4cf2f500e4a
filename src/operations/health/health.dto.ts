import { OneOf, Schema, Texts } from '../../http/openapi/properties.js';
import { type DocumentedError } from '../../http/openapi/errors.js';

export const NOT_READY: DocumentedError = {
  name: 'NotReady',
  codes: ['unavailable'],
  description: 'The service is not ready. The message gives the reason.',
  message: 'The database does not answer.',
  headers: ['Retry-After'],
};

@Schema('Ready', { status: 'ready' })
export class Ready {
  @OneOf(['ready', 'degraded'], 'Degraded: the process serves, and some calls are refused for the reasons.') readonly status:
    'ready' | 'degraded';
  @Texts(undefined, { description: 'Why the process is degraded; left out if it is not.', required: false })
  readonly reasons?: readonly string[];
}

/** @param reasons sentences about faults that concern only some calls */
export function readyView(reasons: readonly string[]): Ready {
  return reasons.length === 0 ? { status: 'ready' } : { status: 'degraded', reasons };
}

@Schema('Live', { status: 'live' })
export class Live {
  @OneOf(['live']) readonly status: 'live';
}
