/** Worker of the page that verifies a wallet: reads an export line by line, and tells the page how far it is. */
import { headOf, type NotedHead, WalletChain } from './wallet-chain.js';
import { noteIn, type OpenedCheckpoint, openCheckpoint, provenEntry } from './wallet-checkpoint.js';

/** The export is a file that the person has chosen, or is fetched from an address of this service. */
export interface VerifyRequest {
  readonly source: string | Blob;
  readonly partnerId: string;
  readonly noted: readonly string[];
  readonly checkpoint?: {
    /** Empty takes the note that came with the proof. */
    readonly note: string;
    /** Verifier keys, one a line; empty fetches those that the service publishes. */
    readonly keys: string;
    /** The proof of an entry, as the partner got it. */
    readonly proof: Blob;
  };
}

export type VerifyProgress =
  | { readonly kind: 'progress'; readonly entries: number }
  | ({ readonly kind: 'result'; readonly remarks: readonly string[] } & ReturnType<WalletChain['result']>)
  | { readonly kind: 'failed'; readonly reason: string };

const REPORT_MS = 200;

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  verify(data).catch((error: unknown) => {
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  });
});

async function verify({ source, partnerId, noted, checkpoint }: VerifyRequest): Promise<void> {
  const covered = checkpoint && (await headCoveredBy(checkpoint, partnerId).catch(uncheckedEntries));
  const heads = [...noted.map(headOf), ...(covered ? [covered.head] : [])];
  const partner = covered?.partnerId ?? partnerId;
  const chain = new WalletChain(partner === '' ? undefined : `wallet-${partner}`, heads);
  let reported = performance.now();
  for await (const line of linesOf(await streamOf(source))) {
    if (!(await chain.add(line))) break;
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    tell({ kind: 'progress', entries: chain.count });
  }
  tell({ kind: 'result', ...chain.result(), remarks: covered?.remarks ?? [] });
}

/** The entries could still hold, so a fault of the checkpoint must not look like one of theirs. */
function uncheckedEntries(error: unknown): never {
  throw new Error(`${error instanceof Error ? error.message : String(error)} The wallet’s entries were not checked.`);
}

interface CoveredHead {
  readonly head: NotedHead;
  readonly partnerId: string;
  /** Sentences for the result, whether or not the chain contains the head. */
  readonly remarks: readonly string[];
}

/** @throws Error that names the part of the checkpoint that does not hold */
async function headCoveredBy({ note, keys, proof }: NonNullable<VerifyRequest['checkpoint']>, partnerId: string): Promise<CoveredHead> {
  const published = keys === '' ? await textOf('/.well-known/rupa-checkpoint-key', 'The keys') : undefined;
  const response = await proof.text();
  const isOwnNote = note.trim() === '';
  const opened = await openCheckpoint(isOwnNote ? noteIn(response) : note, published ?? keys);
  const { partner_id, revision, hash } = await provenEntry(opened, response, partnerId === '' ? undefined : partnerId);
  const remarks = [
    `The checkpoint of the first ${opened.tree_size} events of ${opened.origin} is signed by ${opened.signers.join(' and ')}, and covers the entry ${revision}:${hash}.`,
    ...opened.repairs,
    ...(isOwnNote ? ['The note came with the proof. Keep it: the next time, paste it here.'] : []),
    ...(published === undefined ? [] : remarksAbout(published, opened)),
  ];
  return { head: { revision, hash, origin: 'that the checkpoint covers' }, partnerId: partner_id, remarks };
}

function remarksAbout(published: string, { signers }: OpenedCheckpoint): readonly string[] {
  const retired = signers.every((signer) => signer !== published.trimEnd().split('\n').at(-1));
  return [
    'The key came from this service. That proves less: a service that forges a checkpoint can publish a key that fits. Paste the key that you noted earlier.',
    ...(retired ? ['The service has retired this key since, and signs with another one now.'] : []),
  ];
}

async function streamOf(source: string | Blob): Promise<ReadableStream<Uint8Array>> {
  if (typeof source !== 'string') return source.stream();
  const response = await fetched(source);
  if (!response.ok || !response.body) throw new Error(`The export could not be fetched: the service responded with ${response.status}.`);
  return response.body;
}

async function textOf(address: string, name: string): Promise<string> {
  const response = await fetched(address);
  if (!response.ok) throw new Error(`${name} could not be fetched: the service responded with ${response.status}.`);
  return await response.text();
}

async function fetched(address: string): Promise<Response> {
  const response = await fetch(address);
  if (response.redirected) throw new Error('The session has ended. Sign in again, and then verify the wallet.');
  return response;
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
