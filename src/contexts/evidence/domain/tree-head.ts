/** The signed statement of a checkpoint. */
export interface TreeHead {
  /** Name of the log, which is also the name of the key that signs it. */
  readonly origin: string;
  /** Number of events of the log that it covers. */
  readonly tree_size: number;
  /** Root of the tree over them, in base64. */
  readonly root: string;
}

/** Returns the text of the note (https://c2sp.org/tlog-checkpoint), without extension lines. */
export function treeHeadText({ origin, tree_size, root }: TreeHead): string {
  return `${origin}\n${tree_size}\n${root}\n`;
}

const TEXT = /^(?<origin>[^\n]+)\n(?<size>0|[1-9]\d{0,14})\n(?<root>[A-Za-z0-9+/]{43}=)\n$/;

/** Parses the output of {@link treeHeadText}; returns undefined for any other text. */
export function parseTreeHead(text: string): TreeHead | undefined {
  const { origin = '', size, root = '' } = TEXT.exec(text)?.groups ?? {};
  return size === undefined ? undefined : { origin, tree_size: Number(size), root };
}
