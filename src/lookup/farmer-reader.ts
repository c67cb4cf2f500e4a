import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { type Pool } from 'pg';
import { type FarmerProfileRow } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { SECTIONS } from '../farmers/domain/farmer-record.js';
import { POOL } from '../infrastructure/tokens.js';

interface Wanted {
  readonly partner_id: string;
  readonly rupa_id: string;
}

export interface FoundFarmer {
  readonly profile: FarmerProfileRow;
  /** Whether the farmer is on the partner's roster. */
  readonly consented: boolean;
}

type Row = FarmerProfileRow & { readonly wanted: number; readonly consented: boolean };

const STATEMENTS_AT_ONCE = 4;
const FARMERS_A_STATEMENT = 64;

/** What a look-up reads of a farmer; concurrent look-ups share one statement. */
@Injectable()
export class FarmerReader {
  private running = 0;
  private readonly scheduled: (() => void)[] = [];
  private readonly loader = new DataLoader((wanted: readonly Wanted[]) => this.read(wanted), {
    cache: false,
    maxBatchSize: FARMERS_A_STATEMENT,
    batchScheduleFn: (start) => {
      if (this.running < STATEMENTS_AT_ONCE) setImmediate(start);
      else this.scheduled.push(start);
    },
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** undefined where nobody has that id, or the farmer was erased. */
  async find(partner_id: string, rupa_id: string): Promise<FoundFarmer | undefined> {
    return await this.loader.load({ partner_id, rupa_id });
  }

  private async read(wanted: readonly Wanted[]): Promise<(FoundFarmer | undefined)[]> {
    this.running += 1;
    try {
      const { rows } = await this.pool.query<Row>({
        name: 'lookup-farmers',
        text: `select w.n as wanted, c.rupa_id is not null as consented, f.rupa_id, f.mode, f.registered_at, f.phone_verified,
                      ${SECTIONS.map((section) => `f.${section}`).join(', ')}
               from unnest($1::text[], $2::text[]) with ordinality as w(partner_id, rupa_id, n)
               join read.farmer_profile f on f.rupa_id = w.rupa_id and not f.erased
               left join read.consent_roster c on c.partner_id = w.partner_id and c.rupa_id = w.rupa_id`,
        values: [wanted.map(({ partner_id }) => partner_id), wanted.map(({ rupa_id }) => rupa_id)],
      });
      const found = new Map(rows.map(({ wanted: n, consented, ...profile }) => [n, { profile, consented }]));
      return wanted.map((_, index) => found.get(index + 1));
    } finally {
      this.running -= 1;
      this.scheduled.shift()?.();
    }
  }
}
