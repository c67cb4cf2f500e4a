import { beforeAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_PRICE_BOOK, PRICE_BOOK_ID, PRICE_BOOK_STREAMS } from '../../src/contexts/pricing/domain/price-book.js';
import { PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS } from '../../src/contexts/pricing/domain/price-schedule.js';
import { auditsOf, type Finding, runOf } from '../support/audit-programs.js';
import { charge, close, credit, inWallet, RAISED, RAISED_AGAIN, register } from '../support/evidence-events.js';
import { edited, EvidenceHistory, type EvidenceLine, rebuilt } from '../support/evidence-history.js';

const HOUR_MS = 3_600_000;
const BEGIN_MS = Date.parse('2026-03-01T08:00:00.000Z');
const EFFECTIVE = new Date(BEGIN_MS + HOUR_MS).toISOString();
const first = DEFAULT_PRICE_BOOK;
const second = { version: 2, fees_kobo: RAISED, vat_percent: 0 };
const third = { version: 3, fees_kobo: RAISED_AGAIN, vat_percent: 0 };

/** A log with a scheduled price book, in which each step happens so many seconds after the schedule's time. */
class ScheduledPrices extends EvidenceHistory {
  private debits = 0;

  static async begin(): Promise<ScheduledPrices> {
    const history = new ScheduledPrices();
    await register(history, 'bank', 'live', 'admin:amina');
    await history.as('admin:amina', async (by) => inWallet(history, 'bank', by, credit(100_000_00, 'opening')));
    await history.schedule(RAISED, EFFECTIVE);
    return history;
  }

  at(seconds: number): this {
    this.nowMs = BEGIN_MS + HOUR_MS + seconds * 1_000;
    return this;
  }

  async schedule(fees_kobo: typeof RAISED, effective_at: string): Promise<void> {
    await this.as('admin:amina', async (by) => {
      await this.decide(PRICE_SCHEDULE_STREAMS, PRICE_SCHEDULE_ID, { kind: 'schedule', fees_kobo, vat_percent: 0, effective_at, ...by });
    });
  }

  async cancel(): Promise<void> {
    await this.as('admin:amina', async (by) => {
      await this.decide(PRICE_SCHEDULE_STREAMS, PRICE_SCHEDULE_ID, { kind: 'cancel', ...by });
    });
  }

  /** Charges a lookup, and settles it at once. */
  async debit(book: typeof second): Promise<void> {
    this.debits += 1;
    await charge(this, 'bank', `l${this.debits}`, book);
    await close(this, 'bank', 'settle', `l${this.debits}`);
  }

  async publishDue(...books: readonly (typeof RAISED)[]): Promise<void> {
    const due = books.map((fees_kobo, schedule_revision) => ({ fees_kobo, vat_percent: 0, actor: 'admin:amina', schedule_revision }));
    await this.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { due, at: this.now, actor: 'service' });
  }

  async publish(fees_kobo: typeof RAISED): Promise<void> {
    await this.as('admin:amina', async (by) => {
      await this.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { fees_kobo, ...by });
    });
  }
}

/** The log as a release wrote it by which a schedule was in force only once it was published. */
const byEarlierRelease = (lines: readonly EvidenceLine[]): EvidenceLine[] =>
  rebuilt(lines.map((line) => (line.type === 'PriceBookScheduled' ? edited(line, { data: { in_force_by_time: undefined } }) : line)));

type Steps = (history: ScheduledPrices) => Promise<void>;
interface Case {
  readonly steps: Steps;
  /** The rule that does not hold; undefined if the log holds. */
  readonly rule?: 'price' | 'price_book';
  readonly isEarlier?: true;
}

