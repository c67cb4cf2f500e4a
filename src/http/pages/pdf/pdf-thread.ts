import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Paper, type PaperTable, type Row } from '../paper.js';

/** Mebibytes of the thread's heap. A document takes some 25; without a limit, V8 lets garbage grow to a multiple before it collects it. */
const MAX_HEAP_MB = 256;

/** A document whose rows were read, so that it can be passed to a thread. */
export interface ReadPaper extends Paper {
  readonly parts: readonly ((PaperTable & { readonly rows: Row[] }) | string)[];
}

/**
 * Makes PDF documents one after another in a thread of its own, which starts with the first one: a document takes some 40 ms of processor
 * time, for which the calls that the process serves would wait. It ends when it is disposed of.
 */
export class PdfThread implements Disposable {
  private worker: Worker | undefined;
  private readonly ending = new AbortController();

  /** Returns a document as one piece. The one before must have been returned. @throws Error if the thread fails, or was ended */
  async pdf(paper: Paper): Promise<Buffer> {
    const read = await withRows(paper);
    const { signal } = this.ending;
    signal.throwIfAborted();
    this.worker ??= new Worker(new URL('./pdf.worker.js', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    const made = once(this.worker, 'message', { signal });
    this.worker.postMessage(read);
    const [bytes] = (await made) as [Uint8Array<ArrayBuffer>];
    return Buffer.from(bytes.buffer);
  }

  [Symbol.dispose](): void {
    this.ending.abort();
    void this.worker?.terminate();
  }
}

async function withRows(paper: Paper): Promise<ReadPaper> {
  const parts: ReadPaper['parts'][number][] = [];
  // The rows are to be read in the order of the tables.
  for (const part of paper.parts) parts.push(typeof part === 'string' ? part : { ...part, rows: await Array.fromAsync(part.rows) });
  return { ...paper, parts };
}
