import { Schema } from '../../http/openapi/example.js';
import { type DocumentedError } from '../../http/openapi/errors.js';
import { OneOf } from '../../http/openapi/properties.js';

export const NOT_READY: DocumentedError = {
  name: 'NotReady',
  codes: ['unavailable'],
  description: 'The service is not ready. The message gives the reason.',
  message: 'The database does not answer.',
  headers: ['Retry-After'],
};

@Schema('Ready', { status: 'ready' })
export class Ready {
  @OneOf(['ready']) readonly status: 'ready';
}

@Schema('Live', { status: 'live' })
export class Live {
  @OneOf(['live']) readonly status: 'live';
}
