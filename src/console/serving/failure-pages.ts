import { type FastifyInstance } from 'fastify';
import { AdminApiError } from '../admin-api.js';
import { pageOf } from '../page.js';
import { failureScreen } from './failure-screen.js';

interface Envelope {
  readonly code: string;
  readonly message: string;
}

/**
 * Turns the error responses of the service into pages. They come from its shared error handling, such as a store that does not respond or a
 * form that is too large, which the screens never see.
 */
export function showFailuresAsPages(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, payload, done) => {
    const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
    if (reply.statusCode < 400 || !isJson || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const { code, message } = JSON.parse(payload) as Envelope;
    reply.removeHeader('content-length').type('text/html; charset=utf-8');
    done(null, pageOf(failureScreen(new AdminApiError(reply.statusCode, code, message)), undefined));
  });
}
