import { type WitnessResponse } from '../domain/add-checkpoint.js';
import { type Witness } from './witness.js';

/** Milliseconds from the start of a request to the last byte of its response. */
const TIMEOUT_MS = 10_000;
/** Room for sixteen signatures, also of the longest types. */
const RESPONSE_BYTES = 128 * 1024;

/** Sends a checkpoint to a witness. */
export type PostCheckpoint = (witness: Witness, body: string, signal: AbortSignal) => Promise<WitnessResponse>;

/**
 * Sends a checkpoint to a witness and returns its response, of any status. Redirects are not followed.
 * @throws Error if there is no response in time, or it is too long
 */
export const postCheckpoint: PostCheckpoint = async ({ url }, body, signal) => {
  const response = await fetch(`${url}/add-checkpoint`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  return { status: response.status, contentType: response.headers.get('content-type') ?? '', body: await textOf(response) };
};

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES) throw new Error(`The response is longer than ${RESPONSE_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
