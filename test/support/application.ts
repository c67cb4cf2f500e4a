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
 * Returns the application that the specs of this Jest worker share; the first of them starts it. It contains farmers, partners and
 * references of other specs, so a spec uses ids of its own and does not change what applies to all partners, such as the price book.
 */
export async function sharedApplication(): Promise<Application> {
  const { TEST_APPLICATIONS_URL, JEST_WORKER_ID } = process.env;
  if (!TEST_APPLICATIONS_URL) throw new Error('TEST_APPLICATIONS_URL is missing: it is set where a Jest project has the global setup.');
  const settings = new URLSearchParams({ ...QUIET, ...SHARED });
  const response = await fetch(`${TEST_APPLICATIONS_URL}/${JEST_WORKER_ID ?? '1'}?${settings.toString()}`);
  if (!response.ok) throw new Error(await response.text());
  const { log, ...shown } = (await response.json()) as Shown;
  const printed = (): string => readFileSync(log, 'utf8');
  const before = printed().length;
  return { ...shown, output: () => printed().slice(before) };
}

/** Starts an application for one spec, with settings or changes that would disturb other specs. */
export async function startApplication(settings: Record<string, string> = {}): Promise<TestService> {
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
    stop: async () => {
      await stop();
      await database.drop();
    },
  });
}