const CASES: Readonly<Record<string, Case>> = {
  'hold for the scheduled prices from their time on, before and after their publication': {
    steps: async (history) => {
      await history.at(-20).debit(first);
      await history.at(0).debit(second);
      await history.at(60).debit(second);
      await history.at(600).publishDue(RAISED);
      await history.at(700).debit(second);
    },
  },
  'hold for the scheduled prices by a clock that is ten seconds behind': { steps: (history) => history.at(-10).debit(second) },
  'refuse the scheduled prices before their time': { steps: (history) => history.at(-10.001).debit(second), rule: 'price' },
  'refuse the scheduled prices before their time, also if they are published later': {
    steps: async (history) => {
      await history.at(-60).debit(second);
      await history.at(0).publishDue(RAISED);
    },
    rule: 'price',
  },
  'hold for the prices before until ten seconds after the time of the schedule': { steps: (history) => history.at(10).debit(first) },
  'refuse the prices before from then on, although nothing was published yet': {
    steps: (history) => history.at(10.001).debit(first),
    rule: 'price',
  },
  'refuse the prices before from then on, also if the publication is later': {
    steps: async (history) => {
      await history.at(60).publishDue(RAISED);
      await history.at(61).debit(first);
    },
    rule: 'price',
  },
  'refuse other fees under the version that the schedule has': {
    steps: (history) => history.at(60).debit({ ...second, fees_kobo: RAISED_AGAIN }),
    rule: 'price',
  },
  'hold for several schedules that became due before any was published': {
    steps: async (history) => {
      await history.at(60).schedule(RAISED_AGAIN, new Date(BEGIN_MS + 2 * HOUR_MS).toISOString());
      await history.at(120).debit(second);
      await history.at(3_700).debit(third);
      await history.at(3_800).publishDue(RAISED, RAISED_AGAIN);
      await history.at(3_900).debit(third);
    },
  },
  'refuse prices whose schedule was replaced before its time': {
    steps: async (history) => {
      await history.at(-60).schedule(RAISED_AGAIN, new Date(BEGIN_MS + 2 * HOUR_MS).toISOString());
      await history.at(60).debit(second);
    },
    rule: 'price',
  },
  'refuse prices whose schedule was cancelled before its time': {
    steps: async (history) => {
      await history.at(-1).cancel();
      await history.at(60).debit(second);
    },
    rule: 'price',
  },
  'hold for the prices before if their schedule was cancelled before its time': {
    steps: async (history) => {
      await history.at(-1).cancel();
      await history.at(60).debit(first);
    },
  },
  'refuse a publication that takes the version of a schedule': {
    steps: (history) => history.at(60).publish(RAISED_AGAIN),
    rule: 'price_book',
  },
  'hold for a publication after that of the schedule': {
    steps: async (history) => {
      await history.at(60).publishDue(RAISED);
      await history.at(60).publish(RAISED_AGAIN);
      await history.at(120).debit(third);
    },
  },
  'hold for a schedule of an earlier release, and the prices before until its publication': {
    steps: async (history) => {
      await history.at(22).debit(first);
      await history.at(30).publishDue(RAISED);
      await history.at(35).debit(first);
      await history.at(60).debit(second);
    },
    isEarlier: true,
  },
  'refuse the prices before after the publication of a schedule of an earlier release': {
    steps: async (history) => {
      await history.at(30).publishDue(RAISED);
      await history.at(41).debit(first);
    },
    rule: 'price',
    isEarlier: true,
  },
  'refuse the prices of a schedule of an earlier release before its publication': {
    steps: (history) => history.at(60).debit(second),
    rule: 'price',
    isEarlier: true,
  },
};

describe('the programs in docs/audit', () => {
  let found: Map<string, { finding: Finding; lines: readonly EvidenceLine[] }>;
  beforeAll(async () => {
    const logs: [string, EvidenceLine[]][] = [];
    for (const [name, { steps, isEarlier }] of Object.entries(CASES)) {
      const history = await ScheduledPrices.begin();
      await steps(history);
      logs.push([name, isEarlier ? byEarlierRelease(history.lines) : history.lines]);
    }
    const findings = auditsOf(logs.map(([, lines]) => runOf(lines)));
    found = new Map(logs.map(([name, lines], index) => [name, { finding: findings[index] as Finding, lines }]));
  });

  it.each(Object.keys(CASES))('%s', (name) => {
    const { finding, lines } = found.get(name) ?? {};
    const { rule } = CASES[name] ?? {};
    if (rule === undefined) {
      expect([finding?.status, finding?.last]).toStrictEqual([0, undefined]);
      return;
    }
    const type = rule === 'price' ? 'WalletDebited' : 'PriceBookPublished';
    const at = lines?.findLastIndex((line) => line.type === type);
    expect([finding?.status, finding?.last]).toStrictEqual([1, expect.stringMatching(new RegExp(`^event ${at}: ${rule}: `))]);
  });
});
