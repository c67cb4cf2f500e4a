import { type AnnouncedMaintenance } from '../../http/limiting/maintenance-mode.js';
import { Nested, OneOf, Schema, Text, Texts, Time } from '../../http/openapi/properties.js';
import { type Trouble } from '../../kernel/trouble.js';
import { type DocumentedError } from '../../http/openapi/errors.js';

export const NOT_READY: DocumentedError = {
  name: 'NotReady',
  codes: ['unavailable'],
  description: 'The service is not ready. The message gives the reason.',
  message: 'The database does not answer.',
  headers: ['Retry-After'],
};

@Schema('MaintenanceNotice', { reason: 'We move to another event store.', until: '2026-03-01T23:00:00.000Z' })
export class MaintenanceNotice {
  @Text() readonly reason: string;
  @Time({ description: 'Moment at which it ends by itself; null if it lasts until it is ended.', nullable: true })
  readonly until: string | null;
}

@Schema('Ready', { status: 'ready' })
export class Ready {
  @OneOf(['ready', 'degraded'], 'Degraded: the process serves, and some calls are refused for the reasons.') readonly status:
    'ready' | 'degraded';
  @Texts(undefined, { description: 'Why the process is degraded; left out if it is not.', required: false })
  readonly reasons?: readonly string[];
  @Nested(MaintenanceNotice, {
    description: 'While it is there, calls that change something are refused; left out at any other time.',
    required: false,
  })
  readonly maintenance?: MaintenanceNotice;
}

/**
 * @param troubles faults that concern only some calls
 * @param maintenance null if there is none, and undefined if it could not be read
 */
export function readyView(troubles: readonly Trouble[], maintenance: AnnouncedMaintenance | null | undefined): Ready {
  return {
    ...(troubles.length === 0 ? { status: 'ready' } : { status: 'degraded', reasons: troubles.map(({ reason }) => reason) }),
    ...(maintenance ? { maintenance: { reason: maintenance.reason, until: maintenance.until } } : {}),
  };
}

@Schema('Live', { status: 'live' })
export class Live {
  @OneOf(['live']) readonly status: 'live';
}
