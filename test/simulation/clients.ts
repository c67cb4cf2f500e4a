import { type CreditKind } from '../../src/contexts/wallet/domain/events.js';
import { type Seen, type SeenCorrection, type SeenCredit, type SeenLookup, seenOfList } from '../support/ledger-invariants.js';
import { FakeReply } from './fake-reply.js';
import { type Instance } from './instance.js';
import { type Booked } from './months-kept.js';
import { type World } from './world.js';

export interface LookupPlan {
  readonly source: string;
  /** More than one for a list. */
  readonly rupa_ids: readonly string[];
  readonly allow_partial: boolean;
  readonly key: string | undefined;
  /** Milliseconds after which the client closes the connection. */
  readonly timeoutMs: number;
}

interface ClientResponse {
  /** Status of the HTTP response; 0 if none arrived. */
  readonly status: number;
  readonly payload: string;
}

interface ObservedLookup {
  readonly plan: LookupPlan;
  readonly statuses: number[];
  readonly responses: string[];
  /** The instances that handed over a response with status 200, and when. */
  readonly handedOver: { readonly by: Instance; readonly at: number }[];
}

/** Kinds of credits by reference; the others are payments. */
const KINDS: ReadonlyMap<string, CreditKind> = new Map([
  ['r2', 'goodwill'],
  ['r3', 'correction'],
]);

const NO_RESPONSE: ClientResponse = { status: 0, payload: '' };
const FINAL_STATUSES = [200, 402, 404, 422];
const FINAL_REJECTIONS = [
  'reference_reused',
  'credit_not_reversible',
  'payout_too_high',
  'lookup_unknown',
  'charge_open',
  'charge_refunded',
  'entry_reference_reused',
  'entry_not_reversible',
  'entry_in_closed_period',
  'owed_less_than_amount',
  'period_unknown',
  'period_out_of_order',
];

/** Returns what the partner saw of a lookup, or of each lookup of a list. A lookup of a list that is not charged counts as one that got 402. */
function seenLookups({ plan, statuses, responses, handedOver }: ObservedLookup): SeenLookup[] {
  const seen = {
    source: plan.source,
    keyed: plan.key !== undefined,
    statuses,
    responses,
    responderHindered: handedOver.some(({ by, at }) => by.process.wasLostAt(at)),
    handedOver: handedOver.length > 0,
  };
  if (plan.rupa_ids.length === 1) return [seen];
  return seenOfList(seen, plan.rupa_ids, plan.allow_partial);
}

/** The clients of the partner and the administrator. They send requests and record the responses. */
export class Clients {
  private readonly lookups = new Map<string, ObservedLookup>();
  private readonly corrections: SeenCorrection[] = [];
  /** The entries of the books and the closes of months that a response confirmed. */
  readonly booked: Booked[] = [];
  private readonly credits: { reference: string; amount_kobo: number; acknowledged: boolean }[] = [];

  constructor(private readonly world: World) {}

