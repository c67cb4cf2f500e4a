/** A mistake of the person who typed the command. It ends with exit code 2. */
export class UsageError extends Error {}

/** Returns whether the operating system has refused something, such as to write a file. The message names what and why. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}

/** The surroundings of a command, which a test replaces. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Shows the progress in the last line, in place of what it showed before; undefined if the output is no terminal. */
  readonly showProgress?: (text: string) => void;
  /** Ends the line of the progress. */
  readonly endProgress?: () => void;
  /** Asks, and returns what was typed; undefined if nobody can be asked. */
  readonly ask?: (question: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
}
