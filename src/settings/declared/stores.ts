import { parseTokens, shareToken } from '../../http/authenticating/admin-tokens.js';
import { EVENT_STORE_URL_PREFIXES, eventStoreUrl as checkEventStoreUrl } from '../../platform/event-sourcing/event-store-url.js';
import { nearest } from '../../kernel/nearest-name.js';
import { isDatabaseUrl } from '../../platform/database/pool.js';
import { MasterKeys } from '../../platform/key-store/master-keys.js';
import { checked, either, flag, mapped, text, url } from '../types.js';
import { noDefault, type Read, variable } from '../variable.js';

const EMBEDDED = 'embedded; required in production';
const GENERATED = 'generated into the data folder; required in production and with DATABASE_URL';

export const production = variable('NODE_ENV', {
  type: mapped(text('production, or anything else'), (value) => value === 'production'),
  default: { words: 'none', value: () => false },
  description: 'With `production`, the URLs of both stores, the master key and the tokens must be set, and no embedded store is started.',
});

const inProduction = (read: Read): boolean => read(production);

export const dataDir = variable('DATA_DIR', {
  type: text('path'),
  default: noDefault('.data; for root, a folder under /var/lib if other users cannot enter the project folder'),
  description: 'Folder of the embedded stores and of the generated keys and tokens.',
});

export const eventStoreUrl = variable('EVENT_STORE_URL', {
  type: checked(`${either(EVENT_STORE_URL_PREFIXES)} URL`, checkEventStoreUrl),
  default: noDefault(EMBEDDED),
  description:
    'Connection string of the event store. Options that it leaves out are set to nodePreference=leader, gossipTimeout=1 (seconds), discoveryInterval=100, keepAliveInterval=1000 and keepAliveTimeout=2000 (milliseconds); see event-stores.md.',
  secret: true,
  required: { when: inProduction, example: 'esdb://host:2113' },
  productionAdvice: (value) =>
    /[?&]tls=false/i.test(value ?? '')
      ? {
          status: 'warning',
          found: 'the event store is reached without TLS',
          todo: 'Use tls=true, unless the network is private to this service.',
        }
      : undefined,
});

/** Options of a PostgreSQL URL without which it has no TLS, or not the one that is meant. The driver ignores options that it does not know. */
const TLS_OPTIONS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];
/** Options of other clients, with names that are near to those. */
const OTHER_OPTIONS = ['sslcrl', 'sslsni'];

function misspeltOption(databaseUrl: string): string | undefined {
  for (const [, name = ''] of databaseUrl.matchAll(/[?&]([^=&]+)=/g)) {
    const meant = TLS_OPTIONS.includes(name) || OTHER_OPTIONS.includes(name) ? undefined : nearest(name.toLowerCase(), TLS_OPTIONS);
    if (meant !== undefined) return `its option ${name} does not exist and would be ignored. Write ${meant}`;
  }
  return undefined;
}

export const databaseUrl = variable('DATABASE_URL', {
  type: url(['postgres:', 'postgresql:'], isDatabaseUrl),
  conflict: (value) => (value === undefined ? undefined : misspeltOption(value)),
  default: noDefault(EMBEDDED),
  description: 'URL of a database in PostgreSQL 14 or newer, for read models, operational state and the key store.',
  secret: true,
  required: { when: inProduction, example: 'postgres://user:password@host/database' },
});

/** Keys and tokens are generated only for the embedded PostgreSQL. */
const inProductionOrGiven = (read: Read): boolean => read(production) || read(databaseUrl) !== undefined;

export const masterKey = variable('MASTER_KEY', {
  type: checked('id:base64 of 32 bytes; several separated by commas, the first is the current one', (value) => MasterKeys.parse(value)),
  default: noDefault(GENERATED),
  description: 'Master keys, which encrypt the data keys and secrets in the key store.',
  secret: true,
  required: { when: inProductionOrGiven, example: 'id:base64 of 32 random bytes' },
});

export const adminToken = variable('ADMIN_TOKEN', {
  type: checked('text of 24 characters or more; several with names: amina:…,bode:…', parseTokens),
  default: noDefault(GENERATED),
  description: 'Bearer tokens for every call under /admin/v1.',
  secret: true,
  required: { when: inProductionOrGiven, example: 'a long random text' },
});

export const auditorToken = variable('AUDITOR_TOKEN', {
  type: checked('text of 24 characters or more; several with names: amina:…,bode:…', parseTokens),
  default: noDefault(GENERATED),
  description:
    'Bearer tokens for every GET under /admin/v1 without farmers’ personal data, and for reconciliations with a bank. They must differ from those of ADMIN_TOKEN.',
  secret: true,
  required: { when: inProductionOrGiven, example: 'another long random text' },
  conflict: (value, read) => {
    const admin = read(adminToken);
    return value !== undefined && admin !== undefined && shareToken(admin, value)
      ? 'it contains a token of ADMIN_TOKEN. Give auditors a different one, because with that token they could change everything'
      : undefined;
  },
});

export const demo = variable('DEMO', {
  type: flag,
  default: noDefault('true when embedded and the log is empty'),
  description: 'Creates the demo world, three sandbox partners and their farmers, at the first start.',
  productionAdvice: (value) =>
    value === true
      ? { status: 'warning', found: 'DEMO is true', todo: 'Unset it: a demo world does not belong in production.' }
      : undefined,
});
