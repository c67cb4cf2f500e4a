import { describe, expect, it } from '@jest/globals';
import { failure, ok, scriptedFetch, type Step } from '../../test/support/unit/scripted-fetch.js';
import { InsufficientBalanceError, type Progress, RupaClient } from './index.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `rp-${index}`);

interface Sent {
  readonly key: string | null;
  readonly body: { readonly rupa_ids?: string[]; readonly reports?: object[] };
}

/** Returns a client of a small server that finds every farmer and records every report, after the steps of a script. */
function clientOf(...script: Step[]) {
  const sent: Sent[] = [];
  const serve = ((_url: string, init: RequestInit) => {
    const body = JSON.parse(init.body as string) as Sent['body'];
    sent.push({ key: new Headers(init.headers).get('Idempotency-Key'), body });
    const step = script.shift();
    if (step instanceof Error) return Promise.reject(step);
    if (step instanceof Response) return Promise.resolve(step);
    const results =
      body.rupa_ids?.map((rupa_id) => ({ rupa_id, outcome: 'found' })) ?? body.reports?.map((_, index) => ({ index, outcome: 'created' }));
    return Promise.resolve(ok({ results, summary: { requested: results?.length } }));
  }) as typeof globalThis.fetch;
  const sleep = (): Promise<void> => Promise.resolve();
  return { client: new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch: serve, sleep, maxRetries: 1 }), sent };
}

describe('a run of many calls', () => {
  it('sends chunks of 100 with a key each, and yields the results in the order of the items', async () => {
    const { client, sent } = clientOf();
    const seen: Progress[] = [];
    const run = client.lookUpAll(ids(250), { runId: 'march', sections: ['identity'], source: 'credit', onProgress: (at) => seen.push(at) });
    const results = await Array.fromAsync(run);
    expect(results.map(({ rupa_id }) => rupa_id)).toStrictEqual(ids(250));
    expect(sent.map(({ key, body }) => [key, body.rupa_ids?.length])).toStrictEqual([
      ['march-0', 100],
      ['march-1', 100],
      ['march-2', 50],
    ]);
    expect(sent[0]?.body).toMatchObject({ sections: ['identity'], source: 'credit' });
    expect(seen).toStrictEqual([
      { chunk: 0, items: 100 },
      { chunk: 1, items: 200 },
      { chunk: 2, items: 250 },
    ]);
  });

  it('sends the same key in every attempt, and in a run that is resumed from a chunk', async () => {
    const { client, sent } = clientOf(failure(503, 'unavailable'), ok({ results: [], summary: {} }), failure(402, 'insufficient_balance'));
    const error = await Array.fromAsync(client.lookUpAll(ids(30), { runId: 'r', chunkSize: 10 })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InsufficientBalanceError);
    expect(error).toMatchObject({ chunk: 1, idempotencyKey: 'r-1' });
    const resumed = await Array.fromAsync(client.lookUpAll(ids(30), { runId: 'r', chunkSize: 10, fromChunk: 1 }).chunks());
    expect(resumed.map(({ chunk, first, results }) => [chunk, first, results.length])).toStrictEqual([
      [1, 10, 10],
      [2, 20, 10],
    ]);
    expect(sent.map(({ key }) => key)).toStrictEqual(['r-0', 'r-0', 'r-1', 'r-1', 'r-2']);
    expect(sent[3]?.body.rupa_ids).toStrictEqual(ids(20).slice(10));
  });

  it('has a name of its own each time unless it is given one', async () => {
    const { client, sent } = clientOf();
    for (let run = 0; run < 2; run += 1) await Array.fromAsync(client.lookUpAll(['rp-1']));
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('reads 100,000 ids only as fast as they are sent', async () => {
    const { client, sent } = clientOf();
    let [read, most] = [0, 0];
    const source = async function* (): AsyncGenerator<string> {
      for (; read < 100_000; read += 1) {
        most = Math.max(most, read - sent.length * 100);
        yield await Promise.resolve(`rp-${read}`);
      }
    };
    let found = 0;
    for await (const { results } of client.lookUpAll(source()).chunks()) found += results.length;
    expect([found, sent.length]).toStrictEqual([100_000, 1_000]);
    expect(most).toBeLessThanOrEqual(101);
  });

  it('has smaller chunks of large reports, so that no body is larger than 1 MiB', async () => {
    const { client, sent } = clientOf();
    const report = { rupa_id: 'rp-1', event: 'loan_repayment', payload: { note: 'é'.repeat(8_000) } } as const;
    const results = await Array.fromAsync(client.reportAll(Array.from({ length: 150 }, () => report)));
    expect(results).toHaveLength(150);
    for (const { body } of sent) expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(1024 * 1024);
    expect(sent.length).toBe(3);
  });

  it('ends with the reason of its signal between chunks', async () => {
    const { client, sent } = clientOf();
    const controller = new AbortController();
    const run = client.lookUpAll(ids(30), { chunkSize: 10, signal: controller.signal });
    const read = async (): Promise<void> => {
      for await (const { chunk } of run.chunks()) if (chunk === 0) controller.abort(new Error('stopped'));
    };
    await expect(read()).rejects.toThrow('stopped');
    expect(sent).toHaveLength(1);
  });

  it.each([
    [{ chunkSize: 0 }, 'chunkSize is 0, but must be a whole number from 1 to 100.'],
    [{ chunkSize: 101 }, 'chunkSize is 101'],
    [{ fromChunk: -1 }, 'fromChunk is -1, but must be a whole number from 0.'],
    [{ runId: 'März' }, 'runId must have'],
  ])('refuses the options %j', (options, message) => {
    const { fetch } = scriptedFetch();
    const client = new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch });
    expect(() => client.lookUpAll([], options)).toThrow(message);
  });
});
