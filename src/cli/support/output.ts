import { Option } from 'commander';
import { type RupaCommand } from '../rupa-command.js';

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

/** The values of the options that {@link addFormats} adds. */
export interface FormatOptions<Format extends string> {
  readonly format: Format;
  readonly json?: true | undefined;
}

/** Adds the options of a command that prints in several formats, of which the first is the default. Programs may ask for JSON by either. */
export function addFormats(command: RupaCommand, formats: readonly string[]): RupaCommand {
  return command
    .addOption(new Option('--format <format>', 'output format').choices(formats).default(formats[0]))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'));
}

export function formatOf<Format extends string>({ format, json }: FormatOptions<Format>): Format | 'json' {
  return json ? 'json' : format;
}
