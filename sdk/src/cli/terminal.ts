/** A mistake of the person who typed the command. It ends with exit code 2. */
export class UsageError extends Error {}

/** The surroundings of a command, which a test replaces. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
}
