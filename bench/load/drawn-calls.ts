import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Returns a report like that of report.wrk.lua. */
export function reportAbout(rupa_id: string): object {
  return {
    rupa_id,
    event: 'loan_disbursed',
    amount: 150_000,
    currency: 'NGN',
    partner_reference: randomUUID(),
    occurred_at: '2026-03-02T09:00:00Z',
    payload: { tenor_months: 9, product: 'input loan' },
  };
}

export function any(texts: readonly string[]): string {
  return texts[Math.floor(Math.random() * texts.length)] ?? '';
}

export function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
