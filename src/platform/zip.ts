import { once } from 'node:events';
import { ZipFile } from 'yazl';

export interface ZippedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Yields a ZIP with the files in their order, uncompressed. It holds one file in memory at a time, and takes the next one when the pieces of
 * the last were taken. The same files and time give the same bytes. Beyond 65,534 files or 4 GiB it is a ZIP64.
 * @param changedAt ISO 8601, the time of every file; a ZIP has local times, so it is written as if this place were at UTC
 */
export async function* zipOf(files: AsyncIterable<ZippedFile>, changedAt: string): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const pieces: Buffer[] = [];
  // The library writes without regard to backpressure, so that nothing is left behind in its stream when the pieces are taken.
  zip.outputStream.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = once(zip.outputStream, 'end');
  const options = { mtime: asLocal(new Date(changedAt)), forceDosTimestamp: true, mode: 0o100644, compress: false };
  for await (const { name, bytes } of files) {
    zip.addBuffer(bytes, name, options);
    yield* pieces.splice(0);
  }
  zip.end();
  await ended;
  yield* pieces;
}

function asLocal(at: Date): Date {
  return new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds());
}
