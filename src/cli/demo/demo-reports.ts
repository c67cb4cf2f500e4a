import { type CommandBus } from '@nestjs/cqrs';
import { ReportActivity, ReportDto } from '../../contexts/reports/public.js';
import { type AccountType, type Activity } from '../../kernel/accounts.js';
import { validateBody } from '../../http/validating/validation.js';

export type DemoCaller = ReportActivity['partner'];

interface DemoReport {
  readonly event: Activity;
  /** NGN. */
  readonly amount: number;
  readonly occurred_at: string;
  readonly reference: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/** The season of one farmer, as three partners report it. */
const SEASON: Readonly<Record<AccountType, readonly DemoReport[]>> = {
  bank: [
    {
      event: 'loan_disbursed',
      amount: 150_000,
      occurred_at: '2026-03-02T09:00:00.000Z',
      reference: 'loan',
      payload: { tenor_months: 9 },
    },
    {
      event: 'loan_repayment',
      amount: 30_000,
      occurred_at: '2026-09-15T09:00:00.000Z',
      reference: 'repayment',
      payload: { loan_reference: 'loan' },
    },
  ],
  insurer: [
    {
      event: 'policy_issued',
      amount: 200_000,
      occurred_at: '2026-04-01T09:00:00.000Z',
      reference: 'policy',
      payload: { expires_at: '2027-03-31' },
    },
  ],
  agtech: [
    {
      event: 'input_purchase',
      amount: 45_000,
      occurred_at: '2026-04-20T09:00:00.000Z',
      reference: 'inputs',
      payload: { item: 'NPK fertiliser', quantity: 6, unit: 'bags' },
    },
    {
      event: 'harvest_record',
      amount: 210_000,
      occurred_at: '2026-08-28T09:00:00.000Z',
      reference: 'harvest',
      payload: { item: 'maize', quantity: 1.8, unit: 't' },
    },
  ],
};

/** Reports activities of some demo farmers, so that their lookups show reported items. */
export async function reportDemoActivity(
  commands: CommandBus,
  callers: readonly DemoCaller[],
  rupaIds: readonly string[],
  now: Date,
): Promise<void> {
  const uniqueReference = (rupa_id: string, reference: unknown): string => `${rupa_id}-${String(reference)}`;
  const reports = rupaIds.flatMap((rupa_id) =>
    callers.flatMap((caller) =>
      SEASON[caller.account_type].map(({ reference, payload, ...report }) => {
        const linked =
          payload?.loan_reference === undefined
            ? payload
            : { ...payload, loan_reference: uniqueReference(rupa_id, payload.loan_reference) };
        const body = { ...report, rupa_id, partner_reference: uniqueReference(rupa_id, reference), payload: linked };
        return new ReportActivity(caller, validateBody(ReportDto, body, { accountType: caller.account_type, now }));
      }),
    ),
  );
  await Promise.all(reports.map((report) => commands.execute(report)));
}
