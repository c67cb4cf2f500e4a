/** Writes a line, or several. Text of the stores in it must be {@link printable}, or it could pretend to be a line of its own. */
export function printLine(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** Writes text without a line break, such as the content of a file. */
export function printText(text: string): void {
  process.stdout.write(process.stdout.isTTY ? terminalText(text) : text);
}

/** Writes a line to standard error. */
export function printError(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`);
}

/** Characters with which text of the stores could move a terminal's cursor, change its state or order, or break the line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes control characters, bidirectional overrides and the like as JSON does, such as `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    character.split('').reduce((escaped, unit) => `${escaped}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, ''),
  );
}

/** Makes every line {@link printable}. JSON stays the same JSON. */
export function terminalText(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}
