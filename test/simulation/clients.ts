import { type Seen, type SeenCredit, type SeenLookup } from '../support/ledger-invariants.js';
import { FakeReply } from './fake-reply.js';
import { type Instance } from './instance.js';
import { type World } from './world.js';

export interface LookupPlan {
  readonly source: string;
  readonly rupa_id: string;
  readonly key: string | undefined;
  /** The client hangs up after so long, in ms. */
  readonly patienceMs: number;
}

interface Answer {
  /** 0: none came. */
  readonly status: number;
  readonly payload: string;
}

interface Watched {
  readonly plan: LookupPlan;
  readonly statuses: number[];
  readonly answers: string[];
  /** Who handed an answer over, and when. */
  readonly handedOver: { readonly by: Instance; readonly at: number }[];
}

const NONE: Answer = { status: 0, payload: '' };
const PERMANENT = [200, 402, 404, 422];

/** The partner's programs and the administrator's: what they send, and what they see of it. */
export class Clients {
  private readonly lookups = new Map<string, Watched>();
  private readonly credits: { reference: string; amount_kobo: number; acknowledged: boolean }[] = [];

  constructor(private readonly world: World) {}

  /** Asks, and with a key asks again until an answer is final or it has had enough. */
  async lookUp(plan: LookupPlan, attempts: number): Promise<void> {
    const watched = this.lookups.get(plan.source) ?? { plan, statuses: [], answers: [], handedOver: [] };
    this.lookups.set(plan.source, watched);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const { status, payload } = await this.request(watched);
      watched.statuses.push(status);
      if (status === 200) watched.answers.push(payload);
      this.world.trace(`client ${plan.source}: ${status || 'no answer'}`);
      if (PERMANENT.includes(status) || plan.key === undefined) return;
      await this.wait(this.world.random.between(200, 8_000));
    }
  }

  /** Once everything works again: every key's answer must still be there, or its lookup still possible. */
  async fetchAll(): Promise<void> {
    const keyed = [...this.lookups.values()].filter(({ plan }) => plan.key !== undefined);
    await Promise.all(keyed.map(({ plan }) => this.lookUp({ ...plan, patienceMs: 60_000 }, 20)));
  }

  /** A credit, sent until it is acknowledged. */
  async credit(reference: string, amount_kobo: number, attempts: number): Promise<void> {
    const credit = { reference, amount_kobo, acknowledged: false };
    this.credits.push(credit);
    for (let attempt = 1; attempt <= attempts && !credit.acknowledged; attempt += 1) {
      const instance = this.anyInstance();
      const refused = (error: unknown): boolean => (error as { code?: string }).code === 'reference_reused';
      const outcome =
        instance &&
        (await Promise.race([
          instance.credit(amount_kobo, reference).then(
            () => 'acknowledged',
            (error: unknown) => (refused(error) ? 'refused' : 'failed'),
          ),
          new Promise<string>((resolve) => {
            this.world.onKilled(instance.process, () => {
              resolve('failed');
            });
          }),
        ]));
      this.world.trace(`credit ${reference} ${amount_kobo}: ${outcome ?? 'nobody there'}`);
      credit.acknowledged = outcome === 'acknowledged';
      if (outcome === 'refused') return;
      await this.wait(this.world.random.between(200, 8_000));
    }
  }

  seen(): Seen & { readonly lookups: readonly SeenLookup[]; readonly credits: readonly SeenCredit[] } {
    const lookups = [...this.lookups.values()].map(({ plan, statuses, answers, handedOver }) => ({
      source: plan.source,
      keyed: plan.key !== undefined,
      statuses,
      responses: answers,
      responderHindered: handedOver.some(({ by, at }) => by.process.hinderedAt(at)),
      handedOver: handedOver.length > 0,
    }));
    return { lookups, credits: this.credits };
  }

  private async request(watched: Watched): Promise<Answer> {
    const { world } = this;
    const { scheduler, random } = world;
    const { rupa_id, source, key, patienceMs } = watched.plan;
    return await new Promise<Answer>((resolve) => {
      const answered = (answer: Answer): void => {
        scheduler.after(random.between(1, 10), () => {
          resolve(answer);
        });
      };
      const instance = this.anyInstance();
      if (!instance) {
        answered(NONE);
        return;
      }
      world.trace(`client ${source} asks ${instance.process.name}${key === undefined ? '' : ' with a key'}`);
      const reply = new FakeReply((status, payload) => {
        if (status === 200) watched.handedOver.push({ by: instance, at: scheduler.now });
        // Killed before it is through, the connection breaks first.
        if (!reply.raw.destroyed)
          scheduler.after(random.between(1, 10), () => {
            resolve({ status, payload });
          });
      });
      world.onKilled(instance.process, () => {
        resolve(NONE);
      });
      scheduler.after(random.between(1, 10), () => {
        instance.process.deliver('message', () => void instance.lookUp({ rupa_id, source }, key, reply));
      });
      scheduler.after(patienceMs, () => {
        instance.process.deliver('message', () => {
          reply.hangUp();
        });
        answered(NONE);
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
