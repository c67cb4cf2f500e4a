import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type FarmerProfileRow } from '../../../projections/farmer-profile/farmer-profile.projection.js';
import { StatementQueue } from '../../platform/database/statement-queue.js';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { refuseIfSetAside, refuseSetAside, setAsideIn } from '../../platform/unusable-events/unusable-table.js';
import { RECORD_CRITERIA, REPORTED_CRITERIA, type ReportedCriteria } from '../farmers/public.js';
import { Clock } from '../../kernel/clock.js';
import { POOL } from '../../platform/injection-tokens.js';
import { listsOf, REPORTED_ITEMS, type ReportedItems, sampleItems } from './reported-items.js';

interface FarmerRequest {
  readonly partner_id: string;
  readonly rupa_id: string;
  readonly sections: readonly Section[];
}

/** A farmer's profile, with each section as the stored JSON text. */
type Profile = Omit<FarmerProfileRow, Section | 'erased'> & { readonly [S in Section]: string | null };

export interface FoundFarmer {
  readonly profile: Profile;
  readonly reportedCriteria: ReportedCriteria;
  /** undefined if no partner has reported anything about the farmer. A test farmer has its sample reports. */
  readonly reported: ReportedItems | undefined;
  /** Whether the farmer is on the partner's roster. */
  readonly consented: boolean;
  /** The event that was set aside in a stream of this farmer or consent, if there is one. */
  readonly setAside: string | null;
}

interface Row extends Profile, ReportedItems, ReportedCriteria {
  readonly set_aside: string | null;
  readonly request_index: number;
  readonly is_reported: boolean;
  readonly consented: boolean;
}

const MAX_FARMERS_PER_STATEMENT = 64;

const STATEMENT = `select w.n as request_index, c.rupa_id is not null as consented, ${setAsideIn("'farmer-' || w.rupa_id", "'consent-' || w.partner_id || '-' || w.rupa_id")} as set_aside, f.rupa_id, f.mode, f.registered_at, f.has_bureau_report, f.test,
    ${RECORD_CRITERIA.map((criterion) => `f.${criterion}`).join(', ')}, ${SECTIONS.map((section) => `f.${section}::text`).join(', ')},
    ${REPORTED_CRITERIA}, reported.is_reported, ${REPORTED_ITEMS}
  from json_to_recordset($1) as w(n int, partner_id text, rupa_id text, loans bool, repayments bool, policies bool, goods bool)
  join read.farmer_profile f on f.rupa_id = w.rupa_id and not f.erased
  left join read.consent_roster c on c.partner_id = w.partner_id and c.rupa_id = w.rupa_id
  cross join lateral (
    select f.test is null and exists (select from read.contribution c where c.rupa_id = f.rupa_id) as is_reported offset 0) reported`;

/** Reads what a lookup needs about a farmer. Concurrent lookups share one statement. */
@Injectable()
export class FarmerReader {
  private underWay = 0;
  private readonly statements = new StatementQueue((requests: readonly FarmerRequest[]) => this.read(requests), {
    maxKeys: MAX_FARMERS_PER_STATEMENT,
    underWay: () => this.underWay,
  });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined if there is no farmer with that id, or the farmer was erased. @throws EventSetAside */
  async find(request: FarmerRequest): Promise<FoundFarmer | undefined> {
    const found = await this.statements.load(request);
    if (found) refuseIfSetAside(found.setAside);
    else await refuseSetAside(this.pool, [`farmer-${request.rupa_id}`]);
    return found;
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

  private async read(requests: readonly FarmerRequest[]): Promise<(FoundFarmer | undefined)[]> {
    const wanted = requests.map(({ partner_id, rupa_id, sections }, n) => ({ n, partner_id, rupa_id, ...listsOf(sections) }));
    const values = [JSON.stringify(wanted), this.clock.iso()];
    const { rows } = await this.pool.query<Row>({ name: 'lookup-farmers', text: STATEMENT, values });
    const found = new Map(rows.map((row) => [row.request_index, foundIn(row)]));
    return requests.map((_, index) => found.get(index));
  }
}

function foundIn(row: Row): FoundFarmer {
  const reported = row.test ? sampleItems(row.test.reports) : row.is_reported ? row : undefined;
  return { profile: row, reportedCriteria: row, reported, consented: row.consented, setAside: row.set_aside };
}
