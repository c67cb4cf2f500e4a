/** Types of docs/audit/audit.mjs, which the service sends to browsers as it is. */

/** What the program needs of the machine, and a browser does not have as Node has it. */
export interface Machine {
  /** SHA-256 of the parts, one after another. Texts are in UTF-8. */
  sha256(...parts: readonly (string | Uint8Array)[]): Uint8Array;
  /** Whether an Ed25519 key of 32 bytes made a signature of 64 bytes over a text. */
  isSigned(key: Uint8Array, message: string, signature: Uint8Array): boolean;
}

export function inBrowser(machine: Machine): void;

export interface NamedNote {
  /** Name of the note in the summary. */
  readonly path: string;
  readonly text: string;
}

/** Which postings the trial balance counts: those up to the end of a day or a time (ISO 8601, UTC), or those of a month; all by default. */
export interface CheckOptions {
  readonly at?: string;
  readonly month?: string;
  /** Whether the summary has the revenue, the prepaid money and the journal's totals, too. */
  readonly figures?: boolean;
}

/** The check of one evidence file, whose bytes are added in pieces of any size. */
export class Check {
  /** @param keys text with a verifier key in each line @throws Error for a malformed key, note or option */
  constructor(keys: string, notes: readonly NamedNote[], options?: CheckOptions);
  /** Number of the events so far. */
  readonly events: number;
  /** Returns false after a line that ends the file. */
  add(bytes: Uint8Array): boolean;
  /** Ends the file. The fault is `event N: RULE: reason`, and undefined if everything holds. */
  result(): { readonly summary: string; readonly fault: string | undefined };
}
