import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { bytesIn } from '../../platform/utf8.js';
import { openInput } from './input.js';

/** More than a pipe holds, and bytes of every value. */
const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

describe('the input of a command', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-input-'));
    file = join(folder, 'file');
    writeFileSync(file, CONTENT);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function namedPipe(name: string): string {
    const path = join(folder, name);
    execFileSync('mkfifo', [path]);
    return path;
  }

  it('is a file, which can be read again', async () => {
    const { stream, isFile } = openInput(file);
    expect(isFile).toBe(true);
    expect((await bytesIn(stream)).equals(CONTENT)).toBe(true);
  });

  it.each(['before', 'after'])('is all that the writer of a named pipe writes, if the writer opens the pipe %s it', async (order) => {
    const path = namedPipe(order);
    const write = () => spawn('sh', ['-c', 'exec 3>"$2"; echo; cat "$1" >&3', 'sh', file, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let input: ReturnType<typeof openInput> | undefined;
    const opened = (): ReturnType<typeof openInput> => (input ??= openInput(path));
    if (order === 'after') opened();
    const writer = write();
    const ended = once(writer, 'exit');
    // The shell's opening waits for a reader, so the pipe is opened while it waits, at the latest.
    await setImmediate();
    const { stream, isFile } = opened();
    expect(isFile).toBe(false);
    expect((await bytesIn(stream)).equals(CONTENT)).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  it('ends when it is destroyed, although nobody opens its named pipe to write', async () => {
    const { stream } = openInput(namedPipe('unwritten'));
    const reading = bytesIn(stream).catch(() => 'ended');
    await setImmediate();
    stream.destroy();
    expect(await reading).toBe('ended');
  });

  it.each(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'])('is standard input if it is named %s', (name) => {
    expect(openInput(name)).toEqual({ stream: process.stdin, isFile: false });
  });

  it('is refused if it does not exist or is a folder', () => {
    expect(() => openInput(join(folder, 'nowhere'))).toThrow(/ENOENT/);
    expect(() => openInput(folder)).toThrow(/EISDIR/);
  });
});
