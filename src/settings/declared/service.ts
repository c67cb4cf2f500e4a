import { either, listenAddress, listOf, mapped, networks, numberAboveZero, oneOf, type Role, ROLES, url, wholeNumber } from '../types.js';
import { variable } from '../variable.js';
import { databaseUrl, eventStoreUrl, production } from './stores.js';

const MAX_PER_SECOND = 1_000_000;
const DAY_SECONDS = 86_400;

export const port = variable('PORT', {
  type: wholeNumber('port', 0, 65_535),
  default: '3000',
  description: 'Port that the API, or without it the health endpoints, listens on. 0 chooses a free port.',
});

export const host = variable('HOST', {
  type: listenAddress,
  default: { words: '127.0.0.1; 0.0.0.0 in production', value: (read) => (read(production) ? '0.0.0.0' : '127.0.0.1') },
  description: 'Address that the API, or without it the health endpoints, listens on.',
});

function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

// People see these URLs, so that a password in one would be public.
const baseUrl = mapped(
  url(['http:', 'https:']).refine((value) => !/[?#]|^https?:\/\/[^/]*@/.test(value), {
    error: 'it must have no user, password, query or fragment',
  }),
  (value) => value.replace(/\/+$/, ''),
);

export const publicUrl = variable('PUBLIC_URL', {
  type: baseUrl,
  default: { words: 'http://HOST:PORT', value: (read) => `http://${inUrl(read(host))}:${read(port)}` },
  description:
    'Base URL under which partners reach the service. rupa_profile_url begins with it, and the first start takes the origin of the log’s checkpoints from it.',
  productionAdvice: (value) =>
    value.startsWith('https://')
      ? undefined
      : {
          status: 'warning',
          found: `PUBLIC_URL is ${value}`,
          todo: 'Set it to the https:// address that partners use, because rupa_profile_url begins with it.',
        },
});

export const consoleUrl = variable('CONSOLE_URL', {
  type: baseUrl,
  default: { words: 'PUBLIC_URL', value: (read) => read(publicUrl) },
  description: 'Base URL under which people reach the console, if that is another one. An OpenID provider sends them back there.',
});

export const roles = variable('ROLES', {
  type: mapped(listOf(either(ROLES), oneOf(ROLES)), (values): readonly Role[] => [...new Set(values)]),
  default: ROLES.join(','),
  description:
    'Roles that this process runs. A process with embedded stores runs all but `console`, which may be left out. Only a process with the role `api` serves the console.',
  // Embedded stores belong to the process that owns the data folder, so no other process could run the remaining roles.
  conflict: (values, read) =>
    ROLES.every((role) => role === 'console' || values.includes(role)) ||
    (read(eventStoreUrl) !== undefined && read(databaseUrl) !== undefined)
      ? undefined
      : 'a process with embedded stores runs the roles api, projector and webhooks. Unset ROLES, or set EVENT_STORE_URL and DATABASE_URL to stores that several processes share',
});

export const waitForStoresSeconds = variable('WAIT_FOR_STORES_SECONDS', {
  type: wholeNumber('seconds', 0, DAY_SECONDS),
  default: '60',
  description: 'How long the service waits at start for stores that do not answer yet.',
});

export const readyLagSeconds = variable('READY_LAG_SECONDS', {
  type: wholeNumber('seconds', 1, DAY_SECONDS),
  default: '30',
  description: 'The process reports that it is degraded while the read models lag behind the log by more than this.',
});

export const maxStalenessSeconds = variable('MAX_STALENESS_SECONDS', {
  type: wholeNumber('seconds', 1, DAY_SECONDS),
  default: '900',
  description:
    'Lookups are refused while a read model that they need lacks an event of another process which is older than this. What the process itself has recorded counts at once. Webhooks about farmers wait while the read model of consents or of erasures lacks an event which is older than this.',
});

export const shutdownGraceMs = variable('SHUTDOWN_GRACE_MS', {
  type: wholeNumber('milliseconds', 0, 600_000),
  default: { words: '0; 5000 in production', value: (read) => (read(production) ? 5_000 : 0) },
  description:
    'How long the process keeps serving after a stop signal. It reports that it is not ready, so that load balancers take it out of rotation.',
});

export const checkpointEverySeconds = variable('CHECKPOINT_EVERY', {
  type: wholeNumber('seconds', 1, 30 * DAY_SECONDS),
  default: '3600',
  description: 'Seconds between two signed checkpoints of the log (docs/audit.md). None is signed while nothing is appended.',
});

export const complianceRatio = variable('COMPLIANCE_RATIO', {
  type: numberAboveZero('reports per lookup'),
  default: '1',
  description: 'Number of reports that a partner is expected to contribute per lookup.',
});

export const livePerSecond = variable('RATE_LIMIT_LIVE_PER_SECOND', {
  type: wholeNumber('calls per second', 0, MAX_PER_SECOND),
  default: '100',
  description: 'Rate limit of each live partner, on each instance. 0 means no limit.',
});

export const sandboxPerSecond = variable('RATE_LIMIT_SANDBOX_PER_SECOND', {
  type: wholeNumber('calls per second', 0, MAX_PER_SECOND),
  default: '25',
  description: 'Rate limit of each sandbox partner, on each instance. 0 means no limit.',
});

export const failedAuthenticationsPerMinute = variable('RATE_LIMIT_FAILED_AUTH_PER_MINUTE', {
  type: wholeNumber('calls per minute', 0, MAX_PER_SECOND),
  default: '60',
  description: 'Rate limit for failed authentications from one address, on each instance (docs/security.md). 0 means no limit.',
});

export const requestTimeoutMs = variable('REQUEST_TIMEOUT_MS', {
  type: wholeNumber('milliseconds', 1_000, 300_000),
  default: '30000',
  description: 'Time within which the headers and the body of a request must arrive.',
});

export const maxConnectionsPerAddress = variable('MAX_CONNECTIONS_PER_ADDRESS', {
  type: wholeNumber('connections', 0, 4_096),
  default: '256',
  description:
    'Connections that an address, or an IPv6 /64 network, may have open to each instance. It does not apply to TRUSTED_PROXIES. 0 means no limit.',
});

export const trustedProxies = variable('TRUSTED_PROXIES', {
  type: networks(),
  default: { words: 'none', value: (): readonly string[] => [] },
  description: 'Proxies whose X-Forwarded-For header is trusted.',
  // The service does not speak TLS itself, so a proxy is in front of an https:// address.
  productionAdvice: (value, read) =>
    value.length === 0 && read(roles).includes('api') && read(publicUrl).startsWith('https://')
      ? {
          status: 'warning',
          found: 'TRUSTED_PROXIES is empty, although a proxy ends TLS in front of PUBLIC_URL',
          todo: 'Set it to the address of that proxy: limits of addresses count all callers as one otherwise.',
        }
      : undefined,
});
