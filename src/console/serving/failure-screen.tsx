import { type ErrorCode } from '../../http/errors/error-codes.js';
import { AdminApiError } from '../admin-api.js';
import { Notice } from '../components/text.js';
import { type Screen } from '../screen.js';
import { type FastifyInstance } from 'fastify';
import { pageOf } from '../page.js';

/** What a person does about an error, by the code of the admin interface. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  unavailable: 'If the message asks for nothing else, try again in a moment. Overview says what is not ready.',
  history_missing: 'Doctor, on Administration, names the stream. Its history has to be brought back first (docs/operations.md).',
  maintenance: 'Wait until the maintenance has ended, or end it on Overview.',
  internal_error: 'Look whether anything was changed before you try again, and look for the error in the log of the service.',
  role_not_allowed: 'Ask an administrator, or sign in with another token.',
  rate_limited: 'Wait a moment and reload the page.',
};

/** Returns the page of a call that failed, with what to do next. @throws what is no failed call, and so a defect */
export function failureScreen(error: unknown): Screen {
  if (!(error instanceof AdminApiError)) throw error;
  const { status, code, sentence } = error;
  return {
    title: status === 404 ? 'Not found' : 'This did not work',
    area: null,
    status,
    body: (
      <>
        <Notice tone="bad">{sentence}</Notice>
        <p>
          {ADVICE[code as ErrorCode] ??
            (status === 404 ? 'Check the id, or search for it above.' : 'Go back, correct what the message names, and try again.')}
        </p>
        <p class="soft">
          {status} <code>{code}</code>
        </p>
      </>
    ),
  };
}

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
