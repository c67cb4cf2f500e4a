import { type Cosignature, cosignatureIn } from './cosignature.js';
import { type Hash } from './merkle.js';
import { type VerifierKey } from './signed-note.js';

/** The media type of a witness' response that says how large the tree was that it cosigned last. */
const SIZE_TYPE = 'text/x.tlog.size';
const SIZE = /^(?:0|[1-9]\d{0,14})\n?$/;

/** The parts of a witness' response. */
export interface WitnessResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * Returns the body of a request for a cosignature (https://c2sp.org/tlog-witness).
 * @param oldSize of the tree that the witness cosigned last, 0 for none
 * @param proof that the tree of the note extends that one
 */
export function addCheckpointBody(oldSize: number, proof: readonly Hash[], note: string): string {
  return [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64')), '', note].join('\n');
}

/** Returns the first cosignature in a response that the witness' key made of the note's text. Lines of other keys are ignored. */
export function cosignatureOf({ status, body }: WitnessResponse, text: string, key: VerifierKey): Cosignature | undefined {
  if (status !== 200) return undefined;
  for (const line of body.split('\n')) {
    const cosignature = cosignatureIn(line, text, key);
    if (cosignature) return cosignature;
  }
  return undefined;
}

/** Returns the size of the tree that the witness cosigned last, if its response is that this differs from the one in the request. */
export function sizeOfConflict({ status, contentType, body }: WitnessResponse): number | undefined {
  return status === 409 && contentType.split(';')[0]?.trim() === SIZE_TYPE && SIZE.test(body) ? Number(body) : undefined;
}
