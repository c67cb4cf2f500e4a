import { MAX_PER_PAGE, type Page } from '../../http/validating/paging.js';
import { textIn } from '../../platform/utf8.js';
import { type Command } from 'commander';
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';

/** Names of standard input. The devices cannot be opened if standard input is a socket, as it is below some supervisors. */
const STANDARD_INPUT: readonly string[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** A file, a pipe or standard input that a command reads. Only a file can be read again. */
export interface Input {
  readonly stream: Readable;
  /** Whether it is a file, whose content is there from the beginning. */
  readonly isFile: boolean;
}

/**
 * Opens what the argument of a command names. Destroying its stream ends any wait for it.
 * @throws Error of the file system
 */
export function openInput(path: string): Input {
  if (STANDARD_INPUT.includes(path)) return { stream: process.stdin, isFile: false };
  // Without O_NONBLOCK, the opening of a named pipe waits for its writer in a thread that nothing can interrupt.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const kind = fstatSync(fd);
    if (kind.isDirectory()) throw new Error('EISDIR: it is a folder');
    if (isatty(fd)) return { stream: new ReadStream(fd), isFile: false };
    if (kind.isFIFO()) return { stream: new Socket({ fd, readable: true, writable: false }), isFile: false };
    return { stream: createReadStream('', { fd }), isFile: kind.isFile() };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Ends the command as wrong usage, with a sentence that names the argument `file` as Commander names arguments. */
export function wrongFile(command: Command, file: string, reason: string): never {
  return command.error(`error: command-argument value '${file}' is invalid for argument 'file'. ${reason}`, {
    code: 'commander.invalidArgument',
  });
}

/** Reads a file as text, which must be UTF-8. A file that cannot be read is wrong usage. */
export async function textOfFile(command: Command, file: string): Promise<string> {
  try {
    return await textIn(openInput(file).stream);
  } catch (error) {
    return wrongFile(command, file, `It cannot be read: ${(error as Error).message}`);
  }
}

/** Reads all pages of a list. */
export async function everyPage<Item>(read: (limit: number, cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(MAX_PER_PAGE, cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
