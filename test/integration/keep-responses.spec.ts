import { type CallHandler, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import pino from 'pino';
import { from, lastValueFrom } from 'rxjs';
import { KeepResponsesInterceptor } from '../../src/contexts/idempotency/keep-responses.js';
import { ResponseKey, StoredResponses } from '../../src/contexts/idempotency/stored-responses.js';
import { ApiError } from '../../src/http/errors/api-error.js';
import { ValidationFailed } from '../../src/kernel/validation-failed.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { StoreUnavailable } from '../../src/platform/event-sourcing/event-store.js';
import { StreamContended } from '../../src/platform/event-sourcing/writing/batch.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { type Secrets } from '../../src/platform/key-store/secrets.js';
import { NotYetInForce } from '../../src/platform/projecting/in-memory/in-force.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { until } from '../support/until.js';
import { rowMacs } from '../support/row-macs.js';

const Refused = Rejection<'refused'>;
const QUIET = pino({ level: 'silent' });

describe('a kept response', () => {
  let database: TestDatabase;
  let pool: Pool;
  let responses: StoredResponses;
  const stored = new Map<string, Buffer>();
  const secrets = {
    get: (name: string) => Promise.resolve(stored.get(name)),
    add: (name: string, secret: Buffer) => {
      if (!stored.has(name)) stored.set(name, secret);
      return Promise.resolve();
    },
  };

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    responses = new StoredResponses(pool, {} as unknown as DataKeys, new ResponseKey(secrets as unknown as Secrets), rowMacs);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Sends a request whose handler gets the operation id. */
  async function send(key: string, handle: (operationId: string) => Promise<object>): Promise<unknown> {
    const request: Record<string, unknown> = {
      partner: { partner_id: 'p1' },
      method: 'POST',
      url: '/v1/rupa/webhooks',
      headers: { 'idempotency-key': key },
      body: { url: 'x' },
    };
    const reply = { header: () => reply, type: () => reply };
    const context = {
      getHandler: () => send,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
    } as unknown as ExecutionContext;
    const next: CallHandler = { handle: () => from(Promise.resolve().then(() => handle(String(request.operationId)))) };
    return await lastValueFrom(await new KeepResponsesInterceptor(responses, QUIET, new Reflector()).intercept(context, next));
  }

  it('is encrypted at rest, and read by another instance', async () => {
    const secret = { signing_secret: 'whsec_very-secret' };
    expect(await send('k1', () => Promise.resolve(secret))).toBe(JSON.stringify(secret));
    const { rows } = await pool.query<{ response: string }>('select response from ops.stored_response');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.response).toMatch(/^v1:/);
    expect(Buffer.from(rows[0]?.response.slice(3) ?? '', 'base64').toString('latin1')).not.toContain('whsec_');
    responses = new StoredResponses(pool, {} as unknown as DataKeys, new ResponseKey(secrets as unknown as Secrets), rowMacs);
    expect(await send('k1', () => Promise.reject(new Error('must not run again')))).toBe(JSON.stringify(secret));
  });

  it('is missing after a process died, and the request then runs again with the same operation id', async () => {
    const ids: string[] = [];
    const died = send('k2', (id) => {
      ids.push(id);
      return new Promise(() => undefined);
    });
    died.catch(() => undefined);
    await until(() => ids.length === 1);
    await expect(send('k2', () => Promise.resolve({}))).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    await pool.query(`update ops.stored_response set leased_until = now() - interval '1 second' where response is null`);
    const again = async (): Promise<unknown> =>
      await send('k2', (id) => {
        ids.push(id);
        return Promise.resolve({ done: true });
      });
    expect([await again(), await again()]).toStrictEqual(['{"done":true}', '{"done":true}']);
    expect(ids).toStrictEqual([ids[0], ids[0]]);
  });

  it.each([
    ['runs', 'idempotency_in_progress'],
    ['has just failed', 'idempotency_in_progress'],
    ['has been executed', 'stored'],
  ])('is not taken from a request that %s by a statement that began before it', async (now, expected) => {
    const early = await pool.connect();
    try {
      // Within a transaction, PostgreSQL's now() stays at its beginning, as it does while a statement waits for another one's row.
      await early.query('begin');
      const key = { partner_id: 'p1', key: `crossed ${now}`, rupa_id: '', request_hash: 'body' };
      const first = await responses.begin(key);
      if (first.kind !== 'first') throw new Error('The key was used before.');
      if (now === 'has just failed') await responses.abandon(first.lease);
      if (expected === 'stored') await responses.store(first.lease, 'response');
      const late = new StoredResponses(
        early as unknown as Pool,
        {} as unknown as DataKeys,
        new ResponseKey(secrets as unknown as Secrets),
        rowMacs,
      );
      const outcome = late.begin(key).then(
        ({ kind }) => kind,
        (error: unknown) => (error as ApiError).code,
      );
      expect(await outcome).toBe(expected);
    } finally {
      await early.query('rollback');
      early.release();
    }
  });

  describe('of a request that failed', () => {
    /** Fails a request, then sends it again; returns the operation ids of both. */
    async function idsOf(key: string, failure: Error): Promise<string[]> {
      const ids: string[] = [];
      const failing = send(key, (id) => {
        ids.push(id);
        return Promise.reject(failure);
      });
      await expect(failing).rejects.toBe(failure);
      const again = await send(key, (id) => {
        ids.push(id);
        return Promise.resolve({ ok: 1 });
      });
      expect(again).toBe('{"ok":1}');
      return ids;
    }

    it.each([
      ['the event store was away', new StoreUnavailable('away')],
      ['others wrote to the stream', new StreamContended('busy')],
      ['its change is not yet in force', new NotYetInForce('Behind.', 'Wait.')],
      ['the service was busy', new ApiError('unavailable')],
      ['the service is at fault', new TypeError('a fault')],
    ])('because %s does not exist, and the repetition has the same operation id', async (reason, failure) => {
      const [first, second] = await idsOf(reason, failure);
      expect(second).toBe(first);
    });

    it.each([
      ['its content', new ValidationFailed({ amount: ['wrong'] })],
      ['a rule', new Refused('refused')],
      ['a conflict', new ApiError('conflict')],
    ])('because of %s does not exist, and leaves the key free', async (reason, failure) => {
      const [first, second] = await idsOf(reason, failure);
      expect(second).not.toBe(first);
    });
  });
});
