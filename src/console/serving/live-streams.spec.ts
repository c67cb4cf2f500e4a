import { describe, expect, it } from '@jest/globals';
import { type FastifyReply } from 'fastify';
import { EventEmitter } from 'node:events';
import { LiveStreams } from './live-streams.js';

/** A response whose browser stays until it leaves. */
class OpenReply {
  status = 0;
  readonly raw = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    writeHead: (status: number) => (this.status = status),
    write: () => true,
    end: () => undefined,
  });

  code(status: number): this {
    this.status = status;
    return this;
  }

  header(): this {
    return this;
  }

  send(): void {
    // Only the status counts.
  }

  hijack(): void {
    // The stream writes to `raw`.
  }

  getHeaders(): Record<string, string> {
    return {};
  }
}

const HOUR_MS = 3_600_000;

describe('the live streams of the console', () => {
  const streams = new LiveStreams();
  const open = (holder: string): OpenReply => {
    const reply = new OpenReply();
    streams.open(reply as unknown as FastifyReply, holder, HOUR_MS, () => Promise.resolve({ text: 'x', last: false }));
    return reply;
  };

  it('leave room for others when one person opens as many as possible, and are free again when a browser leaves', async () => {
    const own = Array.from({ length: 250 }, () => open('auditor'));
    const accepted = own.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(own.slice(accepted.length).map(({ status }) => status)).toStrictEqual(own.slice(accepted.length).map(() => 503));
    expect(open('another').status).toBe(200);
    accepted[0]?.raw.emit('close');
    // The stream ends once its wait for the next part was aborted.
    await new Promise((resolve) => setImmediate(resolve));
    expect([open('auditor').status, open('auditor').status]).toStrictEqual([200, 503]);
    const others = Array.from({ length: 250 }, (_, number) => open(`person ${number}`));
    expect(others.filter(({ status }) => status === 200).length + accepted.length + 1).toBe(200);
    streams.close();
  });
});
