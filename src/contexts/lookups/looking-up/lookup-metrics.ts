import { type FastifyReply } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { type SentResponse } from '../../../http/observe-requests.js';
import { type PartnerRequest } from '../../../http/authenticating/partner-context.js';
import { MODES } from '../../../kernel/accounts.js';
import { FAILING_ON_PURPOSE } from '../../farmers/public.js';
import { LIST_OUTCOMES, type ListCounts, type ListOutcome } from './lookup-payload.js';

const LOOKUP = '/v1/rupa/lookup';
const LIST = '/v1/rupa/lookups';

const OUTCOMES: ReadonlyMap<number, string> = new Map([
  [200, 'billed'],
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [402, 'insufficient_balance'],
  [403, 'forbidden'],
  [404, 'farmer_unknown'],
  [409, 'in_progress'],
  [413, 'invalid'],
  [415, 'invalid'],
  [422, 'invalid'],
  [429, 'rate_limited'],
  [499, 'caller_gone'],
  [500, 'failed'],
  [503, 'unavailable'],
]);
/** Labels of the lookups of a list that was answered. */
const LIST_LABELS: Readonly<Record<ListOutcome, string>> = {
  found: 'billed',
  not_found: 'farmer_unknown',
  not_charged: 'insufficient_balance',
  failed: 'failed',
};
const REPLAYED = 'replayed';
const OTHER = 'other';
/** A 5xx that the partner asked for by the id of a test farmer. */
const ON_PURPOSE = 'on_purpose';
const OK = 200;
const SERVER_ERROR = 500;
/** Label of calls without a key of a partner. */
const NO_PARTNER = 'none';

const counted = new WeakMap<FastifyReply, ListCounts>();

/** Notes how many lookups of a list had each outcome, which its status does not tell. */
export function noteCounts(reply: FastifyReply, counts: ListCounts): void {
  counted.set(reply, counts);
}

/**
 * Counts lookups by the status of the response, so that a lookup is counted even if a guard or the validation rejected it. The lookups of a list
 * are counted each; a list that is refused counts as one.
 */
export class LookupMetrics {
  private readonly lookups: Counter<'outcome' | 'mode'>;
  private readonly keyed: Counter<'outcome' | 'mode'>;

  constructor(registry: Registry) {
    this.lookups = new Counter({
      name: 'rupa_lookups_total',
      help: 'Lookups by outcome and mode of the partner (`none` without a valid key); `replayed` means that a stored response was sent again, unbilled, and `on_purpose` a 5xx of a test farmer. The lookups of a list are counted each',
      labelNames: ['outcome', 'mode'],
      registers: [registry],
    });
    this.keyed = new Counter({
      name: 'rupa_idempotent_lookups_total',
      help: 'Lookups with an Idempotency-Key, by outcome and mode of the partner',
      labelNames: ['outcome', 'mode'],
      registers: [registry],
    });
    for (const outcome of new Set([...OUTCOMES.values(), REPLAYED, OTHER, ON_PURPOSE])) {
      for (const mode of [...MODES, NO_PARTNER]) {
        this.lookups.inc({ outcome, mode }, 0);
        this.keyed.inc({ outcome, mode }, 0);
      }
    }
  }

  count({ route, status, request, reply }: SentResponse): void {
    if ((route !== LOOKUP && route !== LIST) || request.method !== 'POST') return;
    const mode = (request as PartnerRequest).partner?.mode ?? NO_PARTNER;
    const keyed = request.headers['idempotency-key'] !== undefined;
    const replayed = reply.hasHeader('Idempotent-Replayed');
    const onPurpose = status >= SERVER_ERROR && isOfTestFarmer(request.body);
    const outcome = onPurpose ? ON_PURPOSE : replayed ? REPLAYED : (OUTCOMES.get(status) ?? OTHER);
    const counts = status === OK ? counted.get(reply) : undefined;
    if (!counts) this.add({ outcome, mode }, keyed);
    else for (const each of LIST_OUTCOMES) this.add({ outcome: labelOf(each, replayed, request.body), mode }, keyed, counts[each]);
  }

  private add(labels: { readonly outcome: string; readonly mode: string }, keyed: boolean, lookups = 1): void {
    this.lookups.inc(labels, lookups);
    if (keyed) this.keyed.inc(labels, lookups);
  }
}

function labelOf(outcome: ListOutcome, replayed: boolean, body: unknown): string {
  if (outcome === 'found' && replayed) return REPLAYED;
  return outcome === 'failed' && isOfTestFarmer(body) ? ON_PURPOSE : LIST_LABELS[outcome];
}

function isOfTestFarmer(body: unknown): boolean {
  const { rupa_id, rupa_ids } = (body ?? {}) as { readonly rupa_id?: unknown; readonly rupa_ids?: unknown };
  const ids: readonly unknown[] = Array.isArray(rupa_ids) ? rupa_ids : [rupa_id];
  return ids.some((id) => typeof id === 'string' && FAILING_ON_PURPOSE.has(id.trim().toLowerCase()));
}
