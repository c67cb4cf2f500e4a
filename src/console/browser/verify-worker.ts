/** Worker of the page that verifies a wallet: reads an export line by line, and tells the page how far it is. */
import { WalletChain } from './wallet-chain.js';

/** The export is a file that the person has chosen, or is fetched from an address of this service. */
export interface VerifyRequest {
  readonly source: string | Blob;
  readonly partnerId: string;
  readonly noted: readonly string[];
}

export type VerifyProgress =
  | { readonly kind: 'progress'; readonly entries: number }
  | ({ readonly kind: 'result' } & ReturnType<WalletChain['result']>)
  | { readonly kind: 'failed'; readonly reason: string };

const REPORT_MS = 200;

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  verify(data).catch((error: unknown) => {
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  });
});

async function verify({ source, partnerId, noted }: VerifyRequest): Promise<void> {
  const chain = new WalletChain(partnerId === '' ? undefined : `wallet-${partnerId}`, noted);
  let reported = performance.now();
  for await (const line of linesOf(await streamOf(source))) {
    if (!(await chain.add(line))) break;
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    tell({ kind: 'progress', entries: chain.count });
  }
  tell({ kind: 'result', ...chain.result() });
}

async function streamOf(source: string | Blob): Promise<ReadableStream<Uint8Array>> {
  if (typeof source !== 'string') return source.stream();
  const response = await fetch(source);
  if (response.redirected) throw new Error('The session has ended. Sign in again, and then verify the wallet.');
  if (!response.ok || !response.body) throw new Error(`The export could not be fetched: the service responded with ${response.status}.`);
  return response.body;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  // A damaged byte must not be replaced: the text would then be another one than the file's.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function tell(progress: VerifyProgress): void {
  postMessage(progress);
}
