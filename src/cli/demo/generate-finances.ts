import {
  type BureauReport,
  type CreditHistory,
  type OutstandingLoans,
  type Recorded,
  type TransactionVolume,
} from '../../contexts/farmers/public.js';
import { date, type Random } from './random.js';

const AS_OF = '2026-10-01';

export function generateCreditHistory(draw: Random, richness: number): Recorded<CreditHistory> {
  const scored = draw.chance(0.2 + 0.7 * richness);
  const score = draw.integer(320, 820);
  return {
    credit_score: scored ? score : null,
    credit_rating: scored ? rating(score) : null,
    score_factors: scored
      ? draw.some(['repayment on time', 'short history', 'high utilisation', 'stable inflows', 'seasonal income'], 1, 3)
      : null,
    score_calculated_at: scored ? `${date(draw, 2026, 2026, 9)}T06:00:00Z` : null,
    prior_formal_loans_count: draw.integer(0, 4),
    prior_informal_loans_count: draw.integer(0, 6),
    prior_insurance_participation: draw.chance(0.3),
    cooperative_membership: draw.chance(0.55),
    vsla_membership: draw.chance(0.35),
    repayment_record: Array.from({ length: draw.integer(0, 4) }, () => {
      const due_at = date(draw, 2024, 2025);
      const paid = draw.chance(0.85);
      return { due_at, paid_at: paid ? due_at : null, amount: draw.integer(4, 60) * 1_000, status: paid ? 'paid' : 'missed' };
    }),
    bureau: draw.chance(0.35 * richness) ? bureau(draw, score) : null,
    data_as_of: AS_OF,
  };
}

function bureau(draw: Random, score: number): BureauReport {
  return {
    bureau_name: draw.pick(['First Demo Credit Bureau', 'Second Demo Credit Bureau']),
    report_date: date(draw, 2026, 2026, 9),
    score,
    active_facilities: draw.integer(0, 3),
    delinquent_facilities: draw.chance(0.15) ? 1 : 0,
    total_outstanding: draw.integer(0, 300) * 1_000,
  };
}

export function generateLoans(draw: Random, index: number): Recorded<OutstandingLoans> {
  return {
    svc_loans: Array.from({ length: draw.integer(0, 2) }, (_, number) => {
      const amount = draw.integer(20, 500) * 1_000;
      const repaid = draw.chance(0.3);
      return {
        loan_id: `L-${index}-${number + 1}`,
        amount,
        outstanding: repaid ? 0 : Math.round(amount * draw.next()),
        currency: 'NGN',
        disbursed_at: date(draw, 2025, 2025),
        due_at: date(draw, 2026, 2027),
        status: repaid ? 'repaid' : draw.chance(0.9) ? 'active' : 'overdue',
      };
    }),
    data_as_of: AS_OF,
  };
}

export function generateTransactions(draw: Random): TransactionVolume {
  const monthly = draw.integer(5, 300) * 1_000;
  const turnover = (months: number) => ({
    total_received: Math.round(monthly * months * (0.8 + draw.next() * 0.4)),
    total_sent: Math.round(monthly * months * (0.5 + draw.next() * 0.4)),
    transaction_count: draw.integer(2, 12) * months,
  });
  return {
    currency: 'NGN',
    sources: draw.chance(0.4) ? ['svc_platform', 'partner_network'] : ['svc_platform'],
    summary: { last_30_days: turnover(1), last_90_days: turnover(3), last_12_months: turnover(12) },
    data_as_of: AS_OF,
  };
}

function rating(score: number): string {
  if (score >= 720) return 'excellent';
  if (score >= 620) return 'good';
  return score >= 500 ? 'fair' : 'poor';
}
