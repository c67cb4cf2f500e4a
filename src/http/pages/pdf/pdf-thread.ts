import { WorkThread } from '../../../platform/work-thread.js';
import { type Paper, type PaperTable, type Row } from '../paper.js';

/** Mebibytes of the thread's heap. A document takes some 25. */
const MAX_HEAP_MB = 256;

/** A document whose rows were read, so that it can be passed to a thread. */
export interface ReadPaper extends Paper {
  readonly parts: readonly ((PaperTable & { readonly rows: Row[] }) | string)[];
}

/** Makes PDF documents one after another in a thread of its own: a document takes some 40 ms of processor time. */
export class PdfThread implements Disposable {
  private readonly thread = new WorkThread<ReadPaper, Uint8Array<ArrayBuffer>>(new URL('./pdf.worker.js', import.meta.url), MAX_HEAP_MB);

  /** Returns a document as one piece. The one before must have been returned. @throws Error if the thread fails, or was ended */
  async pdf(paper: Paper): Promise<Buffer> {
    return Buffer.from((await this.thread.do(await withRows(paper))).buffer);
  }

  [Symbol.dispose](): void {
    this.thread[Symbol.dispose]();
  }
}

async function withRows(paper: Paper): Promise<ReadPaper> {
  const parts: ReadPaper['parts'][number][] = [];
  // The rows are to be read in the order of the tables.
  for (const part of paper.parts) parts.push(typeof part === 'string' ? part : { ...part, rows: await Array.fromAsync(part.rows) });
  return { ...paper, parts };
}
