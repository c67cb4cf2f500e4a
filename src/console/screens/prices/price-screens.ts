import {
  type PriceBookHistory,
  type PriceBookView,
  type PriceBookWithScheduleView,
} from '../../../contexts/pricing/showing/price-book-responses.dto.js';
import { AdminApiError } from '../../admin-api.js';
import { type Form, utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { compareBooks, type ComparedBook } from './compare-fees.js';
import { EFFECTIVE_FIELD, FEE_FIELD, priceBookScreen, PRICES_PATH, proposalScreen, VAT_FIELD } from './price-book-screen.js';

/** Fees that a person compares with those in force before publishing them. */
interface Proposal {
  readonly book: PriceBookView;
  readonly proposed: ComparedBook & { readonly effectiveAt?: string | undefined };
  readonly changes: ReturnType<typeof compareBooks>;
}

/** The fees in force, their history, and publishing new ones in two steps. */
export function addPriceScreens(routes: Routes): void {
  routes.screen('/prices', async (visit) => {
    const [book, history] = await Promise.all([
      visit.api.get<PriceBookWithScheduleView>('/price-book'),
      visit.api.get<PriceBookHistory>('/price-book/history'),
    ]);
    return priceBookScreen(visit, book, history);
  });

  const proposal = routes.shown<Proposal>('/prices/proposal/:shown', {
    kind: 'page',
    show: (visit, { book, proposed, changes }) => proposalScreen(visit, book, proposed, changes),
    gone: 'Nothing was published. Compare the fees again.',
    back: () => PRICES_PATH,
  });

  routes.act('/prices/compare', async ({ api }, form) => {
    const book = await api.get<PriceBookView>('/price-book');
    const proposed = bookIn(form, Object.keys(book.fees));
    const changes = compareBooks(book, proposed);
    const effectiveAt = utcOf(form.optional(EFFECTIVE_FIELD));
    if (effectiveAt !== undefined && !(Date.parse(effectiveAt) > Date.now()))
      throw new AdminApiError(422, 'validation_error', 'The time from which the fees are in force must be in the future (UTC).');
    if (changes.length === 0)
      return { goTo: PRICES_PATH, notice: `Neither a fee nor VAT differs from version ${book.version}, so nothing is published.` };
    return proposal({}, { book, proposed: { ...proposed, effectiveAt }, changes });
  });

  routes.act('/prices/publish', async ({ api }, form) => {
    const inForce = await api.get<PriceBookView>('/price-book');
    // The person confirmed a comparison with one version. Another version that was published since then would be overwritten unseen.
    if (form.text('version') !== String(inForce.version))
      throw new AdminApiError(
        409,
        'conflict',
        `Version ${inForce.version} was published in the meantime. Compare your fees with it first.`,
      );
    const effective_at = form.optional(EFFECTIVE_FIELD);
    const proposed = bookIn(form, Object.keys(inForce.fees));
    const { version } = await api.put<PriceBookView>('/price-book', { ...proposed, effective_at });
    const notice = effective_at === undefined ? `Version ${version} of the price book is in force.` : 'The fees are scheduled.';
    return { goTo: PRICES_PATH, notice };
  });

  routes.act('/prices/cancel', async ({ api }) => {
    await api.delete('/price-book/schedule');
    return { goTo: PRICES_PATH, notice: 'The scheduled fees are cancelled.' };
  });
}

/** Returns the fees and the rate of VAT of a submitted form. @throws AdminApiError if a field is missing or no amount */
function bookIn(form: Form, keys: readonly string[]): ComparedBook {
  const entries = keys.map((fee): [string, number] => {
    const amount = form.number(`${FEE_FIELD}${fee}`);
    if (typeof amount !== 'number')
      throw new AdminApiError(422, 'validation_error', `The fee ${fee} must be an amount in NGN, such as 60 or 60.50.`);
    return [fee, amount];
  });
  const vat_percent = form.number(VAT_FIELD);
  if (typeof vat_percent !== 'number')
    throw new AdminApiError(422, 'validation_error', 'The VAT must be a rate in percent, such as 7.5; 0 for none.');
  return { fees: Object.fromEntries(entries), vat_percent };
}
