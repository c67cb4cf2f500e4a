import { type SeenCredit, type SeenLookup } from './ledger-invariants.js';
import { type Random } from './random.js';
import { type TestService } from './service.js';
import { until } from './until.js';

/** A process of the service that is killed and started again. */
export interface Target {
  readonly service: TestService;
  up: boolean;
  /** How often it was started. */
  generation: number;
}

interface Look {
  readonly source: string;
  readonly key: string | undefined;
  readonly statuses: number[];
  readonly answers: string[];
  readonly answeredBy: { readonly target: Target; readonly generation: number }[];
}

const BODY = { rupa_id: 'rp-1', sections: ['identity'] };
const NGN_A_CREDIT = 10;

/** Programs of one partner that never stop asking, and that remember everything they were answered. */
export class Load {
  private readonly looks: Look[] = [];
  private readonly unanswered: Look[] = [];
  private readonly credits: { reference: string; amount_kobo: number; acknowledged: boolean }[] = [];
  private readonly waiting = new Set<() => void>();
  private stopping = false;
  private working: Promise<unknown> = Promise.resolve();

  /** @param onResponse Called with whoever answered, at every answer to a lookup. */
  constructor(
    readonly partner: { readonly partner_id: string; readonly key: string },
    private readonly targets: readonly Target[],
    private readonly random: Random,
    private readonly onResponse: (target: Target) => void,
  ) {}

  start(workers: number): void {
    this.working = Promise.all([this.creditForEver(), ...Array.from({ length: workers }, () => this.askForEver())]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.targetIsUp();
    await this.working;
  }

  /** To be called when one is up again. */
  targetIsUp(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Every key gets its answer in the end; those that had one get it again. */
  async fetchAll(): Promise<void> {
    const keyed = this.looks.filter(({ key }) => key !== undefined);
    const workers = Array.from({ length: 16 }, async () => {
      for (let look = keyed.pop(); look; look = keyed.pop()) {
        const again = look;
        await until(async () => (await this.ask(again)) === 200);
      }
    });
    await Promise.all(workers);
  }

  seenLookups(): SeenLookup[] {
    return this.looks.map(({ source, key, statuses, answers, answeredBy }) => ({
      source,
      keyed: key !== undefined,
      statuses,
      answers,
      answererHindered: answeredBy.some(({ target, generation }) => generation < target.generation),
    }));
  }

  seenCredits(): SeenCredit[] {
    return this.credits;
  }

  private async askForEver(): Promise<void> {
    while (!this.stopping) {
      const look = this.random.chance(0.1) ? (this.unanswered.shift() ?? this.next()) : this.next();
      const status = await this.ask(look);
      if (look.key !== undefined && status !== 200) this.unanswered.push(look);
      else if (look.key !== undefined && this.random.chance(0.1)) await this.ask(look);
    }
  }

  private async creditForEver(): Promise<void> {
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
      const { status } = await post(target, `/admin/v1/partners/${this.partner.partner_id}/wallet/credits`, headers, {
        amount: NGN_A_CREDIT,
        reference: credit.reference,
      });
      credit.acknowledged = status === 200 || status === 201;
    }
  }

  private next(): Look {
    const source = `${this.partner.partner_id}-${this.looks.length}`;
    const look = { source, key: this.random.chance(0.6) ? `key-${source}` : undefined, statuses: [], answers: [], answeredBy: [] };
    this.looks.push(look);
    return look;
  }

  private async ask(look: Look): Promise<number> {
    const target = await this.someTarget();
    const { generation } = target;
    const headers = { 'X-API-KEY': this.partner.key, ...(look.key === undefined ? {} : { 'Idempotency-Key': look.key }) };
    const { status, text } = await post(target, '/v1/rupa/lookup', headers, { ...BODY, source: look.source });
    look.statuses.push(status);
    if (status === 200) {
      look.answers.push(text);
      look.answeredBy.push({ target, generation });
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
}

/** Status 0: no whole answer came. */
async function post(
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
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}
