import { parseTokens } from '../../../http/admin-tokens.js';
import { EVENT_STORE_URL_BEGINNINGS, eventStoreUrl as checkEventStoreUrl } from '../../../platform/event-sourcing/event-store-url.js';
import { MasterKeys } from '../../../platform/key-store/master-keys.js';
import { checked, either, flag, made, text, url } from '../types.js';
import { absent, type Read, variable } from '../variable.js';

const EMBEDDED = 'embedded; needed in production';
const GENERATED = 'generated into the data folder; needed in production and with DATABASE_URL';

export const production = variable('NODE_ENV', {
  type: made(text('production, or anything else'), (value) => value === 'production'),
  default: { words: 'none', value: () => false },
  sentence: 'In production both stores, the keys and the tokens must be given, and nothing embedded is started.',
});

const inProduction = (read: Read): boolean => read(production);

export const dataDir = variable('DATA_DIR', {
  type: text('path'),
  default: absent('.data, or a folder under /var/lib where root’s clone is closed to others'),
  sentence: 'The folder of the embedded stores and of the generated keys and tokens.',
});

export const eventStoreUrl = variable('EVENT_STORE_URL', {
  type: checked(`${either(EVENT_STORE_URL_BEGINNINGS)} URL`, checkEventStoreUrl),
  default: absent(EMBEDDED),
  sentence: 'Where the event store is.',
  secret: true,
  needed: { when: inProduction, example: 'esdb://host:2113' },
  unfit: (value) =>
    /[?&]tls=false/i.test(value ?? '')
      ? {
          status: 'warning',
          found: 'the event store is reached without TLS',
          todo: 'Use tls=true, unless nobody else is on that network.',
        }
      : undefined,
});

export const databaseUrl = variable('DATABASE_URL', {
  type: url(['postgres:', 'postgresql:']),
  default: absent(EMBEDDED),
  sentence: 'PostgreSQL 14 or newer, for read models, operational state and the key store.',
  secret: true,
  needed: { when: inProduction, example: 'postgres://user:password@host/database' },
});

/** Only the embedded PostgreSQL comes with keys and tokens that were generated for it. */
const inProductionOrGiven = (read: Read): boolean => read(production) || read(databaseUrl) !== undefined;

export const masterKey = variable('MASTER_KEY', {
  type: checked('id:base64 of 32 bytes; several separated by commas, the first one current', (value) => MasterKeys.parse(value)),
  default: absent(GENERATED),
  sentence: 'Encrypts the keys and secrets in the key store.',
  secret: true,
  needed: { when: inProductionOrGiven, example: 'id:base64 of 32 random bytes' },
});

export const adminToken = variable('ADMIN_TOKEN', {
  type: checked('text of 24 characters or more; several with names: amina:…,bode:…', parseTokens),
  default: absent(GENERATED),
  sentence: 'Allows every call under /admin/v1.',
  secret: true,
  needed: { when: inProductionOrGiven, example: 'a long random text' },
});

export const auditorToken = variable('AUDITOR_TOKEN', {
  type: checked('text of 24 characters or more; several with names: amina:…,bode:…', parseTokens),
  default: absent(GENERATED),
  sentence: 'Allows every GET under /admin/v1.',
  secret: true,
  needed: { when: inProductionOrGiven, example: 'another long random text' },
  unfit: (value, read) =>
    value === read(adminToken)
      ? {
          status: 'failure',
          found: 'ADMIN_TOKEN and AUDITOR_TOKEN are the same',
          todo: 'Give auditors a token of their own: theirs must not change anything.',
        }
      : undefined,
});

export const demo = variable('DEMO', {
  type: flag,
  default: absent('true when embedded and the log is empty'),
  sentence: 'Makes the demo world at the first start.',
  unfit: (value) =>
    value === true
      ? { status: 'warning', found: 'DEMO is true', todo: 'Unset it: a demo world does not belong in production.' }
      : undefined,
});
