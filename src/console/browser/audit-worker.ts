/** Worker of the page that verifies an evidence file: runs docs/audit/audit.mjs on it, and tells the page how far it is. */
import { Check, type CheckOptions, inBrowser, type NamedNote } from './audit.mjs';
import { isSigned, sha256 } from './browser-crypto.js';

export interface AuditRequest {
  readonly file: File;
  /** Verifier keys, one a line. */
  readonly keys: string;
  readonly notes: readonly NamedNote[];
  readonly options: CheckOptions;
}

export type AuditProgress =
  | { readonly kind: 'progress'; readonly events: number; readonly bytes: number }
  | ({ readonly kind: 'result'; readonly events: number } & ReturnType<Check['result']>)
  | { readonly kind: 'failed'; readonly reason: string };

const REPORT_MS = 200;

inBrowser({ sha256, isSigned });

addEventListener('message', ({ data }: MessageEvent<AuditRequest>) => {
  audit(data).catch((error: unknown) => {
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  });
});

async function audit({ file, keys, notes, options }: AuditRequest): Promise<void> {
  const check = new Check(keys, notes, options);
  let [bytes, reported] = [0, performance.now()];
  for await (const piece of piecesOf(file)) {
    if (!check.add(piece)) break;
    bytes += piece.length;
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    tell({ kind: 'progress', events: check.events, bytes });
  }
  tell({ kind: 'result', ...check.result(), events: check.events });
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new Error(`The file ${file.name} cannot be read to its end; it may have been changed or moved. (${String(error)})`);
    });
    if (done) return;
    yield value;
  }
}

function tell(progress: AuditProgress): void {
  postMessage(progress);
}
