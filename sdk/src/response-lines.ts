import { lastResponseOf } from './last-response.js';
import { reasonOf } from './reason-of.js';
import { RupaConnectionError, RupaUnexpectedResponseError, withLastResponse } from './rupa-error.js';

/**
 * Yields the lines of a body as they arrive. The signal ends the connection at any time, also while the caller works on a line.
 * @throws RupaConnectionError if the body is cut off, RupaUnexpectedResponseError if it is no text, or the reason of the signal
 */
export async function* linesOf(response: Response, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of chunksOf(response, signal)) {
    const lines = (rest + decoded(decoder, chunk, response)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield line;
      // One chunk holds many lines, so that without this the caller would get the rest of them after the signal.
      signal?.throwIfAborted();
    }
  }
  if (rest !== '') yield rest;
}

async function* chunksOf(response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const { body, url } = response;
  if (!body) return;
  const reader = body.getReader();
  // A pending read then returns as if the body had ended.
  const cancel = (): void => {
    // A body that failed rejects, too; the read reports why.
    reader.cancel(signal?.reason).catch(() => undefined);
  };
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const read = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted();
        const cutOff = new RupaConnectionError(`The response to GET ${url} was cut off: ${reasonOf(error)}`, { cause: error });
        throw withLastResponse(cutOff, lastResponseOf(response));
      });
      signal?.throwIfAborted();
      if (read.done) return;
      yield read.value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Ends the connection if the caller leaves its loop early.
    cancel();
  }
}

function decoded(decoder: TextDecoder, chunk: Uint8Array, response: Response): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    const notText = new RupaUnexpectedResponseError(
      `The response to GET ${response.url} contains bytes that are not UTF-8.`,
      response.status,
    );
    throw withLastResponse(notText, lastResponseOf(response));
  }
}