  /** Sends a lookup. With a key, it retries until the status is final or the attempts are used up. */
  async lookUp(plan: LookupPlan, attempts: number): Promise<void> {
    const observed = this.lookups.get(plan.source) ?? { plan, statuses: [], responses: [], handedOver: [] };
    this.lookups.set(plan.source, observed);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const { status, payload } = await this.request(observed);
      observed.statuses.push(status);
      if (status === 200) observed.responses.push(payload);
      this.world.trace(`client ${plan.source}: ${status || 'no response'}`);
      if (FINAL_STATUSES.includes(status) || plan.key === undefined) return;
      await this.wait(this.world.random.between(200, 8_000));
    }
  }

  /** Retries every keyed lookup. After all failures have ended, each must get its stored response or a new one. */
  async retryKeyedLookups(): Promise<void> {
    const keyed = [...this.lookups.values()].filter(({ plan }) => plan.key !== undefined);
    await Promise.all(keyed.map(({ plan }) => this.lookUp({ ...plan, timeoutMs: 60_000 }, 20)));
  }

  /** Sends a credit until it is acknowledged, refused, or the attempts are used up. */
  async credit(reference: string, amount_kobo: number, attempts: number): Promise<void> {
    const credit = { reference, amount_kobo, acknowledged: false };
    this.credits.push(credit);
    for (let attempt = 1; attempt <= attempts && !credit.acknowledged; attempt += 1) {
      const instance = this.anyInstance();
      const isReused = (error: unknown): boolean => (error as { code?: string }).code === 'reference_reused';
      const outcome =
        instance &&
        (await Promise.race([
          instance.credit(amount_kobo, reference, KINDS.get(reference) ?? 'payment').then(
            () => 'acknowledged',
            (error: unknown) => (isReused(error) ? 'refused' : 'failed'),
          ),
          new Promise<string>((resolve) => {
            this.world.onKilled(instance.process, () => {
              resolve('failed');
            });
          }),
        ]));
      this.world.trace(`credit ${reference} ${amount_kobo}: ${outcome ?? 'no instance is running'}`);
      credit.acknowledged = outcome === 'acknowledged';
      if (outcome === 'refused') return;
      await this.wait(this.world.random.between(200, 8_000));
    }
  }

  /** Reverses a credit, or a part of it, until the reversal is confirmed, rejected, or the attempts are used up. */
  async reverse(creditReference: string, amountKobo: number | null, reference: string, attempts: number): Promise<void> {
    await this.correct(attempts, `reverse ${creditReference}`, async (instance) => {
      const { reversed_kobo, created } = await instance.reverse(creditReference, amountKobo, reference);
      this.corrections.push({ type: 'CreditReversed', id: reference, amount_kobo: reversed_kobo, created });
    });
  }

  /** Pays out until that is confirmed, rejected, or the attempts are used up. */
  async payOut(amountKobo: number, reference: string, attempts: number): Promise<void> {
    await this.correct(attempts, `pay out ${reference}`, async (instance) => {
      const { created } = await instance.payOut(amountKobo, reference);
      this.corrections.push({ type: 'WalletPaidOut', id: reference, amount_kobo: amountKobo, created });
    });
  }

  /** Compensates a lookup until that is confirmed, rejected, or the attempts are used up. */
  async compensate(lookupId: string, attempts: number): Promise<void> {
    await this.correct(attempts, 'compensate a lookup', async (instance) => {
      const { amount_kobo, created } = await instance.compensate(lookupId);
      this.corrections.push({ type: 'LookupCompensated', id: lookupId, amount_kobo, created });
    });
  }

  /** Posts an entry of the books until that is confirmed, rejected, or the attempts are used up. */
  async post(entry: Readonly<Record<string, unknown>>, attempts: number): Promise<void> {
    await this.correct(attempts, `post ${String(entry.reference)}`, async (instance) => {
      const { reference, recorded_at, created } = await instance.post(entry);
      this.booked.push({ key: `${reference} ${recorded_at}`, created });
    });
  }

  /** Closes a month until that is confirmed, rejected, or the attempts are used up. Returns whether it has an outcome. */
  async closeMonth(month: string, attempts: number): Promise<boolean> {
    return await this.correct(attempts, `close ${month}`, async (instance) => {
      const { closed, created } = await instance.closeMonth(month);
      this.booked.push({ key: `${closed.period} ${closed.recorded_at}`, created });
    });
  }

  private async correct(attempts: number, what: string, send: (instance: Instance) => Promise<void>): Promise<boolean> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const instance = this.anyInstance();
      const outcome =
        instance &&
        (await Promise.race([
          send(instance).then(
            () => 'confirmed',
            (error: unknown) => (FINAL_REJECTIONS.includes((error as { code?: string }).code ?? '') ? 'rejected' : 'failed'),
          ),
          new Promise<string>((resolve) => {
            this.world.onKilled(instance.process, () => {
              resolve('failed');
            });
          }),
        ]));
      this.world.trace(`${what}: ${outcome ?? 'no instance is running'}`);
      if (outcome === 'confirmed' || outcome === 'rejected') return true;
      await this.wait(this.world.random.between(200, 8_000));
    }
    return false;
  }

  seen(): Seen & { readonly lookups: readonly SeenLookup[]; readonly credits: readonly SeenCredit[] } {
    const lookups = [...this.lookups.values()].flatMap(seenLookups);
    return { lookups, credits: this.credits, corrections: this.corrections };
  }

  private async request(observed: ObservedLookup): Promise<ClientResponse> {
    const { world } = this;
    const { scheduler, random } = world;
    const { rupa_ids, allow_partial, source, key, timeoutMs } = observed.plan;
    const [rupa_id = ''] = rupa_ids;
    const body = rupa_ids.length === 1 ? { rupa_id, source } : { rupa_ids, allow_partial, source };
    return await new Promise<ClientResponse>((resolve) => {
      const resolveSoon = (response: ClientResponse): void => {
        scheduler.after(random.between(1, 10), () => {
          resolve(response);
        });
      };
      const instance = this.anyInstance();
      if (!instance) {
        resolveSoon(NO_RESPONSE);
        return;
      }
      world.trace(`client ${source} calls ${instance.process.name}${key === undefined ? '' : ' with a key'}`);
      const reply = new FakeReply((status, payload) => {
        if (status === 200) observed.handedOver.push({ by: instance, at: scheduler.now });
        // If the connection was closed before, the response does not arrive.
        if (!reply.raw.destroyed)
          scheduler.after(random.between(1, 10), () => {
            resolve({ status, payload });
          });
      });
      world.onKilled(instance.process, () => {
        resolve(NO_RESPONSE);
      });
      scheduler.after(random.between(1, 10), () => {
        instance.process.deliver('message', () => void instance.lookUp(body, key, reply));
      });
      scheduler.after(timeoutMs, () => {
        instance.process.deliver('message', () => {
          reply.hangUp();
        });
        resolveSoon(NO_RESPONSE);
      });
    });
  }

  private anyInstance(): Instance | undefined {
    const { running } = this.world;
    return running.length === 0 ? undefined : this.world.random.pick(running);
  }

  private async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.world.scheduler.after(ms, resolve);
    });
  }
}
