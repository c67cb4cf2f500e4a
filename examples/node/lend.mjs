// Decides on a loan application: looks the farmer up, and reports the loan if it is granted.
import { FarmerNotFoundError, InsufficientBalanceError, RupaClient, TEST_FARMERS } from '@rupa/client';

const [rupaId = TEST_FARMERS.gold, application = 'application-1', amount = '300000'] = process.argv.slice(2);
const MOST_OUTSTANDING = 500_000;

const client = new RupaClient({ apiKey: process.env.RUPA_API_KEY, baseUrl: process.env.RUPA_URL });

try {
  // The application's number is the Idempotency-Key: if this program is run again for it, the lookup is not charged again.
  const farmer = await client.lookup(
    { rupa_id: rupaId, sections: ['identity', 'outstanding_loans'], source: 'loan' },
    { idempotencyKey: `lookup-${application}` },
  );
  console.log(`Looked up ${farmer.rupa_id} for NGN ${farmer.billing.amount_charged}.`);

  const outstanding = farmer.outstanding_loans.total_outstanding;
  if (outstanding + Number(amount) > MOST_OUTSTANDING) {
    console.log(`Declined: NGN ${outstanding} are outstanding already.`);
  } else {
    // The partner_reference makes the report repeatable: a second one replaces the first.
    const report = { rupa_id: rupaId, event: 'loan_disbursed', amount: Number(amount), partner_reference: application };
    const { contribution_id, created } = await client.report(report);
    console.log(`Granted: ${created ? 'reported' : 'reported again'} as contribution ${contribution_id}.`);
  }

  let spent = 0;
  for await (const { type, amount: change } of client.wallet.entries({ limit: 5 }))
    if (type === 'WalletDebited' || type === 'RefundIssued') spent -= change;
  console.log(`Lookups have cost NGN ${spent} so far.`);
} catch (error) {
  if (error instanceof FarmerNotFoundError) console.error(`Nobody has the Rupa ID ${rupaId}.`);
  else if (error instanceof InsufficientBalanceError) console.error(`Top up the wallet by NGN ${error.data.shortfall}.`);
  else throw error;
  process.exitCode = 1;
}
