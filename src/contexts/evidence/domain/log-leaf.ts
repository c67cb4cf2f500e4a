import { hash } from 'node:crypto';

/** An event as the log has it, with the exact bytes of its data and metadata. */
export interface LoggedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly id: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Returns the leaf of an event in the tree of the log: five lines, without a line feed at the end (evidence, "The tree of the log"). */
export function logLeaf({ stream, revision, type, id, data, metadata }: LoggedEvent): string {
  return [asInJson(stream), revision, asInJson(type), id.toLowerCase(), `${sha256(data)} ${sha256(metadata)}`].join('\n');
}

/** A line feed in a name would move the lines after it. */
function asInJson(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

function sha256(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex');
}
