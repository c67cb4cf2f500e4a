import { randomBytes, randomInt } from 'node:crypto';

/** The number of low bits in which the amounts differ. */
const COUNTER_BITS = 16;
const COUNTER_DIGITS = 5;

/** Generates unique values for every field that may hold personal data: any part of a value that is found is leaked personal data. */
export class Canaries {
  private readonly name = `zz${randomBytes(8).toString('hex')}`;
  /**
   * The base of all amounts, in kobo: they share its first digits and its upper bytes. Those are a number above 2^32, because PostgreSQL's files
   * are full of smaller ones that look alike: each record of the write-ahead log has the position of the one before, in bytes since the
   * cluster was made.
   */
  private readonly base = randomInt(2 ** 19, 2 ** 20) * 10_000 * 2 ** COUNTER_BITS;
  private count = 0;

  word(): string {
    this.count += 1;
    return `${this.name}${this.count}`;
  }

  /** Returns an amount in NGN with kobo. */
  amount(): number {
    this.count += 1;
    return (this.base + this.count) / 100;
  }

  /** Returns the prefix of all words, and the prefix of all amounts in JSON. */
  get texts(): readonly string[] {
    return [this.name, String(this.base).slice(0, -COUNTER_DIGITS)];
  }

  /** Returns the same prefixes as bytes, and the upper bytes of all amounts as the database stores integers. */
  get bytes(): readonly Buffer[] {
    const integer = Buffer.alloc(8);
    integer.writeBigInt64LE(BigInt(this.base));
    return [...this.texts.map((text) => Buffer.from(text)), integer.subarray(COUNTER_BITS / 8)];
  }

  /** Returns a body for PUT /admin/v1/farmers/{rupaId} with every section and every field that takes a free value. */
  record(): object {
    const [word, amount] = [() => this.word(), () => this.amount()];
    const turnover = () => ({ total_received: amount(), total_sent: amount(), transaction_count: 3 });
    return {
      phone_verified: true,
      identity: {
        full_name: word(),
        first_name: word(),
        last_name: word(),
        gender: word(),
        date_of_birth: '1984-05-17',
        phone_number: word(),
        state: word(),
        lga: word(),
        community: word(),
        country: word(),
        agent_enrolled: true,
      },
      bvn_nin_data: { bvn: { verified: true, masked: word() }, nin: { verified: true, masked: word() }, verification_source: word() },
      credit_history: {
        credit_score: 611,
        credit_rating: word(),
        score_factors: [word(), word()],
        repayment_record: [{ due_at: '2026-01-01', amount: amount(), status: word() }],
        bureau: { bureau_name: word(), report_date: '2026-01-01', total_outstanding: amount() },
      },
      outstanding_loans: {
        svc_loans: [
          { loan_id: word(), amount: amount(), outstanding: amount(), currency: 'NGN', disbursed_at: '2026-01-01', status: word() },
        ],
      },
      transaction_volume: { summary: { last_30_days: turnover(), last_90_days: turnover(), last_12_months: turnover() } },
      farms: {
        farms: [{ farm_id: word(), name: word(), state: word(), lga: word(), land_tenure: word(), crops: [word()], livestock: [word()] }],
      },
      wallet: { status: word(), balance: amount(), average_monthly_inflow: amount(), average_monthly_outflow: amount() },
      socioeconomic_profile: { education_level: word(), primary_income_source: word(), assets: [word()] },
    };
  }
}
