/**
 * Checks a signed checkpoint of the log and the proof that it covers an entry of a wallet, as docs/audit.md describes them. This file imports nothing, so
 * that an auditor can read all of it. It runs in browsers and in Node.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** The part of a checkpoint or its proof that does not hold. */
export type CheckpointPart = 'browser' | 'key' | 'note' | 'origin' | 'signature' | 'proof' | 'leaf' | 'root';

export class CheckpointFault extends Error {
  constructor(
    readonly part: CheckpointPart,
    message: string,
  ) {
    super(message);
  }
}

/** A checkpoint that a known key has signed. */
export interface OpenedCheckpoint {
  /** The log that it is of. */
  readonly origin: string;
  /** Number of events that it covers. */
  readonly tree_size: number;
  /** Root of the tree, in base64. */
  readonly root: string;
  /** Verifier keys that signed it, as they were given. */
  readonly signers: readonly string[];
  /** Sentences about what a mail program changed in the text, and was restored before the signature was checked. */
  readonly repairs: readonly string[];
}

/** An entry of a wallet that a checkpoint covers. */
export interface ProvenEntry {
  readonly partner_id: string;
  readonly revision: number;
  readonly hash: string;
}

interface VerifierKey {
  readonly text: string;
  readonly name: string;
  /** Eight digits of hex. */
  readonly id: string;
  readonly key: CryptoKey;
}

interface Signature {
  readonly name: string;
  readonly id: string;
  readonly bytes: Bytes;
}

