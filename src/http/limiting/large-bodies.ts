import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { type Logger } from 'pino';
import { CallEnded, Shares } from '../../platform/database/sharing/shares.js';
import { LOGGER } from '../../platform/injection-tokens.js';
import { currentRequest } from '../../platform/tracing/request-context.js';
import { ApiError } from '../errors/api-error.js';
import { ENVELOPE_TYPE, type Success } from '../envelope.js';
import { HttpMetrics } from '../observe-requests.js';
import { jsonText, type Unread } from '../validating/json-text.js';
import { type PartnerRequest } from '../authenticating/partner-context.js';

const TOO_MANY = 'Too many large responses are being read. Please retry with backoff.';

@Injectable()
export class LargeBodyLimits {
  /** Characters or bytes that are sent at a time. A body of fewer is small. */
  readonly chunkLength: number = 64 * 1024;
  /** Large bodies that are sent to administrators and auditors at once. Each may hold one of the pool's connections. */
  readonly maxAtOnce: number = 4;
  /** Large bodies that are sent to partners at once, so that partners that read slowly keep none from auditors. */
  readonly maxAtOnceToPartners: number = 4;
  /** Large bodies that are sent to one partner at once. */
  readonly maxAtOnceToPartner: number = 1;
  /** Bodies of lines whose beginning is read at once, before it is known whether they are large. */
  readonly maxOpening: number = 4;
  /** Bodies of lines whose beginning is read at once for one caller. */
  readonly maxOpeningPerCaller: number = 2;
  /** Milliseconds that a call waits until the beginning of its lines is read. */
  readonly openingMs: number = 10_000;
  /** Milliseconds in which the next chunk must have been read. */
  readonly readMs: number = 20_000;
  /** Milliseconds in which the client must have taken a chunk. */
  readonly takenMs: number = 30_000;
}

export const JSON_LINES_TYPE = 'application/x-ndjson';

/** A part of a body: text, or bytes. */
type Piece = string | Buffer;

/** The body of a response: its text or bytes, or a stream that is read while the client takes it. */
export type Body = Piece | Readable;

/**
 * Sends bodies of any size. A small one is sent at once, and an error while it is read becomes an error response. Of a larger one, no more is
 * read than the client takes; if that fails, the connection is closed, so that the client does not take the beginning for the whole.
 */
