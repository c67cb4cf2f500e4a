import { setTimeout as delay } from 'node:timers/promises';
import { type SeenCredit, type SeenLookup, seenOfList } from './ledger-invariants.js';
import { type Random } from './random.js';
import { type TestService } from './service.js';
import { until } from './until.js';

/** A process of the service that is killed and started again. */
export interface Target {
  readonly service: TestService;
  up: boolean;
  /** The number of starts of the process. */
  generation: number;
}

interface SentLookup {
  readonly source: string;
  readonly key: string | undefined;
  /** The farmers of a list. */
  readonly rupa_ids: readonly string[] | undefined;
  readonly statuses: number[];
  readonly responses: string[];
  readonly respondedBy: { readonly target: Target; readonly generation: number }[];
}

const SECTIONS = ['identity'];
const NGN_A_CREDIT = 10;
/** Milliseconds between two requests of a client while a process is down, or after a response other than 200. */
const PAUSE_MS = 25;

/**
 * Clients of one partner that send requests and record every response. They pause only while something fails, when responses are refusals or
 * come from the other process: more of them show nothing more, and take the processor time that a process needs to come back.
 */
export class Load {
  private readonly lookups: SentLookup[] = [];
  private readonly unanswered: SentLookup[] = [];
  private readonly credits: { reference: string; amount_kobo: number; acknowledged: boolean }[] = [];
  private readonly waiting = new Set<() => void>();
  private stopping = false;
  private working: Promise<unknown> = Promise.resolve();

  /**
   * @param onResponse is called with the responding process for every successful response to a lookup
   * @param onAny is called with the status and the headers of every response
   * @param listed farmers whom lists look up; without any, there are no lists
   */
  constructor(
    readonly partner: { readonly partner_id: string; readonly key: string },
    private readonly targets: readonly Target[],
    private readonly random: Random,
    private readonly onResponse: (target: Target) => void,
    private readonly onAny: (status: number, headers: Headers) => void = () => undefined,
    private readonly listed: readonly string[] = [],
  ) {}

  start(workers: number): void {
    this.working = Promise.all([this.creditForever(), ...Array.from({ length: workers }, () => this.lookUpForever())]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.targetIsUp();
    await this.working;
  }

  /** Must be called when a target is up again. */
  targetIsUp(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Sends every lookup with a key again until it gets a response, which may be the stored one. */
  async fetchAll(): Promise<void> {
    const keyed = this.lookups.filter(({ key }) => key !== undefined);
    const workers = Array.from({ length: 16 }, async () => {
      for (let lookup = keyed.pop(); lookup; lookup = keyed.pop()) {
        const again = lookup;
        await until(async () => (await this.send(again)) === 200);
      }
    });
    await Promise.all(workers);
  }

  seenLookups(): SeenLookup[] {
    return this.lookups.flatMap(({ source, key, rupa_ids, statuses, responses, respondedBy }) => {
      const responderHindered = respondedBy.some(({ target, generation }) => generation < target.generation);
      const seen = { source, keyed: key !== undefined, statuses, responses, responderHindered };
      return rupa_ids ? seenOfList(seen, rupa_ids, false) : [seen];
    });
  }

  seenCredits(): SeenCredit[] {
    return this.credits;
  }

  private async lookUpForever(): Promise<void> {
    while (!this.stopping) {
      const lookup = this.random.chance(0.1) ? (this.unanswered.shift() ?? this.next()) : this.next();
      const status = await this.send(lookup);
      if (lookup.key !== undefined && status !== 200) this.unanswered.push(lookup);
      else if (lookup.key !== undefined && this.random.chance(0.1)) await this.send(lookup);
      await this.pauseIfFailing(status === 200);
    }
  }

  private async creditForever(): Promise<void> {
    while (!this.stopping) {
      const credit = { reference: `credit-${this.credits.length}`, amount_kobo: NGN_A_CREDIT * 100, acknowledged: false };
      this.credits.push(credit);
      await this.credit(credit);
    }
  }

  private async credit(credit: { reference: string; acknowledged: boolean }): Promise<void> {
    while (!credit.acknowledged && !this.stopping) {
      const target = await this.someTarget();
      const headers = { Authorization: `Bearer ${target.service.adminToken}` };
      const { status } = await this.post(target, `/admin/v1/partners/${this.partner.partner_id}/wallet/credits`, headers, {
        amount: NGN_A_CREDIT,
        reference: credit.reference,
      });
      credit.acknowledged = status === 200 || status === 201;
      await this.pauseIfFailing(credit.acknowledged);
    }
  }

  private async pauseIfFailing(hasSucceeded: boolean): Promise<void> {
    if (!hasSucceeded || this.targets.some(({ up }) => !up)) await delay(PAUSE_MS);
  }

  private next(): SentLookup {
    const source = `${this.partner.partner_id}-${this.lookups.length}`;
    const key = this.random.chance(0.6) ? `key-${source}` : undefined;
    const rupa_ids = this.listed.length > 0 && this.random.chance(0.4) ? this.listed : undefined;
    const lookup = { source, key, rupa_ids, statuses: [], responses: [], respondedBy: [] };
    this.lookups.push(lookup);
    return lookup;
  }

  private async send(lookup: SentLookup): Promise<number> {
    const target = await this.someTarget();
    const { generation } = target;
    const headers = { 'X-API-KEY': this.partner.key, ...(lookup.key === undefined ? {} : { 'Idempotency-Key': lookup.key }) };
    const body = { sections: SECTIONS, source: lookup.source };
    const { status, text } = lookup.rupa_ids
      ? await this.post(target, '/v1/rupa/lookups', headers, { ...body, rupa_ids: lookup.rupa_ids })
      : await this.post(target, '/v1/rupa/lookup', headers, { ...body, rupa_id: 'rp-1' });
    lookup.statuses.push(status);
    if (status === 200) {
      lookup.responses.push(text);
      lookup.respondedBy.push({ target, generation });
      this.onResponse(target);
    }
    return status;
  }

  private async someTarget(): Promise<Target> {
    for (;;) {
      const up = this.targets.filter((target) => target.up);
      if (up.length > 0) return this.random.pick(up);
      await new Promise<void>((resolve) => {
        this.waiting.add(resolve);
      });
    }
  }

  /** Posts a JSON body. Status 0 means that no complete response arrived. */
  private async post(
    { service }: Target,
    path: string,
    headers: Record<string, string>,
    body: object,
  ): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      this.onAny(response.status, response.headers);
      return { status: response.status, text: await response.text() };
    } catch {
      return { status: 0, text: '' };
    }
  }
}