const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const TEXT = /^([^\n]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n$/;
/** The lines of a leaf, of a stream that is a wallet. */
const LEAF = /^wallet-([A-Za-z0-9-]+)\n(0|[1-9]\d{0,14})\n[^\n]+\n[0-9a-f-]{36}\n([0-9a-f]{64}) ([0-9a-f]{64})$/;
const ED25519 = 1;
const ID_BYTES = 4;
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Checks the signature of a checkpoint (https://c2sp.org/signed-note and https://c2sp.org/tlog-checkpoint). Signatures of unknown keys are
 * ignored; one of a known key that does not hold is a fault even beside one that does.
 * @param keys verifier keys, one a line @throws CheckpointFault
 */
export async function openCheckpoint(pasted: string, keys: string): Promise<OpenedCheckpoint> {
  const { note, repairs } = repaired(pasted);
  const end = note.lastIndexOf('\n\n');
  if (end < 0) throw new CheckpointFault('note', 'The note has no empty line between its text and its signatures. Paste all of it.');
  const text = note.slice(0, end + 1);
  const [, origin, size, root] = TEXT.exec(text) ?? [];
  if (origin === undefined || root === undefined)
    throw new CheckpointFault('note', 'The text of the note is no checkpoint of the log: origin, tree size and root, one a line.');
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(signatureOf);
  const known = await Promise.all(keys.split('\n').flatMap((line) => (line.trim() === '' ? [] : [verifierKeyOf(line.trim())])));
  const signers = await signersAmong(known, signatures, text);
  const other = signers.find(({ name }) => name !== origin);
  if (other) throw new CheckpointFault('origin', `The note is of the log ${origin}, and the key that signed it is of ${other.name}.`);
  return { origin, tree_size: Number(size), root, signers: signers.map((each) => each.text), repairs };
}

/**
 * Checks that a checkpoint covers an entry of a wallet, and returns the entry (RFC 6962, section 2.1.1). The leaf has the hash of the entry's
 * metadata, which hold the hash of the entry in the chain of its wallet.
 * @param response the proof in JSON, as the service returned it to the partner
 * @param partnerId undefined accepts the proof of any wallet @throws CheckpointFault
 */
export async function provenEntry(checkpoint: OpenedCheckpoint, response: string, partnerId: string | undefined): Promise<ProvenEntry> {
  const { entry, index, leaf, metadata, data, tree_size, hashes } = proofOf(response);
  if (tree_size !== checkpoint.tree_size)
    throw new CheckpointFault('proof', `The proof is of a tree of ${tree_size} events, and the note of one of ${checkpoint.tree_size}.`);
  const [, partner_id = '', revision, ...digests] = LEAF.exec(leaf) ?? [];
  if (partnerId !== undefined && partner_id !== partnerId)
    throw new CheckpointFault('leaf', `The proof is of the wallet of ${partner_id}, and not of ${partnerId}.`);
  const found = await Promise.all([data, metadata].map(async (text) => hexOf(await sha256(bytesOf(text)))));
  if (Number(revision) !== entry.revision || found.join() !== digests.join() || chainHashIn(metadata) !== entry.hash)
    throw new CheckpointFault('leaf', 'The leaf does not belong to the entry: its revision, data or metadata are others.');
  const root = await rootFrom(bytesOf(leaf), index, tree_size, hashes);
  if (!root) throw new CheckpointFault('proof', `The proof has ${hashes.length} hashes, which do not fit leaf ${index} of ${tree_size}.`);
  if (base64Of(root) !== checkpoint.root)
    throw new CheckpointFault(
      'root',
      `The leaf of the entry ${entry.revision}:${entry.hash} leads to the root ${base64Of(root)}, and the note has the root ${checkpoint.root}. ` +
        `The log of the proof is another one than that of the note of ${checkpoint.origin}: an event was changed, or they are of different services.`,
    );
  return { partner_id, ...entry };
}

function chainHashIn(metadata: string): unknown {
  try {
    return (JSON.parse(metadata) as { hash?: unknown } | null)?.hash;
  } catch {
    return undefined;
  }
}

/** Returns the note that came with a proof. @throws CheckpointFault */
export function noteIn(response: string): string {
  const { note } = dataOf(response);
  if (typeof note !== 'string') throw new CheckpointFault('proof', 'The proof has no note. Paste the note that it belongs to.');
  return note;
}

/** Mail programs change line ends and add spaces. The signature covers the restored text, so restoring makes no forged note valid. */
function repaired(pasted: string): { readonly note: string; readonly repairs: readonly string[] } {
  const lines = pasted.replaceAll(/\r\n?/g, '\n').replace(/^\uFEFF?\n*/, '');
  const bare = lines.replaceAll(/[ \t\u00A0]+$/gm, '');
  const repairs = [
    ...(pasted.includes('\r') ? ['The note had the line ends of Windows. They were replaced before the signature was checked.'] : []),
    ...(bare === lines ? [] : ['The note had spaces at the end of lines. They were removed before the signature was checked.']),
  ];
  return { note: `${bare.replace(/\n+$/, '')}\n`, repairs };
}

function signatureOf(line: string): Signature {
  const [dash, name = '', encoded = '', ...rest] = line.split(' ');
  const bytes = bytesOfBase64(encoded);
  if (dash !== '—' || name === '' || !bytes || bytes.length <= ID_BYTES || rest.length > 0)
    throw new CheckpointFault('note', `This line of the note is no signature; a mail program may have wrapped or changed it: ${line}`);
  return { name, id: hexOf(bytes.subarray(0, ID_BYTES)), bytes: bytes.slice(ID_BYTES) };
}

async function verifierKeyOf(text: string): Promise<VerifierKey> {
  const [, name = '', id = '', encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const typed = bytesOfBase64(encoded);
  if (typed?.length !== HASH_BYTES + 1 || typed[0] !== ED25519)
    throw new CheckpointFault('key', `A verifier key is NAME+ID+KEY with a key for Ed25519, and this is not: ${text}`);
  const found = hexOf((await sha256(bytesOf(`${name}\n`), typed)).subarray(0, ID_BYTES));
  if (found !== id)
    throw new CheckpointFault('key', `The verifier key was changed: its name and key have the id ${found}, and it says ${id}.`);
  try {
    return { text, name, id, key: await crypto.subtle.importKey('raw', typed.slice(1), 'Ed25519', false, ['verify']) };
  } catch (error) {
    if ((error as Error).name !== 'NotSupportedError') throw new CheckpointFault('key', `This is no key for Ed25519: ${text}`);
    throw new CheckpointFault(
      'browser',
      'This browser cannot check Ed25519 signatures. Chrome and Edge can from 137, Firefox 129, Safari 17.',
    );
  }
}

async function signersAmong(known: readonly VerifierKey[], signatures: readonly Signature[], text: string): Promise<VerifierKey[]> {
  const signers: VerifierKey[] = [];
  for (const { name, id, bytes } of signatures)
    for (const each of known.filter((key) => key.name === name && key.id === id)) {
      const holds = bytes.length === SIGNATURE_BYTES && (await crypto.subtle.verify('Ed25519', each.key, bytes, bytesOf(text)));
      if (!holds) throw new CheckpointFault('signature', `The signature of ${name}+${id} does not hold: the note was changed after it.`);
      signers.push(each);
    }
  if (signers.length > 0) return signers;
  const [by, given] = [signatures, known].map((list) => list.map(({ name, id }) => `${name}+${id}`).join(', ') || 'none');
  throw new CheckpointFault(
    'key',
    `The key is unknown: the note is signed by ${by ?? ''}, and the keys to check it with are ${given ?? ''}. ` +
      'A note from before the service replaced its key needs the retired key.',
  );
}

interface Proof {
  readonly entry: { readonly revision: number; readonly hash: string };
  readonly index: number;
  readonly leaf: string;
  readonly data: string;
  readonly metadata: string;
  readonly tree_size: number;
  readonly hashes: readonly Bytes[];
}

function proofOf(response: string): Proof {
  const { entry, index, leaf, data, metadata, tree_size, hashes } = dataOf(response);
  const decoded = Array.isArray(hashes) ? hashes.map((each) => (typeof each === 'string' ? bytesOfBase64(each) : undefined)) : [undefined];
  const isWhole =
    isEntry(entry) &&
    isCount(index) &&
    isCount(tree_size) &&
    typeof leaf === 'string' &&
    typeof data === 'string' &&
    typeof metadata === 'string' &&
    decoded.every((each) => each?.length === HASH_BYTES);
  if (!isWhole)
    throw new CheckpointFault(
      'proof',
      'A part of the proof is missing or malformed: entry, index, leaf, data, metadata, tree_size and hashes.',
    );
  if (!LEAF.test(leaf)) throw new CheckpointFault('leaf', 'The leaf is not that of an entry of a wallet.');
  const { revision, hash } = entry;
  return { entry: { revision, hash }, index, leaf, data, metadata, tree_size, hashes: decoded as Bytes[] };
}

/** Returns what a response holds, with or without the envelope of the interface. */
function dataOf(response: string): Readonly<Record<string, unknown>> {
  try {
    const whole = JSON.parse(response) as Readonly<Record<string, unknown>>;
    const { data } = whole;
    return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : { ...whole };
  } catch {
    throw new CheckpointFault('proof', 'The proof is not the JSON of a response. The file may have been cut off.');
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isEntry(entry: unknown): entry is Proof['entry'] {
  const { revision, hash } = (entry ?? {}) as { revision?: unknown; hash?: unknown };
  return isCount(revision) && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash);
}

/** Returns the root that a leaf and its audit path lead to; undefined if the path does not belong to that leaf of such a tree. */
export async function rootFrom(leaf: Bytes, index: number, size: number, path: readonly Bytes[]): Promise<Bytes | undefined> {
  if (size <= 1) return index === 0 && size === 1 && path.length === 0 ? await sha256(Uint8Array.of(0), leaf) : undefined;
  let left = 1;
  while (left * 2 < size) left *= 2;
  const sibling = path.at(-1);
  const below = await (index < left
    ? rootFrom(leaf, index, left, path.slice(0, -1))
    : rootFrom(leaf, index - left, size - left, path.slice(0, -1)));
  if (!below || !sibling) return undefined;
  return await (index < left ? sha256(Uint8Array.of(1), below, sibling) : sha256(Uint8Array.of(1), sibling, below));
}

async function sha256(...parts: readonly Bytes[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob([...parts]).arrayBuffer()));
}

function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Returns undefined for a text that is not the one base64 form of its bytes, so that no changed character goes unseen. */
function bytesOfBase64(text: string): Bytes | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return base64Of(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes));
}

function hexOf(bytes: Bytes): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Between the last signature of a note and the text of the next one. */
const BETWEEN = /(?<=^— .*\n)\n*(?=[^—\n])/mu;

/** Returns the notes of a text that a person pasted, one below another, and sentences about what a mail program had changed in it. */
export function notesIn(pasted: string): { readonly notes: readonly string[]; readonly repairs: readonly string[] } {
  const { note, repairs } = repaired(pasted);
  return { notes: note.trim() === '' ? [] : note.split(BETWEEN), repairs };
}
