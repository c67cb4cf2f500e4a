/**
 * Checks the export of a wallet, line by line, as docs/audit.md describes it. This file imports nothing, so that an auditor can read all of
 * it. It runs in browsers and in Node.
 */

/** The head of a wallet without entries. */
export const GENESIS = '0'.repeat(64);

/** An entry as a line of the export has it. */
interface Entry {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly recorded_at: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly prev_hash: string;
  readonly hash: string;
  /** An operator passed over this event, which is no entry: it takes a revision, and the next entry builds upon the one before it. */
  readonly skipped?: boolean;
}

/** A head that the chain must contain. */
export interface NotedHead {
  readonly revision: number;
  readonly hash: string;
  /** Completes "The head 5:… ", such as `that was noted`. */
  readonly origin: string;
}

/** Follows the chain of a wallet's entries. Each one depends on all before it, so checking ends at the first that does not fit. */
export class WalletChain {
  head = GENESIS;
  count = 0;
  private fault: string | undefined;

  /** @param stream `wallet-` and the partner's id; undefined takes that of the first entry @param noted heads from earlier */
  constructor(
    private stream: string | undefined,
    private readonly noted: readonly NotedHead[] = [],
  ) {}

  /** Checks the next line. Returns false once an entry does not fit, or is another than a noted head says. */
  async add(line: string): Promise<boolean> {
    if (this.fault !== undefined) return false;
    const reason = await this.faultOf(line);
    this.fault =
      reason === undefined
        ? this.contradiction()
        : `Revision ${this.count} does not fit: ${reason} The ${this.count} entries before it hold.`;
    return this.fault === undefined;
  }

  /** Returns the result after the last line: the first entry that does not fit, or the noted heads that the chain does not contain. */
  result(): { readonly ok: boolean; readonly entries: number; readonly head: string; readonly fault: string | undefined } {
    const fault = this.fault ?? this.nothing() ?? this.missing();
    return { ok: fault === undefined, entries: this.count, head: `${this.count - 1}:${this.head}`, fault };
  }

  /** A verdict about no entries would say nothing about the wallet, so it must not look like a good one. */
  private nothing(): string | undefined {
    return this.count === 0 ? 'The export has no entry, so nothing was verified.' : undefined;
  }

  private missing(): string | undefined {
    const lost = this.noted.find(({ revision }) => revision >= this.count);
    return (
      lost &&
      `${named(lost)} is not in the chain: the export ends at revision ${this.count - 1}, so entries were removed from its end, or the export is older than the head.`
    );
  }

  private contradiction(): string | undefined {
    const revision = this.count - 1;
    const other = this.noted.find((each) => each.revision === revision && each.hash !== this.head);
    return (
      other &&
      `${named(other)} is not in the chain: revision ${revision} has the hash ${this.head}, so an entry up to it was changed, removed or added since.`
    );
  }

  private async faultOf(line: string): Promise<string | undefined> {
    const entry = parsed(line);
    if (typeof entry === 'string') return entry;
    const { stream, revision, type, data, prev_hash, hash, recorded_at, skipped } = entry;
    this.stream ??= stream;
    if (stream !== this.stream) return `it belongs to ${stream}, and the wallet is ${this.stream}.`;
    if (revision !== this.count) return `its revision is ${revision}, so an entry before it is missing or out of order.`;
    if (prev_hash !== this.head) return `the hash before it should be ${this.head}, and it names ${prev_hash}.`;
    if (skipped === true) {
      this.count += 1;
      return undefined;
    }
    if (recorded_at !== data.recorded_at) return 'the time beside its data is not the time within them.';
    const digest = await hashOf([this.head, stream, String(revision), type, canonical(data)]);
    if (hash !== digest) return `its content has the hash ${digest}, and it carries ${hash}.`;
    this.head = digest;
    this.count += 1;
    return undefined;
  }
}

function named({ revision, hash, origin }: NotedHead): string {
  return `The head ${revision}:${hash} ${origin}`;
}

/** Reads a head that was noted. @throws Error for another text */
export function headOf(text: string): NotedHead {
  const [, revision, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (revision === undefined || hash === undefined)
    throw new Error(`A head is REVISION:HASH with 64 digits of hex, and this is not: ${text}`);
  return { revision: Number(revision), hash, origin: 'that was noted' };
}

/** Returns the canonical JSON of a value (RFC 8785): keys sorted, no spaces. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

async function hashOf(parts: readonly string[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(parts.join('\n')));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the entry of a line, or a sentence that says why it is none. */
function parsed(line: string): Entry | string {
  try {
    const entry = JSON.parse(line) as Entry | null;
    if (entry?.skipped === true)
      return typeof entry.stream === 'string' && typeof entry.prev_hash === 'string' ? entry : 'a part of it is missing.';
    const texts = [entry?.stream, entry?.type, entry?.recorded_at, entry?.prev_hash, entry?.hash];
    const complete =
      texts.every((text) => typeof text === 'string') && typeof entry?.data === 'object' && (entry.data as object | null) !== null;
    return complete ? entry : 'a part of it is missing.';
  } catch {
    return 'it is not JSON. The file may have been cut off.';
  }
}
