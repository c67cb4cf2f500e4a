// Looks up all farmers of a portfolio, and writes a line of CSV for each: its Rupa ID, the outcome and what is outstanding.
import { readFileSync } from 'node:fs';
import { InsufficientBalanceError, RupaClient } from '@rupa/client';

const [file, runId] = process.argv.slice(2);
if (!file || !runId) {
  console.error(
    'Usage: node score-portfolio.mjs IDS RUN, where IDS is a file with a Rupa ID a line, and RUN names this run, such as 2026-03',
  );
  process.exit(2);
}

const client = new RupaClient({ apiKey: process.env.RUPA_API_KEY, baseUrl: process.env.RUPA_URL });
const ids = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);

try {
  // Each 100 farmers are one request, whose Idempotency-Key follows from the run: if this program is run again for it within 24 hours, what
  // was looked up is not charged again.
  const run = client.lookUpAll(ids, { runId: `portfolio-${runId}`, sections: ['identity', 'outstanding_loans'], source: 'loan' });
  let charged = 0;
  for await (const { results, summary } of run.chunks()) {
    for (const { rupa_id, outcome, lookup } of results)
      console.log([rupa_id, outcome, lookup?.outstanding_loans.total_outstanding ?? ''].join(','));
    charged += summary.amount_charged;
  }
  console.error(`Charged NGN ${charged}.`);
} catch (error) {
  if (!(error instanceof InsufficientBalanceError)) throw error;
  console.error(`Top up the wallet by NGN ${error.data.shortfall}, and run this again: it goes on without a second charge.`);
  process.exitCode = 1;
}
