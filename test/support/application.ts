import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMigratedDatabase } from './database.js';
import { type Application, QUIET, startService, type TestService } from './service.js';

/** The issuer of the shared application's statements. A command that prints one needs the same settings. */
export const ISSUER = { ISSUER_NAME: 'Rupa <Data> Ltd', ISSUER_ADDRESS: '1 Marina, Lagos', ISSUER_TAX_ID: '12345678-0001' };
/** Settings that the specs with a shared application rely on. */
const SHARED = {
  COMPLIANCE_RATIO: '0.5',
  PUBLIC_URL: 'https://rupa.example',
  LOG_LEVEL: 'debug',
  ...ISSUER,
};

type Shown = Omit<Application, 'output'> & { readonly log: string };

/**
 * Settings of the application for specs that receive webhooks on this machine: a delivery is attempted twice, and soon. The time limit of
 * an attempt must not pass before a receiver on a busy machine has responded: the attempts would be counted differently.
 */
const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,0.05',
  WEBHOOK_TIMEOUT_MS: '60000',
};

/**
 * Returns the application that the specs of this Jest worker share; the first of them starts it. It contains farmers, partners and
 * references of other specs, so a spec uses ids of its own and does not change what applies to all partners, such as the price book.
 */
export async function sharedApplication(): Promise<Application> {
  return await hosted(process.env.JEST_WORKER_ID ?? '1', SHARED);
}

/** Like {@link sharedApplication}, for specs that receive webhooks. All Jest workers share it. */
export async function sharedWebhookApplication(): Promise<Application> {
  return await hosted('webhooks', WEBHOOKS);
}

async function hosted(name: string, over: Record<string, string>): Promise<Application> {
  const { TEST_APPLICATIONS_URL } = process.env;
  if (!TEST_APPLICATIONS_URL) throw new Error('TEST_APPLICATIONS_URL is missing: it is set where a Jest project has the global setup.');
  const response = await fetch(`${TEST_APPLICATIONS_URL}/${name}?${new URLSearchParams({ ...QUIET, ...over }).toString()}`);
  if (!response.ok) throw new Error(await response.text());
  const { log, ...shown } = (await response.json()) as Shown;
  const printed = (): string => readFileSync(log, 'utf8');
  const before = printed().length;
  return { ...shown, repeatsChanges: true, repeatsUnserved: true, output: () => printed().slice(before) };
}

/**
 * Starts an application for one spec, with settings or changes that would disturb other specs.
 * @param options `repeats`: no test expects 503 of a store or a read model, so a call that gets it is sent again
 */
export async function startApplication(
  settings: Record<string, string> = {},
  { repeats = settings.EVENT_STORE_URL === undefined } = {},
): Promise<TestService> {
  const database = await createMigratedDatabase();
  const service = await startService({
    DATABASE_URL: database.url,
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    ADMIN_TOKEN: randomUUID(),
    AUDITOR_TOKEN: randomUUID(),
    ...settings,
  });
  const stop = service.stop.bind(service);
  return Object.assign(service, {
    repeatsChanges: true as const,
    ...(repeats ? { repeatsUnserved: true as const } : {}),
    stop: async () => {
      await stop();
      await database.drop();
    },
  });
}
