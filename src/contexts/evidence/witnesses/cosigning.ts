import { type Checkpoint, type CheckpointLog, originOf } from '../checkpoints/checkpoint-log.js';
import { addCheckpointBody, cosignatureOf, sizeOfConflict, type WitnessResponse } from '../domain/add-checkpoint.js';
import { noteParts } from '../domain/signed-note.js';
import { type LogProofs } from '../tree/log-proofs.js';
import { type Cosignatures } from './cosignature-table.js';
import { type Witness } from './witness.js';

/** Thrown if a witness did not cosign. The message says why. */
export class WitnessAway extends Error {
  override name = 'WitnessAway';
}

/** Asks a witness to cosign a checkpoint (https://c2sp.org/tlog-witness). */
export class Cosigning {
  constructor(
    private readonly log: CheckpointLog,
    private readonly proofs: LogProofs,
    private readonly cosignatures: Cosignatures,
  ) {}

  /** Returns whether the stored cosignatures of a checkpoint include one of the witness. */
  async isDone(checkpoint: Checkpoint, { name }: Witness): Promise<boolean> {
    return (await this.cosignatures.of(checkpoint)).some(({ witness }) => witness === name);
  }

  /**
   * Sends a checkpoint to a witness, and stores its cosignature.
   * @throws WitnessAway if it did not cosign; errors of the stores
   */
  async cosign(checkpoint: Checkpoint, witness: Witness, signal: AbortSignal): Promise<void> {
    const text = noteParts(checkpoint.note)?.text ?? '';
    const first = await this.post(await this.lastSize(checkpoint, witness), checkpoint, witness, signal);
    const size = sizeOfConflict(first);
    if (size !== undefined && size > checkpoint.tree_size)
      throw new WitnessAway(`it cosigned a tree of ${size} events of this log, and this checkpoint is of ${checkpoint.tree_size}`);
    const response = size === undefined ? first : await this.post(size, checkpoint, witness, signal);
    const cosignature = cosignatureOf(response, text, witness.key);
    if (!cosignature) throw new WitnessAway(reasonIn(response));
    await this.cosignatures.keep(checkpoint, witness, cosignature);
  }

  private async post(size: number, checkpoint: Checkpoint, witness: Witness, signal: AbortSignal): Promise<WitnessResponse> {
    const body = addCheckpointBody(size, await this.proofs.consistency(size, checkpoint), checkpoint.note);
    try {
      return await postCheckpoint(witness, body, signal);
    } catch (error) {
      throw new WitnessAway(`it did not respond: ${messageOf(error)}`);
    }
  }

  /** Returns the size of the tree that the witness cosigned last, as far as stored cosignatures show; 0 if they show none. */
  private async lastSize(checkpoint: Checkpoint, witness: Witness): Promise<number> {
    const number = await this.cosignatures.lastNumber(witness);
    const last = number === undefined ? undefined : await this.log.find(number);
    const isSameLog = last !== undefined && last.tree_size <= checkpoint.tree_size && originOf(last) === originOf(checkpoint);
    return isSameLog && (await this.isDone(last, witness)) ? last.tree_size : 0;
  }
}

function reasonIn({ status }: WitnessResponse): string {
  return status === 200 ? 'its response has no cosignature by its key' : `it responded with the status ${status}`;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || cause.name : message;
}

/** Milliseconds from the start of a request to the last byte of its response. */
const TIMEOUT_MS = 10_000;
/** Room for sixteen signatures, also of the longest types. */
const RESPONSE_BYTES = 128 * 1024;

/** Sends a checkpoint to a witness. */
type PostCheckpoint = (witness: Witness, body: string, signal: AbortSignal) => Promise<WitnessResponse>;

/**
 * Sends a checkpoint to a witness and returns its response, of any status. Redirects are not followed.
 * @throws Error if there is no response in time, or it is too long
 */
const postCheckpoint: PostCheckpoint = async ({ url }, body, signal) => {
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
