import { ENTRY_ACCOUNTS } from '../../../contexts/accounting/domain/entry-postings.js';
import { ENTRY_KINDS } from '../../../contexts/accounting/domain/events.js';
import { ActForm, Choice, Field } from '../../components/form.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

export const LEDGER_ENTRY_PATH = `${BOOKS_PATH}/entries`;

const ACCOUNTS = Object.values(ENTRY_ACCOUNTS).flat();

/** The form that posts what happens outside of wallets. Auditors see what it is for. */
export function ledgerEntryScreen(visit: Visit): Screen {
  return {
    title: 'Ledger entry',
    area: 'books',
    body: (
      <>
        <BooksLinks />
        <p>
          A ledger entry records what happens outside of wallets: what a provider or the tax office was paid, a certificate of withheld tax,
          what the bank charged or paid as interest, and the balances that the books begin with. An administrator posts it.
        </p>
        <ActForm visit={visit} action={LEDGER_ENTRY_PATH} label="Post the entry">
          <ModeChoice mode="live" />
          <Choice label="Kind" name="kind" options={ENTRY_KINDS.map((kind) => [kind, kind])} />
          <Choice label="Provider or account" name="account" options={['', ...ACCOUNTS].map((account) => [account, account || 'none'])} />
          <Field
            label="Amount in NGN"
            name="amount"
            pattern="[0-9]+(\.[0-9]{1,2})?"
            hint="A settlement, a remittance and a certificate are of at most what is owed. A reversal needs none."
          />
          <Field label="Entry to reverse" name="of" hint="The reference of the entry that a reversal undoes." />
          <Field
            label="Reference"
            name="reference"
            required
            hint="The bank’s reference. An entry is posted once, however often it is submitted."
          />
          <Field label="Date (UTC)" name="date" type="date" hint="The entry counts from the beginning of that day. Default: today." />
          <Field label="Reason" name="reason" required />
        </ActForm>
      </>
    ),
  };
}
