import {
  farmersForLookups,
  reportedCriteria,
  type LookupRow,
  type ProfileText,
} from '../../../../projections/farmer-profile/farmer-profile.reader.js';
import {
  type ReportedItems,
  reportedItems,
  type ReportsText,
  withItems,
  reportsWith,
} from '../../../../projections/farmer-reports/farmer-reports.reader.js';
import { type ReportedCriteria, type SampleReports } from '../../farmers/public.js';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { ReportEvents, subjectOf } from '../../reports/public.js';
import { Shares } from '../../../platform/database/sharing/shares.js';
import { StatementQueue } from '../../../platform/database/sharing/statement-queue.js';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { RowForged, RowMacs } from '../../../platform/projecting/row-macs.js';
import { currentRequest } from '../../../platform/tracing/request-context.js';
import { refuseIfSetAside, refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { Clock } from '../../../kernel/clock.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { farmerStreamOf } from '../../farmers/domain/events.js';

interface FarmerRequest {
  readonly partner_id: string;
  readonly rupa_id: string;
  readonly test_run: number;
}

export interface FoundFarmer {
  readonly profile: ProfileText;
  readonly reportedCriteria: ReportedCriteria;
  /** undefined if no partner has reported anything about the farmer. A test farmer has its sample reports, and those of the caller. */
  readonly reported: ReportedItems | undefined;
  /** Whether the farmer is on the partner's roster. */
  readonly consented: boolean;
  /** The event that was set aside in a stream of this farmer or consent, if there is one. */
  readonly setAside: string | null;
  /** The read model whose row cannot be trusted, if there is one. */
  readonly forged: string | undefined;
}

/** A lookup finds a farmer, or nobody with that id, or an error if the stored data about the farmer cannot be used. */
export type Found = FoundFarmer | undefined | EventSetAside | RowForged;

const MAX_FARMERS_PER_STATEMENT = 64;
/** Lists that are read, rendered and charged at once. Each occupies the processor and the stores for tens of milliseconds, and partners take turns. */
const MAX_LISTS = { total: 1, perPartner: 1 };
/** Milliseconds that a list waits for its turn. With the time of a charge they are less than the lease of an Idempotency-Key. */
const TURN_MS = 8_000;

/** Reads what a lookup needs about a farmer. Concurrent lookups share one statement. */
@Injectable()
export class FarmerReader {
  private underWay = 0;
  private readonly turns = new Shares(MAX_LISTS.total, MAX_LISTS.perPartner, TURN_MS);
  private readonly statements = new StatementQueue((requests: readonly FarmerRequest[]) => this.read(requests), {
    maxKeys: MAX_FARMERS_PER_STATEMENT,
    underWay: () => this.underWay,
  });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly clock: Clock,
    private readonly events: ReportEvents,
  ) {}

  /**
   * Returns what is found for each request, in their order. A request that is alone shares its statement with others; a list has its own.
   * @param late of each request, the streams of contributions which the read model does not show yet
   */
  async find(requests: readonly FarmerRequest[], late: readonly (readonly string[])[]): Promise<readonly Found[]> {
    const [request] = requests;
    const found = request && requests.length === 1 ? [await this.statements.load(request)] : await this.read(requests);
    if (!found.some((each, index) => !each || needsMore(each, late[index]))) return found;
    const missing = requests.filter((_, index) => !found[index]).map(({ rupa_id }) => farmerStreamOf(rupa_id));
    const isSuspect = missing.length > 0 && (await usable(refuseSetAside(this.pool, missing))) !== undefined;
    return await Promise.all(
      requests.map(async (each, index) => await usable(this.complete(found[index], each, { late: late[index] ?? [], isSuspect }))),
    );
  }

  /** @throws EventSetAside, RowForged */
  private async complete(
    found: FoundFarmer | undefined,
    request: FarmerRequest,
    { late, isSuspect }: { readonly late: readonly string[]; readonly isSuspect: boolean },
  ): Promise<FoundFarmer | undefined> {
    refuseIfSetAside(found?.setAside);
    if (found?.forged !== undefined) throw new RowForged(found.forged);
    if (!found && isSuspect) await refuseSetAside(this.pool, [farmerStreamOf(request.rupa_id)]);
    return !found || late.length === 0 ? found : await this.withLateReports(found, request, late);
  }

  private async withLateReports(found: FoundFarmer, request: FarmerRequest, streams: readonly string[]): Promise<FoundFarmer> {
    const { profile } = found;
    const subject = profile.test ? subjectOf(request) : profile.rupa_id;
    const reports = await reportsWith(this.pool, this.macs, subject, await this.events.of(streams));
    return { ...found, reportedCriteria: reportedCriteria(profile, reports), reported: itemsOf(profile, reports, this.clock.iso()) };
  }

  /** Runs a lookup from its beginning to its charge, so that the statements of others know that it may ask for a farmer. */
  async during<T>(lookUp: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await lookUp();
    } finally {
      this.underWay -= 1;
    }
  }

  /** Bills a list when it is its partner's turn, so that the lists of one partner delay nobody's lookups for long. */
  async inTurn<T>(partnerId: string, work: () => Promise<T>): Promise<T> {
    const giveBack = await this.turns.take(partnerId, currentRequest()?.call);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  private async read(requests: readonly FarmerRequest[]): Promise<(FoundFarmer | undefined)[]> {
    const wanted = requests.map((request, n) => ({ n, ...request, test_subject: subjectOf(request) }));
    const rows = await farmersForLookups(this.pool, this.macs, wanted);
    const at = this.clock.iso();
    const found = new Map(rows.map((row) => [row.request_index, foundIn(row, at)]));
    return requests.map((_, index) => found.get(index));
  }
}

function needsMore({ setAside, forged }: FoundFarmer, late: readonly string[] = []): boolean {
  return setAside !== null || forged !== undefined || late.length > 0;
}

/** Returns what was read, or why it cannot be used. */
async function usable<T>(reading: Promise<T>): Promise<T | EventSetAside | RowForged> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof EventSetAside || error instanceof RowForged) return error;
    throw error;
  }
}

function foundIn({ profile, reported_criteria, reports, consented, set_aside, forged }: LookupRow, at: string): FoundFarmer {
  const reported = itemsOf(profile, reports, at);
  return { profile, reportedCriteria: reported_criteria, reported, consented, setAside: set_aside, forged };
}

function itemsOf({ test }: Pick<ProfileText, 'test'>, reports: ReportsText | undefined, at: string): ReportedItems | undefined {
  const reported = reports && reportedItems(reports, at);
  return test ? withItems(sampleItems(test.reports), reported) : reported;
}

/** Returns the sample reports of a test farmer, as if partners had reported them. */
function sampleItems({ loans, policies, ...lists }: SampleReports): ReportedItems {
  const total = (amounts: readonly (number | null)[]): number => amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  return {
    ...lists,
    loans: { newest: loans, total_kobo: total(loans.map(({ outstanding_minor }) => outstanding_minor)) },
    policies: { newest: policies, total_kobo: total(policies.map(({ amount_minor }) => amount_minor)) },
  };
}
