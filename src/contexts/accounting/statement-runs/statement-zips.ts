import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { ApiError } from '../../../http/errors/api-error.js';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { PdfThread } from '../../../http/pages/pdf/pdf-thread.js';
import { type ListedStatement, MANIFEST_FILE, manifestOf, manifestText } from '../domain/statements/statement-manifest.js';
import { type StatementFormat } from '../statements/statements.dto.js';
import { type StatementRun } from './get-statement-run.query.js';
import { StatementFiles } from './statement-files.js';
import { once } from 'node:events';
import { ZipFile } from 'yazl';

const BUSY =
  'The statements of a month are being sent to somebody else, and a process makes those of one month at a time. Please retry later.';

/** Sends all statements of a closed month as a ZIP, to one caller at a time. */
@Injectable()
export class StatementZips {
  private sending: PdfThread | undefined;

  constructor(
    private readonly bodies: LargeBodies,
    private readonly files: StatementFiles,
  ) {}

  /**
   * Returns the body of a response. Each statement is made when the client has taken the ones before, and a client that leaves ends the work.
   * @throws ApiError `unavailable` while another ZIP is being sent
   */
  async body(reply: FastifyReply, run: StatementRun, format: StatementFormat): Promise<Body> {
    if (this.sending) throw new ApiError('unavailable', { message: BUSY });
    const thread = new PdfThread();
    this.sending = thread;
    const source = {
      [Symbol.asyncDispose]: (): Promise<void> => {
        if (this.sending === thread) this.sending = undefined;
        thread[Symbol.dispose]();
        return Promise.resolve();
      },
    };
    const { mode, period, recorded_at } = run.closed;
    const body = await this.bodies.bytes(reply, source, zipOf(this.zipped(run, format, thread), recorded_at));
    const name = `statements-${mode}-${period}-${format}.zip`;
    reply.headers({ 'Content-Disposition': `attachment; filename="${name}"`, 'Cache-Control': 'no-store' }).type('application/zip');
    return body;
  }

  private async *zipped(run: StatementRun, format: StatementFormat, thread: PdfThread): AsyncGenerator<ZippedFile> {
    const statements: ListedStatement[] = [];
    for (const partner of run.partners) {
      const made = await this.files.of(run, partner, format, (paper) => thread.pdf(paper));
      if (!made) continue;
      statements.push(made.listed);
      yield { name: made.listed.file, bytes: made.bytes };
    }
    yield { name: MANIFEST_FILE, bytes: Buffer.from(manifestText(manifestOf(run.closed, format, statements))) };
  }
}

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
