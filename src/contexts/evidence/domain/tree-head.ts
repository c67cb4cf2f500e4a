import { type Mode } from '../../../kernel/accounts.js';

/** The head of a wallet: its last entry when a checkpoint was made. */
export interface WalletHead {
  readonly mode: Mode;
  readonly partner_id: string;
  readonly revision: number;
  /** Hash of the entry, in hex. */
  readonly hash: string;
}

/** Returns the leaf of a wallet in the tree of a checkpoint (admin, "Books"). */
export function leafOf({ mode, partner_id, revision, hash }: WalletHead): string {
  return [mode, partner_id, revision, hash].join('\n');
}

export function headOf(leaf: string): WalletHead {
  const [mode = '', partner_id = '', revision = '', hash = ''] = leaf.split('\n');
  return { mode: mode as Mode, partner_id, revision: Number(revision), hash };
}

/** The signed statement of a checkpoint. */
export interface TreeHead {
  /** Name of the log, which is also the name of the key that signs it. */
  readonly origin: string;
  readonly tree_size: number;
  /** Root of the tree, in base64. */
  readonly root: string;
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly made_at: string;
}

/** Returns the text of the note (https://c2sp.org/tlog-checkpoint), with the number and the time as extension lines. */
export function treeHeadText({ origin, tree_size, root, number, made_at }: TreeHead): string {
  return `${origin}\n${tree_size}\n${root}\nnumber ${number}\nmade_at ${made_at}\n`;
}

const TEXT =
  /^(?<origin>[^\n]+)\n(?<size>0|[1-9]\d{0,14})\n(?<root>[A-Za-z0-9+/]{43}=)\nnumber (?<number>[1-9]\d{0,14})\nmade_at (?<at>\S+)\n$/;

/** Parses the output of {@link treeHeadText}; returns undefined for any other text. */
export function parseTreeHead(text: string): TreeHead | undefined {
  const { origin = '', size, root = '', number, at = '' } = TEXT.exec(text)?.groups ?? {};
  return size === undefined ? undefined : { origin, tree_size: Number(size), root, number: Number(number), made_at: at };
}
