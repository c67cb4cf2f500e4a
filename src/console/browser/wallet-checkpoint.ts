/**
 * Checks a signed checkpoint and the proof that it covers a wallet's head, as docs/audit.md describes them. This file imports nothing, so
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
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly made_at: string;
  readonly tree_size: number;
  /** Root of the tree, in base64. */
  readonly root: string;
  /** Verifier keys that signed it, as they were given. */
  readonly signers: readonly string[];
  /** Sentences about what a mail program changed in the text, and was restored before the signature was checked. */
  readonly repairs: readonly string[];
}

/** The head of a wallet when the checkpoint was made. */
export interface Leaf {
  readonly mode: string;
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
const TEXT =
  /^([^\n]+)\n(0|[1-9]\d{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*?number ([1-9]\d{0,14})\n(?:[^\n]+\n)*?made_at (\S+)\n(?:[^\n]+\n)*$/;
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
  const [, origin, size, root, number, made_at] = TEXT.exec(text) ?? [];
  if (origin === undefined || root === undefined || made_at === undefined)
    throw new CheckpointFault('note', 'The text of the note is no checkpoint: origin, tree size, root, number and made_at, one a line.');
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(signatureOf);
  const known = await Promise.all(keys.split('\n').flatMap((line) => (line.trim() === '' ? [] : [verifierKeyOf(line.trim())])));
  const signers = await signersAmong(known, signatures, text);
  const other = signers.find(({ name }) => name !== origin);
  if (other) throw new CheckpointFault('origin', `The note is of the log ${origin}, and the key that signed it is of ${other.name}.`);
  return { origin, number: Number(number), made_at, tree_size: Number(size), root, signers: signers.map((each) => each.text), repairs };
}

/**
 * Checks that a checkpoint covers the head of a wallet, and returns the head (RFC 6962, section 2.1.1).
 * @param response the proof in JSON, as the service returned it to an auditor or to the partner
 * @param partnerId undefined accepts the proof of any wallet @throws CheckpointFault
 */
export async function provenHead(checkpoint: OpenedCheckpoint, response: string, partnerId: string | undefined): Promise<Leaf> {
  const { number, leaf, leaf_index, tree_size, hashes } = proofOf(response);
  if (number !== checkpoint.number)
    throw new CheckpointFault('proof', `The proof is of checkpoint ${number}, and the note is of checkpoint ${checkpoint.number}.`);
  if (tree_size !== checkpoint.tree_size)
    throw new CheckpointFault('proof', `The proof is of a tree of ${tree_size} wallets, and the note of one of ${checkpoint.tree_size}.`);
  if (partnerId !== undefined && leaf.partner_id !== partnerId)
    throw new CheckpointFault('leaf', `The proof is of the wallet of ${leaf.partner_id}, and not of ${partnerId}.`);
  const bytes = bytesOf([leaf.mode, leaf.partner_id, leaf.revision, leaf.hash].join('\n'));
  const root = await rootFrom(bytes, leaf_index, tree_size, hashes);
  if (!root)
    throw new CheckpointFault('proof', `The proof has ${hashes.length} hashes, which do not fit leaf ${leaf_index} of ${tree_size}.`);
  if (base64Of(root) !== checkpoint.root)
    throw new CheckpointFault(
      'root',
      `The leaf with the head ${leaf.revision}:${leaf.hash} leads to the root ${base64Of(root)}, and the note has the root ${checkpoint.root}. ` +
        `The proof holds other heads than the note of ${checkpoint.origin}: one of them was changed, or they are of different services.`,
    );
  return leaf;
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
  readonly number: number;
  readonly leaf: Leaf;
  readonly leaf_index: number;
  readonly tree_size: number;
  readonly hashes: readonly Bytes[];
}

/** Returns the proof of a response: of an auditor's, or of a partner's, which has it beside the checkpoint. */
function proofOf(response: string): Proof {
  const { number, proof } = partsOf(response);
  if (proof === null) throw new CheckpointFault('leaf', 'The wallet had no entry when the checkpoint was made, so it covers none.');
  const { leaf, leaf_index, tree_size, hashes } = proof as { leaf?: Leaf; leaf_index?: number; tree_size?: number; hashes?: unknown };
  const decoded = Array.isArray(hashes) ? hashes.map((each) => (typeof each === 'string' ? bytesOfBase64(each) : undefined)) : [undefined];
  if (
    !isCount(number) ||
    !isCount(leaf_index) ||
    !isCount(tree_size) ||
    decoded.some((each) => each?.length !== HASH_BYTES) ||
    !isLeaf(leaf)
  )
    throw new CheckpointFault('proof', 'A part of the proof is missing or malformed: number, leaf_index, tree_size, hashes and leaf.');
  return { number, leaf, leaf_index, tree_size, hashes: decoded as Bytes[] };
}

function partsOf(response: string): { readonly number: unknown; readonly proof: unknown } {
  try {
    const whole = JSON.parse(response) as { data?: object };
    const data = ('data' in whole ? whole.data : whole) as { number?: unknown; proof?: unknown };
    return { number: data.number, proof: 'proof' in data ? data.proof : data };
  } catch {
    throw new CheckpointFault('proof', 'The proof is not the JSON of a response. The file may have been cut off.');
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isLeaf(leaf: Leaf | null | undefined): leaf is Leaf {
  return (
    typeof leaf?.mode === 'string' && typeof leaf.partner_id === 'string' && isCount(leaf.revision) && /^[0-9a-f]{64}$/.test(leaf.hash)
  );
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
