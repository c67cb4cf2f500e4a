import { type ClientRequest, type IncomingMessage } from 'node:http';
import { StepFailed } from './delivery-failed.js';

const BODY_BYTES_READ = 64 * 1024;
/** How long the body of a response may take after its headers. A connection whose response has ended can be used again. */
const BODY_MS = 1_000;

/** The parts of a response that decide about a delivery. */
export interface Response {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Returns the response to a request as soon as its headers have arrived and its body has ended or is too slow, too long or broken: the status
 * says whether the notification was delivered, and the body is discarded. Interim responses (1xx), also unasked ones, are passed over
 * (RFC 9110, section 15.2).
 * @param timeoutMs time limit until the headers
 * @throws StepFailed `timeout` at the time limit; the HTTP client's error if there is no response
 */
export async function responseTo(request: ClientRequest, timeoutMs: number): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const timer = setTimeout(() => {
    request.destroy(new StepFailed('timeout'));
  }, timeoutMs);
  request.on('response', (response) => {
    clearTimeout(timer);
    // An error from here on is one of the body, which does not matter.
    request.off('error', reject).on('error', () => undefined);
    const { statusCode = 0, headers } = response;
    discard(response, () => {
      resolve({ status: statusCode, retryAfter: headers['retry-after'] });
    });
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    reject(new StepFailed('protocol'));
  });
  request.on('error', reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the body until its end or a limit, and closes the connection at a limit. */
function discard(response: IncomingMessage, onDone: () => void): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  const done = (): void => {
    clearTimeout(timer);
    onDone();
  };
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_READ) response.destroy();
  });
  response.on('end', done).on('close', done).on('error', done);
}
