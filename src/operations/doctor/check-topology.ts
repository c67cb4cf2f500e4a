import { type Settings } from '../../settings/declaration.js';
import { type Finding, ok, reasonOf, warning } from './finding.js';

const CHECK = 'topology';
const TIMEOUT_MS = 3_000;
/** As in the alert RupaAppendConflicts. */
const CONFLICTS_WARNING = 0.2;
/** With fewer appends, the share of conflicts says nothing. */
const APPENDS_NEEDED = 100;
const OF_WALLETS = 'category="wallet"';

/** Returns the address of this process's own metrics, or none if it serves none on a fixed port. */
export function ownMetrics({ metrics: { port, host } }: Pick<Settings, 'metrics'>): readonly string[] {
  if (port === undefined || port === 0) return [];
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return [`http://${address.includes(':') ? `[${address}]` : address}:${port}/metrics`];
}

/**
 * Judges by the conflicts in wallets whether the requests of a partner are spread over several APIs, as a round-robin balancer does. Counts
 * since the start of each process.
 * @param urls of the APIs' metrics; without any, nothing is checked
 */
export async function checkTopology(urls: readonly string[]): Promise<readonly Finding[]> {
  if (urls.length === 0) return [ok(CHECK, 'not checked: name the metrics of the APIs with --metrics-url')];
  const scraped = await Promise.all(urls.map(scrape));
  const texts = scraped.flatMap((result) => (typeof result === 'string' ? [result] : []));
  const unread = scraped.flatMap((result) => (typeof result === 'string' ? [] : [result]));
  return [...unread, ...(texts.length > 0 ? [ofWallets(texts)] : [])];
}

async function scrape(url: string): Promise<string | Finding> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return await response.text();
    return unreadable(url, `status ${response.status}`);
  } catch (error) {
    return unreadable(url, reasonOf(error));
  }
}

function unreadable(url: string, reason: string): Finding {
  return warning(CHECK, `${url} cannot be read: ${reason}`, 'Start that process, or correct METRICS_PORT, METRICS_HOST or --metrics-url.');
}

function ofWallets(texts: readonly string[]): Finding {
  const appends = total(texts, 'rupa_append_duration_seconds_count', OF_WALLETS);
  const conflicts = total(texts, 'rupa_append_conflicts_total', OF_WALLETS);
  const found = `${conflicts} of ${appends} appends to wallets conflicted`;
  if (appends < APPENDS_NEEDED) return ok(CHECK, `${found}, too few to judge`);
  if (conflicts / appends <= CONFLICTS_WARNING) return ok(CHECK, found);
  return warning(
    CHECK,
    `${found}: the requests of a partner meet on several APIs`,
    'Let the balancer hash on the first 15 characters of the header X-API-KEY, as ops/haproxy/haproxy.cfg does.',
  );
}

/** Sums the samples of a metric that have a label. @param label such as `category="wallet"` */
function total(texts: readonly string[], metric: string, label: string): number {
  const sample = new RegExp(`^${metric}\\{[^}]*${label}[^}]*\\} (\\S+)$`, 'gm');
  return texts.flatMap((text) => [...text.matchAll(sample)]).reduce((sum, [, value]) => sum + Number(value), 0);
}
