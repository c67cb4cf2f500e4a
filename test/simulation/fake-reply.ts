import { type FastifyReply } from 'fastify';
import { Writable } from 'node:stream';

/** Simulates Fastify's reply object. */
export class FakeReply {
  sent = false;
  /** Discards the bytes. The tests only need the time at which they were handed over. */
  readonly raw = Object.assign(
    new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    }),
    { statusCode: 200 },
  );
  private readonly headers = new Map<string, unknown>();

  constructor(private readonly handedOver: (status: number, payload: string, replayed: boolean) => void) {
    this.raw.on('error', () => undefined);
  }

  get reply(): FastifyReply {
    return this as unknown as FastifyReply;
  }

  type(): this {
    return this;
  }

  header(name: string, value: unknown): this {
    this.headers.set(name, value);
    return this;
  }

  status(code: number): this {
    if (!this.sent) this.raw.statusCode = code;
    return this;
  }

  /** Sends the response. A second response is ignored, as Fastify does. */
  send(payload: unknown): void {
    if (this.sent) return;
    this.sent = true;
    this.handedOver(
      this.raw.statusCode,
      typeof payload === 'string' ? payload : JSON.stringify(payload),
      this.headers.has('Idempotent-Replayed'),
    );
    if (!this.raw.destroyed) this.raw.end();
  }

  /** Closes the connection from the client's side. */
  hangUp(): void {
    this.raw.destroy();
  }
}
