import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { type Role, ROLES } from '../roles.js';
import { either, listOf, made, numberAboveZero, oneOf, text, url, wholeNumber } from '../types.js';
import { variable } from '../variable.js';
import { databaseUrl, eventStoreUrl, production } from './stores.js';

const MAX_PER_SECOND = 1_000_000;
const DAY_SECONDS = 86_400;

export const port = variable('PORT', {
  type: wholeNumber('port', 0, 65_535),
  default: '3000',
  sentence: 'The port that the API listens on; 0 takes any that is free.',
});

export const host = variable('HOST', {
  type: text('address'),
  default: { words: '127.0.0.1; 0.0.0.0 in production', value: (read) => (read(production) ? '0.0.0.0' : '127.0.0.1') },
  sentence: 'The address that the API listens on.',
});

export const publicUrl = variable('PUBLIC_URL', {
  type: made(url(['http:', 'https:']), (value) => value.replace(/\/+$/, '')),
  default: { words: 'http://HOST:PORT', value: (read) => `http://${read(host)}:${read(port)}` },
  sentence: 'Where partners reach the service; rupa_profile_url begins with it.',
  unfit: (value) =>
    value.startsWith('https://')
      ? undefined
      : {
          status: 'warning',
          found: `PUBLIC_URL is ${value}`,
          todo: 'Set it to the https:// address that partners use; it goes into rupa_profile_url.',
        },
});

export const roles = variable('ROLES', {
  type: made(listOf(either(ROLES), oneOf(ROLES)), (values): readonly Role[] => [...new Set(values)]),
  default: ROLES.join(','),
  sentence: 'What this process does; with embedded stores it does everything.',
  // Embedded stores live in the process that owns the data folder: no other process could take the roles that it leaves out.
  conflict: (values, read) =>
    values.length === ROLES.length || (read(eventStoreUrl) !== undefined && read(databaseUrl) !== undefined)
      ? undefined
      : 'a process with embedded stores does every role. Leave it out, or set EVENT_STORE_URL and DATABASE_URL to stores that several processes share',
});

export const waitForStoresSeconds = variable('WAIT_FOR_STORES_SECONDS', {
  type: wholeNumber('seconds', 0, DAY_SECONDS),
  default: '60',
  sentence: 'How long the start waits for stores that do not answer yet.',
});

export const readyLagSeconds = variable('READY_LAG_SECONDS', {
  type: wholeNumber('seconds', 1, DAY_SECONDS),
  default: '30',
  sentence: 'The process is not ready while an event this old is missing from the read models.',
});

export const shutdownGraceMs = variable('SHUTDOWN_GRACE_MS', {
  type: wholeNumber('milliseconds', 0, 600_000),
  default: { words: '0; 5000 in production', value: (read) => (read(production) ? 5_000 : 0) },
  sentence: 'After a signal the process goes on serving for this long and says that it is not ready, so that load balancers move on.',
});

export const complianceRatio = variable('COMPLIANCE_RATIO', {
  type: numberAboveZero('reports per lookup'),
  default: '1',
  sentence: 'How much partners are expected to report.',
});

export const livePerSecond = variable('RATE_LIMIT_LIVE_PER_SECOND', {
  type: wholeNumber('calls per second', 0, MAX_PER_SECOND),
  default: '100',
  sentence: 'Limits the calls of a live partner, on each instance; 0 is no limit.',
});

export const sandboxPerSecond = variable('RATE_LIMIT_SANDBOX_PER_SECOND', {
  type: wholeNumber('calls per second', 0, MAX_PER_SECOND),
  default: '25',
  sentence: 'Limits the calls of a sandbox partner, on each instance; 0 is no limit.',
});

export const failedAuthenticationsPerMinute = variable('RATE_LIMIT_FAILED_AUTH_PER_MINUTE', {
  type: wholeNumber('calls per minute', 0, MAX_PER_SECOND),
  default: '60',
  sentence: 'Limits the calls with a wrong key or token from one address, on each instance; 0 is no limit.',
});

export const requestTimeoutMs = variable('REQUEST_TIMEOUT_MS', {
  type: wholeNumber('milliseconds', 1_000, 300_000),
  default: '30000',
  sentence: 'The time within which a whole request, headers and body, must arrive.',
});

export const trustedProxies = variable('TRUSTED_PROXIES', {
  type: listOf(
    'addresses and CIDRs',
    z.string().refine((entry) => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry), {
      error: ({ input }) => `"${String(input)}" is neither an address nor a CIDR`,
    }),
  ),
  default: { words: 'none', value: (): readonly string[] => [] },
  sentence: 'The proxies whose X-Forwarded-For counts.',
});
