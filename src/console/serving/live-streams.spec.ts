import { afterEach, describe, expect, it } from '@jest/globals';
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
  const open = (fingerprint: string, session = fingerprint): OpenReply => {
    const reply = new OpenReply();
    streams.open(reply as unknown as FastifyReply, { fingerprint, session }, HOUR_MS, () => Promise.resolve({ text: 'x', last: false }));
    return reply;
  };
  const accepted = (replies: readonly OpenReply[]): readonly OpenReply[] => replies.filter(({ status }) => status === 200);
  const leave = async (replies: readonly OpenReply[]): Promise<void> => {
    for (const { raw } of replies) raw.emit('close');
    // A stream ends once its wait for the next part was aborted.
    await new Promise((resolve) => setImmediate(resolve));
  };

  afterEach(async () => {
    streams.close();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('leave room for the other sessions of a token when one session opens as many as possible', async () => {
    const own = Array.from({ length: 50 }, () => open('auditor', 'one'));
    expect(own.map(({ status }) => status)).toStrictEqual(own.map((_, number) => (number < 12 ? 200 : 503)));
    expect([open('auditor', 'other').status, open('another').status]).toStrictEqual([200, 200]);
    await leave(own.slice(0, 1));
    expect([open('auditor', 'one').status, open('auditor', 'one').status]).toStrictEqual([200, 503]);
  });

  it('leave room for other people when one person opens as many as possible in many sessions', () => {
    const own = Array.from({ length: 250 }, (_, number) => open('auditor', `session ${number}`));
    expect(accepted(own)).toHaveLength(64);
    expect(open('another').status).toBe(200);
  });

  it('are limited for all people together', () => {
    const all = Array.from({ length: 250 }, (_, number) => open(`person ${number}`));
    expect(accepted(all)).toHaveLength(200);
  });
});