@Injectable()
export class LargeBodies {
  /** The partner of each body that is being sent; null for administrators and auditors. */
  private readonly sending: (string | null)[] = [];
  private readonly opening: Shares;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly limits: LargeBodyLimits,
    private readonly metrics: HttpMetrics,
  ) {
    this.opening = new Shares(limits.maxOpening, limits.maxOpeningPerCaller, limits.openingMs);
  }

  /** Returns the JSON of `data` in the envelope of a success. @param source is disposed of at the end, in any case */
  async json<T extends object>(reply: FastifyReply, source: AsyncDisposable, data: Unread<T>): Promise<Body> {
    const envelope: Unread<Success<T>> = { success: true, data };
    const body = await this.text(reply, source, jsonText(envelope));
    reply.type(ENVELOPE_TYPE);
    return body;
  }

  /**
   * Returns a body that consists of pieces of text. Headers that describe it are set afterwards, because an error response may come instead.
   * @param source is disposed of at the end, in any case
   * @throws ApiError `unavailable` if the body is large, and too many of these are being sent
   */
  async text(reply: FastifyReply, source: AsyncDisposable, pieces: AsyncIterable<string>): Promise<Body> {
    return await this.body(
      reply,
      source,
      inChunks(pieces, this.limits.chunkLength, (texts) => texts.join('')),
    );
  }

  /** Returns a body that consists of pieces of bytes, like {@link text}. */
  async bytes(reply: FastifyReply, source: AsyncDisposable, pieces: AsyncIterable<Buffer>): Promise<Body> {
    return await this.body(
      reply,
      source,
      inChunks(pieces, this.limits.chunkLength, (buffers) => Buffer.concat(buffers)),
    );
  }

  /**
   * Returns a body of JSON lines, as a file to download. Lines come from the event store, which lookups need, too, so the beginnings of few
   * are read at once, and none of a call whose caller is gone.
   * @param lines is disposed of at the end if it was begun
   * @throws CallEnded, and what {@link text} throws
   */
  async lines(reply: FastifyReply, lines: AsyncIterable<string> & AsyncDisposable, fileName: string): Promise<Body> {
    const giveBack = await this.turnToOpen();
    const body = await this.text(reply, lines, lines).finally(giveBack);
    reply.headers({ 'Content-Disposition': `attachment; filename="${fileName}"`, 'Cache-Control': 'no-store' });
    reply.type(`${JSON_LINES_TYPE}; charset=utf-8`);
    return body;
  }

  private async turnToOpen(): Promise<() => void> {
    const call = currentRequest()?.call;
    try {
      return await this.opening.take(call?.caller ?? '', call);
    } catch (error) {
      throw error instanceof CallEnded ? error : new ApiError('unavailable', { message: TOO_MANY });
    }
  }

  private async body(reply: FastifyReply, source: AsyncDisposable, chunks: AsyncGenerator<Piece>): Promise<Body> {
    try {
      const [first, second] = [await chunks.next(), await chunks.next()];
      if (second.done) {
        await close(source);
        return first.done ? '' : first.value;
      }
      if (!this.mayBegin(partnerOf(reply))) throw new ApiError('unavailable', { message: TOO_MANY });
      // The caller may have disconnected or got an error response meanwhile. The response to a HEAD request has no body.
      if (reply.sent || reply.raw.closed || reply.request.method === 'HEAD') {
        await close(source);
        return Readable.from([]);
      }
      return this.stream(reply, source, startingWith<Piece>([first.value, second.value], chunks));
    } catch (error) {
      await close(source);
      throw error;
    }
  }

  private mayBegin(partner: string | null): boolean {
    const { maxAtOnce, maxAtOnceToPartners, maxAtOnceToPartner } = this.limits;
    const [toPartners, toOthers] = [this.sending.filter((each) => each !== null), this.sending.filter((each) => each === null)];
    if (partner === null) return toOthers.length < maxAtOnce;
    return toPartners.length < maxAtOnceToPartners && toPartners.filter((each) => each === partner).length < maxAtOnceToPartner;
  }

  private stream(reply: FastifyReply, source: AsyncDisposable, chunks: AsyncGenerator<Piece>): Readable {
    const { readMs, takenMs } = this.limits;
    const stream: Readable = Readable.from(
      inTime(chunks, readMs, takenMs, () => {
        reply.raw.destroy();
        this.metrics.connectionClosed('unread_response');
      }),
      { objectMode: false, highWaterMark: 1 },
    );
    const partner = partnerOf(reply);
    this.sending.push(partner);
    stream.once('close', () => {
      this.sending.splice(this.sending.indexOf(partner), 1);
      void close(source);
    });
    stream.once('error', (error) => {
      // The client has got a 200, so the status counts only for the log and the metrics.
      reply.raw.statusCode = 500;
      const { method, routeOptions, id } = reply.request;
      this.logger.error({ err: error, method, route: routeOptions.url, correlation_id: id }, 'a large response was cut off');
    });
    // Fastify would not destroy a stream whose response it has not started to send, such as one that a hook has replaced.
    reply.raw.once('close', () => stream.destroy());
    return stream;
  }
}

function partnerOf({ request }: FastifyReply): string | null {
  return (request as PartnerRequest).partner?.partner_id ?? null;
}

/** Yields the pieces joined to chunks of at least `length` characters or bytes, except for the last one. */
async function* inChunks<Of extends Piece>(pieces: AsyncIterable<Of>, length: number, joined: (pieces: Of[]) => Of): AsyncGenerator<Of> {
  let [chunk, size]: [Of[], number] = [[], 0];
  for await (const piece of pieces) {
    chunk.push(piece);
    size += piece.length;
    if (size < length) continue;
    yield joined(chunk);
    [chunk, size] = [[], 0];
  }
  if (size > 0) yield joined(chunk);
}

async function* startingWith<Of>(first: readonly Of[], rest: AsyncGenerator<Of>): AsyncGenerator<Of> {
  yield* first;
  yield* rest;
}

/**
 * Yields the chunks. @throws Error if reading one takes longer than `readMs`
 * @param onUnread is called if a chunk is not taken within `takenMs`
 */
async function* inTime<Of>(chunks: AsyncGenerator<Of>, readMs: number, takenMs: number, onUnread: () => void): AsyncGenerator<Of> {
  for (;;) {
    const chunk = await within(readMs, chunks.next());
    if (chunk.done) return;
    const late = setTimeout(onUnread, takenMs);
    try {
      yield chunk.value;
    } finally {
      clearTimeout(late);
    }
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error('The next part of the response could not be read in time.'));
  }, ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function close(source: AsyncDisposable): Promise<void> {
  await source[Symbol.asyncDispose]();
}
