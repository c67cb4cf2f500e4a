import { type CustomFetchOptions } from 'openid-client';

/** Bytes of a provider's response beyond which it is not read. Its settings, keys and tokens have a few kilobytes. */
const LARGEST_RESPONSE = 1_048_576;
const SERVER_ERROR = 500;

/**
 * Fetches what a provider responds, and reads no more of it than a provider has to say: the process that signs people in serves lookups, too.
 * @throws TypeError, as `fetch` does for a server that does not respond, also for a 5xx and for a response that is too large
 */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const { status, headers } = response;
  if (status >= SERVER_ERROR) {
    await response.body?.cancel();
    throw new TypeError(`The provider responds with ${status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_RESPONSE) throw new TypeError(`The provider's response has more than ${LARGEST_RESPONSE} bytes.`);
  }
  // A status such as 204 allows no body, not even an empty one.
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}
