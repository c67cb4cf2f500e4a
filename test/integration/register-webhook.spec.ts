import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type WebhookEvent } from '../../src/contexts/webhooks/domain/events.js';
import { type EndpointUrl } from '../../src/contexts/webhooks/endpoints/endpoint-url.js';
import { RegisterWebhook, RegisterWebhookHandler } from '../../src/contexts/webhooks/endpoints/register-webhook.command.js';
import { RegisterWebhookDto } from '../../src/contexts/webhooks/endpoints/webhooks.dto.js';
import { SigningSecrets } from '../../src/contexts/webhooks/endpoints/signing-secrets.js';
import { validateBody } from '../../src/http/validating/validation.js';
import { ValidationFailed } from '../../src/kernel/validation-failed.js';
import { type Clock } from '../../src/kernel/clock.js';
import { type Ids } from '../../src/platform/ids/ids.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { streamsOf } from '../support/streams-of.js';
import { type WebhookCommand, webhookDecider, type WebhookState } from '../../src/contexts/webhooks/domain/webhook.js';

const OWNER = { partner_id: 'p1', key_id: 'k1', mode: 'live' } as const;
const ENDPOINT = validateBody(RegisterWebhookDto, { url: 'https://example.com/' });
/** The process dies before one of these steps. */
const STEPS = ['id', 'secret', 'append', 'response'] as const;

class Died extends Error {}

const CLOCK = { iso: () => '2026-03-09T00:00:00.000Z' } as Clock;

describe('a registration of an endpoint', () => {
  let database: TestDatabase;
  let pool: Pool;
  let secrets: SigningSecrets;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    // The projector creates the table, with more columns.
    await pool.query('create schema if not exists read');
    await pool.query('create table if not exists read.webhook_endpoint (partner_id text, status text)');
    secrets = new SigningSecrets(new Secrets(pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`)));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it.each(STEPS)('that ended before the step "%s" continues with the same endpoint and secret', async (dyingAt) => {
    const events: WebhookEvent[] = [];
    const states = new Map<string, WebhookState>();
    let dies = true;
    let lastId = 100 * STEPS.indexOf(dyingAt);
    const step = async <T>(name: (typeof STEPS)[number], work: () => T | Promise<T>): Promise<T> => {
      if (dies && name === dyingAt) throw new Died();
      return await work();
    };
    const urls = { check: (url: string) => Promise.resolve(url) };
    const stream = {
      load: (id: string) => Promise.resolve({ state: states.get(id) ?? webhookDecider.initialState }),
      execute: (id: string, command: WebhookCommand) =>
        step('append', () => {
          const state = states.get(id) ?? webhookDecider.initialState;
          const decided = webhookDecider.decide(command, state);
          states.set(
            id,
            decided.reduce<WebhookState>((before, event) => webhookDecider.evolve(before, { ...event, revision: 0n }), state),
          );
          events.push(...decided);
        }),
    };
    const dyingSecrets = Object.assign(Object.create(secrets) as SigningSecrets, {
      create: (endpointId: number, secretId: string) => step('secret', () => secrets.create(endpointId, secretId)),
    });
    const handler = new RegisterWebhookHandler(
      streamsOf(stream),
      dyingSecrets,
      urls as unknown as EndpointUrl,
      { next: () => step('id', () => (lastId += 1)) } as unknown as Ids,
      CLOCK,
      { waitFor: () => step('response', () => true) } as unknown as ReadModels,
      pool,
    );
    const operationId = randomUUID();
    const run = () => handler.execute(new RegisterWebhook(OWNER, ENDPOINT, operationId));
    await expect(run()).rejects.toBeInstanceOf(Died);
    dies = false;
    // The host may have got other addresses since the URL was checked.
    if (dyingAt === 'response') urls.check = () => Promise.reject(new ValidationFailed({ url: ['refused now'] }));
    const [first, second] = [await run(), await run()];
    expect(second).toEqual(first);
    expect(events).toMatchObject([{ type: 'WebhookRegistered', data: { endpoint_id: first.endpoint_id, secret_id: operationId } }]);
    expect(await secrets.read(first.endpoint_id, { current: operationId, replaced: [] })).toEqual([first.signing_secret]);
    urls.check = (url: string) => Promise.resolve(url);
    const other = await handler.execute(new RegisterWebhook(OWNER, ENDPOINT, randomUUID()));
    expect(other.endpoint_id).not.toBe(first.endpoint_id);
  });
});
