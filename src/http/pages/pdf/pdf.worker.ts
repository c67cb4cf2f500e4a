import { doWork } from '../../../platform/work-thread.js';
import { paperPdf } from './paper-pdf.js';
import { type ReadPaper } from './pdf-thread.js';

doWork(
  async (paper: ReadPaper) => new Uint8Array(Buffer.concat(await Array.fromAsync(paperPdf(paper)))),
  (bytes) => [bytes.buffer],
);
