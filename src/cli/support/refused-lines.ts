import { closeSync, openSync, writeSync } from 'node:fs';
import { printError } from './output.js';

/** Refused lines that are printed; the file has all of them. */
const PRINTED = 100;

/**
 * Lists refused lines with their reasons: in a file, which is created for the first one, and the first of them on standard error. Without a
 * file, all of them are printed. The reasons name fields, and hold no values of farmers' records.
 */
export class RefusedLines {
  private count = 0;
  /** Printed at the end, because a progress bar may be on the terminal until then. */
  private readonly first: string[] = [];
  private file: number | undefined;
  private written = 0;
  private isUnwritable = false;

  /** @param continued whether an interrupted import continues: the lines that it has refused before stay in the file */
  constructor(
    private readonly path: string | undefined,
    private readonly continued: boolean,
  ) {}

  add(line: number, reason: string): void {
    this.count += 1;
    if (!this.write(line, reason)) printError(`line ${line}: ${reason}`);
    else if (this.count <= PRINTED) this.first.push(`line ${line}: ${reason}`);
  }

  /** Returns whether the file has the line. An import does not fail because it cannot write the list beside its file. */
  private write(line: number, reason: string): boolean {
    if (this.path === undefined || this.isUnwritable) return false;
    try {
      this.file ??= openSync(this.path, this.continued ? 'a' : 'w', 0o600);
      writeSync(this.file, `${JSON.stringify({ line, reason })}\n`);
      this.written += 1;
      return true;
    } catch (error) {
      this.isUnwritable = true;
      printError(`${this.path} cannot be written (${(error as Error).message}). The refused lines follow; --refused names another file.`);
      return false;
    }
  }

  close(): void {
    if (this.file === undefined) return;
    closeSync(this.file);
    for (const text of this.first) printError(text);
    const which = this.isUnwritable ? `The first ${this.written}` : `All ${this.count}`;
    printError(`${which} refused lines are in ${this.path ?? ''}`);
  }
}
