import { Counter, type Registry } from 'prom-client';
import { type SentResponse } from '../../../http/observe-requests.js';
import { type PartnerRequest } from '../../../http/authenticating/partner-context.js';
import { MODES } from '../../../kernel/accounts.js';
import { FAILING_ON_PURPOSE } from '../../farmers/public.js';

const LOOKUP = '/v1/rupa/lookup';

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
const REPLAYED = 'replayed';
const OTHER = 'other';
/** A 5xx that the partner asked for by the id of a test farmer. */
const ON_PURPOSE = 'on_purpose';
const SERVER_ERROR = 500;
/** Label of calls without a key of a partner. */
const NO_PARTNER = 'none';

/** Counts lookups by the status of the response, so that a lookup is counted even if a guard or the validation rejected it. */
export class LookupMetrics {
  private readonly lookups: Counter<'outcome' | 'mode'>;
  private readonly keyed: Counter<'outcome' | 'mode'>;

  constructor(registry: Registry) {
    this.lookups = new Counter({
      name: 'rupa_lookups_total',
      help: 'Lookups by outcome and mode of the partner (`none` without a valid key); `replayed` means that a stored response was sent again, unbilled, and `on_purpose` a 5xx of a test farmer',
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
    if (route !== LOOKUP || request.method !== 'POST') return;
    const keyed = request.headers['idempotency-key'] !== undefined;
    const replayed = reply.hasHeader('Idempotent-Replayed');
    const onPurpose = status >= SERVER_ERROR && isOfTestFarmer(request.body);
    const outcome = onPurpose ? ON_PURPOSE : replayed ? REPLAYED : (OUTCOMES.get(status) ?? OTHER);
    const mode = (request as PartnerRequest).partner?.mode ?? NO_PARTNER;
    this.lookups.inc({ outcome, mode });
    if (keyed) this.keyed.inc({ outcome, mode });
  }
}

function isOfTestFarmer(body: unknown): boolean {
  const { rupa_id } = (body ?? {}) as { readonly rupa_id?: unknown };
  return typeof rupa_id === 'string' && FAILING_ON_PURPOSE.has(rupa_id.trim().toLowerCase());
}
