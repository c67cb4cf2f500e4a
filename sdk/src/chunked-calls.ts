import { type WithResponse } from './last-response.js';
import { RupaError } from './rupa-error.js';
import { type CallOptions } from './transport.js';

/** Items that a call takes at most (decisions, "Many at once"). */
const MOST_ITEMS = 100;
/** Bytes of the items of a call at most. The service takes 1 MiB; the rest is for the fields around the items. */
const MOST_BYTES = 1024 * 1024 - 16 * 1024;

export interface Progress {
  /** The chunk that was done last, from 0. */
  readonly chunk: number;
  /** The items that are done, those before `fromChunk` included. */
  readonly items: number;
}

export interface ChunkOptions extends Omit<CallOptions, 'idempotencyKey' | 'requestId'> {
  /**
   * Names the run, in up to 200 printable ASCII characters. The Idempotency-Key of each chunk follows from it, so a run with the same name,
   * the same items and the same `chunkSize` repeats no chunk within 24 hours. Default: a random name, with which no run can be resumed.
   */
  readonly runId?: string;
  /** Items in a call, 1 to 100. Default: 100. A chunk has fewer if the body would be larger than the service takes. */
  readonly chunkSize?: number;
  /** The first chunk that is sent, from 0: the items before it are read and left out. Default: 0. */
  readonly fromChunk?: number;
  /** Is called after each chunk. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The results of a chunk, in the order of its items. */
export interface Chunk<Result, Summary> {
  /** Place of the chunk, from 0. */
  readonly chunk: number;
  /** Place of its first item among all items, from 0. */
  readonly first: number;
  readonly idempotencyKey: string;
  readonly results: readonly Result[];
  readonly summary: Summary;
}

/** The data of the response to a chunk. */
interface Handled<Result, Summary> {
  readonly results: readonly Result[];
  readonly summary: Summary;
}

type Send<Item, Result, Summary> = (items: readonly Item[], options: CallOptions) => Promise<WithResponse<Handled<Result, Summary>>>;

export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Calls the service for any number of items, a chunk at a time: `for await (const result of calls)` yields the results in the order of the
 * items, and `calls.chunks()` whole chunks. The next chunk is read and sent when it is needed, so memory holds one of them.
 *
 * An error that ends it has `chunk` and `idempotencyKey`. Begin again with the same `runId` and that chunk as `fromChunk`.
 */
export class ChunkedCalls<Item, Result, Summary> implements AsyncIterable<Result> {
  readonly #items: Items<Item>;
  readonly #send: Send<Item, Result, Summary>;
  readonly #options: ChunkOptions;
  readonly #runId: string;
  readonly #size: number;

  /** @throws TypeError if an option is wrong */
  constructor(items: Items<Item>, send: Send<Item, Result, Summary>, options: ChunkOptions = {}) {
    this.#items = items;
    this.#send = send;
    this.#options = options;
    this.#size = wholeNumber('chunkSize', options.chunkSize ?? MOST_ITEMS, 1, MOST_ITEMS);
    wholeNumber('fromChunk', options.fromChunk ?? 0, 0, Number.MAX_SAFE_INTEGER);
    const { runId = crypto.randomUUID() } = options;
    if (!/^[ -~]{1,200}$/.test(runId)) throw new TypeError('runId must have 1 to 200 printable ASCII characters.');
    this.#runId = runId;
  }

  /** Yields chunk after chunk. @throws RupaError with `chunk`, and errors of the items */
  async *chunks(): AsyncGenerator<Chunk<Result, Summary>, void, undefined> {
    const { runId: _runId, chunkSize: _size, fromChunk = 0, onProgress, ...options } = this.#options;
    let [chunk, first] = [0, 0];
    for await (const items of inChunks(this.#items, this.#size)) {
      options.signal?.throwIfAborted();
      if (chunk >= fromChunk) {
        const idempotencyKey = `${this.#runId}-${chunk}`;
        const { results, summary } = await this.#send(items, { ...options, idempotencyKey }).catch((error: unknown) => {
          throw error instanceof RupaError ? Object.assign(error, { chunk }) : error;
        });
        onProgress?.({ chunk, items: first + items.length });
        yield { chunk, first, idempotencyKey, results, summary };
      }
      [chunk, first] = [chunk + 1, first + items.length];
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    for await (const { results } of this.chunks()) yield* results;
  }
}

/** Yields the items in chunks that depend on the items alone, so that a run which is repeated has the same ones. */
async function* inChunks<Item>(items: Items<Item>, size: number): AsyncGenerator<readonly Item[], void, undefined> {
  let [chunk, bytes]: [Item[], number] = [[], 0];
  for await (const item of items) {
    const more = bytesOf(item);
    if (chunk.length === size || (chunk.length > 0 && bytes + more > MOST_BYTES)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(item);
    bytes += more;
  }
  if (chunk.length > 0) yield chunk;
}

function bytesOf(item: unknown): number {
  // An item that is no JSON, such as undefined, becomes null in a list.
  const json = (JSON.stringify(item) as string | undefined) ?? 'null';
  return new TextEncoder().encode(json).length + 1;
}

function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(
    `${name} is ${String(value)}, but must be a whole number ${most > MOST_ITEMS ? 'from 0' : `from ${least} to ${most}`}.`,
  );
}
