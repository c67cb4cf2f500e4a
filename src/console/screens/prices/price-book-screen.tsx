import { type VNode } from 'preact';
import {
  type PriceBookHistory,
  type PriceBookView,
  type PriceBookWithScheduleView,
  type PublishedPriceBookView,
  type ScheduledPriceBookView,
} from '../../../contexts/pricing/showing/price-book-responses.dto.js';
import { ActForm, Field } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Term } from '../../components/term.js';
import { nameOfTerm } from '../../names.js';
import { Badge, Money, Notice, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { compareBooks, type Compared, type ComparedBook, compareVersions, type FeeChange, inOrder, VAT_PERCENT } from './compare-fees.js';

export const PRICES_PATH = '/console/prices';
export const FEE_FIELD = 'fee:';
export const EFFECTIVE_FIELD = 'effective_at';
export const VAT_FIELD = VAT_PERCENT;
const DECIMAL_PATTERN = '[0-9]+(\\.[0-9]{1,2})?';

const FEES: readonly Column<readonly [fee: string, amount: number]>[] = [
  { head: 'Fee', cell: ([fee]) => <Term>{fee}</Term> },
  { head: 'Amount', numeric: true, cell: ([, amount]) => <Money amount={amount} /> },
];

const CHANGES: readonly Column<FeeChange>[] = [
  { head: 'Fee', cell: ({ fee }) => <Term>{fee}</Term> },
  { head: 'In force', numeric: true, cell: ({ fee, before }) => <FeeValue fee={fee} value={before} /> },
  { head: 'New', numeric: true, cell: ({ fee, after }) => <FeeValue fee={fee} value={after} /> },
  { head: 'Direction', cell: ({ before, after }) => <Badge tone="plain">{(after ?? 0) > (before ?? 0) ? 'higher' : 'lower'}</Badge> },
];

const VERSIONS: readonly Column<Compared<PublishedPriceBookView>>[] = [
  { head: 'Version', leads: true, cell: ({ version }) => version },
  { head: 'Published', cell: ({ published_at }) => <Time at={published_at} /> },
  { head: 'Effective', cell: ({ effective_at }) => <Time at={effective_at} /> },
  { head: 'By', leads: true, cell: ({ actor }) => actor ?? <span class="soft">built in</span> },
  { head: 'VAT', numeric: true, cell: ({ vat_percent }) => `${vat_percent} %` },
  { head: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
];

/** The fees in force, every version compared with the one before, and the form that proposes new fees. */
export function priceBookScreen(visit: Visit, book: PriceBookWithScheduleView, { versions }: PriceBookHistory): Screen {
  const fees = Object.entries(inOrder(book.fees));
  const inForce = versions.find(({ version }) => version === book.version);
  return {
    title: 'Prices',
    area: 'prices',
    body: (
      <>
        <p>
          Version {book.version} is in force, with {book.vat_percent} % VAT, which the fees of sections contain.{' '}
          <PublishedBy inForce={inForce} /> <a href="#versions">What each version changed</a>. Every lookup states the version that it was
          charged by.
        </p>
        <Table label="Fees in force" columns={FEES} rows={fees} empty="The price book has no fees. Publish one." />
        {book.scheduled === null ? null : <Scheduled visit={visit} book={book} scheduled={book.scheduled} />}
        <h2 id="versions">Versions</h2>
        <Table label="Versions" columns={VERSIONS} rows={compareVersions(versions)} empty="There is no version. Publish the first one." />
        {visit.person.role === 'admin' ? <h2>Publish new fees</h2> : null}
        <ActForm visit={visit} action={`${PRICES_PATH}/compare`} label="Compare with the fees in force">
          <p>New fees hold for every partner as soon as they are in force. The next page shows what would change.</p>
          <Field
            label="In force from (UTC)"
            name={EFFECTIVE_FIELD}
            type="datetime-local"
            hint="Empty: at once. A time replaces fees that are scheduled and not in force yet."
          />
          <Field
            label="VAT in percent"
            name={VAT_FIELD}
            value={String(book.vat_percent)}
            required
            pattern={DECIMAL_PATTERN}
            hint="The fees of sections contain it, so that partners pay the same at every rate."
          />
          {fees.map(([fee, amount]) => (
            <Field
              label={`${nameOfTerm(fee)} (${fee})`}
              name={`${FEE_FIELD}${fee}`}
              value={String(amount)}
              required
              pattern={DECIMAL_PATTERN}
            />
          ))}
        </ActForm>
      </>
    ),
  };
}

function PublishedBy({ inForce }: { readonly inForce: PublishedPriceBookView | undefined }): VNode | null {
  if (!inForce?.actor) return null;
  const { actor, published_at } = inForce;
  return (
    <>
      {actor} published it at <Time at={published_at} />.
    </>
  );
}

/** Shows the fees that would change, and publishes them on confirmation. */
export function proposalScreen(
  visit: Visit,
  book: PriceBookView,
  { fees, vat_percent, effectiveAt }: ComparedBook & { readonly effectiveAt?: string | undefined },
  changes: readonly FeeChange[],
): Screen {
  return {
    title: 'Publish these fees?',
    area: 'prices',
    body: (
      <>
        <Notice tone="warn">Nothing is published yet.</Notice>
        <Facts
          facts={[
            ['Version in force', book.version],
            ['In force from', effectiveAt === undefined ? 'at once' : <Time at={effectiveAt} />],
            ['VAT', `${vat_percent} %`],
            ['Fees that change', `${changes.filter(({ fee }) => fee !== VAT_PERCENT).length} of ${Object.keys(fees).length}`],
          ]}
        />
        <Table label="Changed fees" columns={CHANGES} rows={changes} empty="No fee differs from the version in force." />
        <ActForm visit={visit} action={`${PRICES_PATH}/publish`} label="Publish these fees">
          <input type="hidden" name="version" value={book.version} />
          {effectiveAt === undefined ? null : <input type="hidden" name={EFFECTIVE_FIELD} value={effectiveAt} />}
          <input type="hidden" name={VAT_FIELD} value={vat_percent} />
          {Object.entries(fees).map(([fee, amount]) => (
            <input type="hidden" name={`${FEE_FIELD}${fee}`} value={amount} />
          ))}
        </ActForm>
        <p>
          <a href={PRICES_PATH}>Back to the prices without publishing</a>
        </p>
      </>
    ),
  };
}

interface ScheduledProps {
  readonly visit: Visit;
  readonly book: PriceBookView;
  readonly scheduled: ScheduledPriceBookView;
}

/** The fees that are scheduled, compared with those in force, and the form that cancels them. */
function Scheduled({ visit, book, scheduled }: ScheduledProps): VNode {
  const { effective_at, actor } = scheduled;
  const changes = compareBooks(book, scheduled);
  return (
    <>
      <h2>Scheduled</h2>
      <p>
        {actor} has scheduled these changes for <Time at={effective_at} />.
      </p>
      <Table label="Scheduled changes" columns={CHANGES} rows={changes} empty="No fee differs from the version in force." />
      <ActForm
        visit={visit}
        action={`${PRICES_PATH}/cancel`}
        label="Cancel the scheduled fees"
        asks="The fees that are in force now stay in force."
      />
    </>
  );
}

/** Shows a fee in NGN, or the rate of VAT in percent. */
function FeeValue({ fee, value }: { readonly fee: string; readonly value: number | null }): VNode {
  return fee === VAT_PERCENT ? <>{value} %</> : <Money amount={value} />;
}

function Changes({ changes }: { readonly changes: readonly FeeChange[] | null }): VNode {
  if (changes === null) return <span class="soft">the first version</span>;
  if (changes.length === 0) return <span class="soft">no fee</span>;
  return (
    <>
      {changes.map(({ fee, before, after }) => (
        <div class="unbroken">
          {nameOfTerm(fee)}: <FeeValue fee={fee} value={before} /> → <FeeValue fee={fee} value={after} />
        </div>
      ))}
    </>
  );
}
