import { parentPort } from 'node:worker_threads';
import { paperPdf } from './paper-pdf.js';
import { type ReadPaper } from './pdf-thread.js';

parentPort?.on('message', (paper: ReadPaper) => {
  // An error ends the thread, and PdfThread passes it on.
  void Array.fromAsync(paperPdf(paper)).then((pieces) => {
    const bytes = new Uint8Array(Buffer.concat(pieces));
    parentPort?.postMessage(bytes, [bytes.buffer]);
  });
});
