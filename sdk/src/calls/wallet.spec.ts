import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ExportedEntry, RupaClient, RupaConnectionError, RupaUnexpectedResponseError } from '../index.js';

const line = (revision: number): string => `${JSON.stringify({ stream: 'wallet-1', revision })}\n`;

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server) await once(server, 'close');
  server = undefined;
});

/** Starts a service whose exports are written by the function, and returns an export with the response that it is read from. */
async function exportOf(write: (response: ServerResponse) => void, signal?: AbortSignal) {
  const started = createServer();
  server = started;
  const response = new Promise<ServerResponse>((resolve) => {
    started.on('request', (_request, sent) => {
      sent.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      write(sent);
      resolve(sent);
    });
  });
  await once(started.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  const entries = new RupaClient({ apiKey: 'k', baseUrl }).wallet.export({ maxRetries: 0, ...(signal ? { signal } : {}) });
  return { entries, response };
}

async function revisionsOf(entries: AsyncIterable<ExportedEntry>, found: number[]): Promise<void> {
  for await (const { revision } of entries) found.push(revision);
}

describe('an export', () => {
  it('yields the entries, however their bytes arrive', async () => {
    const { entries } = await exportOf((response) => {
      const text = line(0) + line(1) + line(2);
      response.write(text.slice(0, 50));
      response.end(text.slice(50).trimEnd());
    });
    const found: number[] = [];
    await revisionsOf(entries, found);
    expect(found).toStrictEqual([0, 1, 2]);
  });

  it('ends with the reason of the signal while it waits for the next entry', async () => {
    const controller = new AbortController();
    const { entries, response } = await exportOf((sent) => sent.write(line(0)), controller.signal);
    expect((await entries.next()).value).toMatchObject({ revision: 0 });
    const closed = once(await response, 'close');
    const next = entries.next();
    controller.abort(new Error('shutting down'));
    await expect(next).rejects.toThrow('shutting down');
    await closed;
  });

  it('closes its connection at the signal, also while nobody reads it', async () => {
    const controller = new AbortController();
    const { entries, response } = await exportOf((sent) => sent.write(line(0)), controller.signal);
    await entries.next();
    const closed = once(await response, 'close');
    controller.abort(new Error('shutting down'));
    await closed;
    await expect(entries.next()).rejects.toThrow('shutting down');
  });

  it('yields no entry after the signal, even if it has arrived', async () => {
    const controller = new AbortController();
    const { entries } = await exportOf((sent) => sent.end(line(0) + line(1)), controller.signal);
    await entries.next();
    controller.abort(new Error('shutting down'));
    await expect(entries.next()).rejects.toThrow('shutting down');
  });

  it('closes its connection when the loop is left', async () => {
    const { entries, response } = await exportOf((sent) => sent.write(line(0)));
    await entries.next();
    const closed = once(await response, 'close');
    await entries.return();
    await closed;
  });

  it('ends with a RupaConnectionError if the connection is lost', async () => {
    const { entries, response } = await exportOf((sent) => sent.write(line(0)));
    const found: number[] = [];
    const read = revisionsOf(entries, found);
    (await response).destroy();
    await expect(read).rejects.toThrow(RupaConnectionError);
  });

  it('ends with a RupaConnectionError if its last entry is incomplete', async () => {
    const { entries } = await exportOf((sent) => sent.end(line(0) + line(1).slice(0, 20)));
    const found: number[] = [];
    const error: unknown = await revisionsOf(entries, found).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RupaConnectionError);
    expect((error as Error).message).toBe('The export was cut off in the middle of an entry.');
    expect(found).toStrictEqual([0]);
  });

  it('ends with a RupaUnexpectedResponseError if it is no text', async () => {
    const { entries } = await exportOf((sent) => sent.end(Buffer.from([0xff, 0x0a])));
    await expect(entries.next()).rejects.toThrow(RupaUnexpectedResponseError);
  });
});
