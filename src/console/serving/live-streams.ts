import { type FastifyReply } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';

/** Text of a part of a page, or undefined to end the stream. */
type Read = () => Promise<{ readonly text: string; readonly last: boolean } | undefined>;

/** Streams that may be open at once in this process; a browser reconnects to one that was refused. */
const MAX_OPEN = 200;
/** Streams that one person, or all who share a token, may have open, so that many sessions of one person do not take those of others. */
const MAX_OPEN_OF_PERSON = 64;
/** Streams that one session may have open, so that one of those who share a token does not take those of the others. */
const MAX_OPEN_OF_SESSION = 12;
/** Milliseconds that a browser waits before it connects again. */
const RETRY_MS = 3_000;

/** Whose stream it is. */
interface Holder {
  readonly fingerprint: string;
  readonly session: string;
}

/** The open streams of server-sent events. They end when the service stops, so that its connections can close. */
export class LiveStreams {
  private readonly open_ = new Map<AbortController, Holder>();

  /**
   * Sends what `read` returns, now and every `everyMs` milliseconds when it has changed, until the browser leaves.
   * @param holder the person and the session that the stream counts for
   */
  open(reply: FastifyReply, { fingerprint, session }: Holder, everyMs: number, read: Read): void {
    const ofPerson = [...this.open_.values()].filter((each) => each.fingerprint === fingerprint);
    const ofSession = ofPerson.filter((each) => each.session === session);
    if (ofSession.length >= MAX_OPEN_OF_SESSION || ofPerson.length >= MAX_OPEN_OF_PERSON || this.open_.size >= MAX_OPEN) {
      void reply.code(503).header('Retry-After', '5').send();
      return;
    }
    const ended = new AbortController();
    this.open_.set(ended, { fingerprint, session });
    reply.hijack();
    const { raw } = reply;
    raw.once('close', () => {
      ended.abort();
    });
    raw.writeHead(200, { ...plainHeaders(reply), 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    raw.write(`retry: ${RETRY_MS}\n\n`);
    void this.pump(raw, everyMs, read, ended.signal).finally(() => {
      this.open_.delete(ended);
      raw.end();
    });
  }

  close(): void {
    for (const each of this.open_.keys()) each.abort();
  }

  private async pump(raw: FastifyReply['raw'], everyMs: number, read: Read, ended: AbortSignal): Promise<void> {
    let before = '';
    try {
      while (!ended.aborted) {
        const part = await read();
        if (!part) return;
        const { text, last } = part;
        // A browser that does not take its events gets the next one after it has taken this one.
        if (text !== before && !raw.writableNeedDrain) {
          raw.write(`data: ${text.replaceAll('\n', '\ndata: ')}\n\n`);
          before = text;
        }
        if (last) {
          raw.write('event: last\ndata: \n\n');
          return;
        }
        await delay(everyMs, undefined, { signal: ended });
      }
    } catch {
      // The browser connects again, and the page that it then reads says what is wrong.
    }
  }
}

function plainHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
