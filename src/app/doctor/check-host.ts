import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings } from '../settings.js';
import { attempt, failure, type Finding, ok, warning } from './finding.js';

const NODE_MAJOR = 24;
const GIB = 1024 ** 3;
const FREE_WARNING = 2 * GIB;
const OTHERS = 0o077;

export function checkNode(version = process.versions.node): Finding {
  return Number(version.split('.')[0]) >= NODE_MAJOR
    ? ok('Node', version)
    : failure('Node', version, `Run it with Node ${NODE_MAJOR} or newer: npm start and npx rupa bring it along after npm ci.`);
}

/** Where embedded stores and generated secrets lie. */
export async function checkDataFolder(dataDir: string): Promise<readonly Finding[]> {
  return await attempt('data folder', `See that this user may read ${dataDir}.`, async () => {
    const secrets = join(dataDir, 'secrets.json');
    const open = existsSync(secrets) && ((await stat(secrets)).mode & OTHERS) !== 0;
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    return [
      open
        ? failure(
            'data folder',
            `${secrets} can be read by others`,
            `chmod 600 ${secrets}, and replace what is in it if others use this host.`,
          )
        : ok('data folder', dataDir),
      free < FREE_WARNING
        ? warning(
            'disk',
            `${(free / GIB).toFixed(1)} GiB free at ${dataDir}`,
            'Make room: the log only grows, and a rebuild needs a second copy of the read models.',
          )
        : ok('disk', `${(free / GIB).toFixed(1)} GiB free`),
    ];
  });
}

/** What is right while one tries things on, and wrong where partners' money is. */
export function checkProduction({
  production,
  publicUrl,
  adminToken,
  auditorToken,
  webhooks,
  eventStoreUrl,
  logLevel,
  demo,
}: Settings): readonly Finding[] {
  if (!production) return [ok('production', 'no: NODE_ENV is not production')];
  const findings = [
    adminToken === auditorToken &&
      failure(
        'production',
        'ADMIN_TOKEN and AUDITOR_TOKEN are the same',
        'Give auditors a token of their own: theirs must not change anything.',
      ),
    !publicUrl.startsWith('https://') &&
      warning(
        'production',
        `PUBLIC_URL is ${publicUrl}`,
        'Set it to the https:// address that partners use; it goes into rupa_profile_url.',
      ),
    (webhooks.allowPrivateNetworks || webhooks.allowAnyPort) &&
      failure(
        'production',
        'webhooks may reach private networks or any port',
        'Unset WEBHOOK_ALLOW_PRIVATE_NETWORKS and WEBHOOK_ALLOW_ANY_PORT: endpoints are typed in by customers.',
      ),
    /[?&]tls=false/i.test(eventStoreUrl ?? '') &&
      warning('production', 'the event store is reached without TLS', 'Use tls=true, unless nobody else is on that network.'),
    demo === true && warning('production', 'DEMO is true', 'Unset it: a demo world does not belong in production.'),
    (logLevel === 'debug' || logLevel === 'trace') &&
      warning('production', `LOG_LEVEL is ${logLevel}`, 'Set it to info: so much is logged that it costs time and disk.'),
  ].filter((finding) => finding !== false);
  return findings.length > 0 ? findings : [ok('production', 'settings are fit for it')];
}
