import { type Pool } from 'pg';
import { keysBefore } from '../../projections/api-key/api-key.reader.js';
import { newestCalls } from '../../projections/admin-call/admin-call.reader.js';
import { farmersForLookups } from '../../projections/farmer-profile/farmer-profile.reader.js';
import { partnersBefore, partnersByBalance } from '../../projections/partner/partner.reader.js';
import { lookupsOfFarmer, lookupsOfRequest } from '../../projections/wallet-entry/charged-lookups.reader.js';
import { entriesToSearch } from '../../projections/wallet-entry/wallet-entry.reader.js';
import { endpointsBefore, endpointsOf } from '../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { GetRoster, GetRosterHandler, RosterBounds } from '../../src/contexts/consents/get-roster.query.js';
import { GetContributions, GetContributionsHandler } from '../../src/contexts/reports/get-contributions.query.js';
import { GetLookup, GetLookupHandler, GetLookups, GetLookupsHandler } from '../../src/contexts/lookups/listing/get-lookups.query.js';
import { GetWalletEntries, GetWalletEntriesHandler } from '../../src/contexts/wallet/entries/get-wallet-entries.query.js';
import { ListBalances, ListBalancesHandler } from '../../src/contexts/wallet/entries/list-balances.query.js';
import { EventList, EventListLimits } from '../../src/contexts/webhooks/events/event-list.js';
import { type DeliveryFilter, GetDeliveries, GetDeliveriesHandler } from '../../src/contexts/webhooks/delivering/get-deliveries.query.js';
import { Cursors } from '../../src/http/validating/paging.js';
import { wideConsents } from './list-world.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { type ReadYourWrites } from '../../src/platform/projecting/in-memory/read-your-writes.js';
import { anyRow } from './row-macs.js';
import { EndpointFinder } from '../../src/contexts/webhooks/endpoints/endpoint-finder.js';

const readModels = { waitForStream: () => Promise.resolve() } as unknown as ReadModels;
const writes = { waitFor: () => Promise.resolve() } as unknown as ReadYourWrites;

export interface ListCall {
  readonly name: string;
  /** The number of rows below which the call stays, however many there are. */
  readonly most: number;
  readonly call: (pool: Pool) => Promise<unknown>;
  /** Whether the call is billed, so that its connection is none for pages. */
  readonly isBilled?: boolean;
}

const MILLION = 1_000_000;
const LIMIT = 50;
/** A page and the items that belong to its rows. */
const PAGE_ROWS = 12 * (LIMIT + 1);
/** Rows of the tables that a lookup reads by their keys, and those of indexes that lead to them. */
const LOOKUP_ROWS = 20;
/** The partners and endpoints of a data set, a share of its rows. */
const MOST_PARTNERS = 0.25;
/** A page of lookups looks through at most so many entries of a wallet, each of which is read twice. */
const SEARCHED_ENTRIES = 2.1 * 5 * 4_000;
const PARTNERS = ['large', 'small', 'nobody', 'p-7'] as const;
const AT = '2026-11-01T00:00:00.000Z';

/** Returns the calls of all lists. @param rows rows of the largest tables */
export function listCalls(rows: number): ListCall[] {
  const page = (name: string, call: ListCall['call'], most = PAGE_ROWS): ListCall => ({ name, most, call });
  const middle = Math.floor(rows / 2);
  const each = (name: string, call: (pool: Pool, partnerId: string) => Promise<unknown>, most?: number): ListCall[] =>
    [...PARTNERS, 'repeating', 'credited'].map((partnerId) => {
      const searched = partnerId === 'credited' && name.startsWith('lookups') ? SEARCHED_ENTRIES : most;
      return page(`${name}, ${partnerId}`, (pool) => call(pool, partnerId), searched);
    });
  return [
    ...eventCalls(rows),
    ...lookupCalls(),
    ...rosterCalls(rows),
    ...each('lookups', (pool, id) => new GetLookupsHandler(pool, readModels).execute(new GetLookups(id, LIMIT, {}))),
    ...each('lookups, deep', (pool, id) =>
      new GetLookupsHandler(pool, readModels).execute(
        new GetLookups(id, LIMIT, { cursor: new Cursors('lookups', 'integer').at([middle]) }),
      ),
    ),
    ...['same', 'chosen 7', 'r'].flatMap((requestId) =>
      each(`lookups of request ${requestId}`, (pool, id) =>
        new GetLookupsHandler(pool, readModels).execute(new GetLookups(id, LIMIT, { requestId })),
      ),
    ),
    ...['rp-hot', 'rp-7', 'rp-none'].flatMap((rupaId) => [
      ...each(`charged for ${rupaId}`, (pool, id) =>
        new GetLookupsHandler(pool, readModels).execute(new GetLookups(id, LIMIT, { rupaId })),
      ),
      ...each(`reported about ${rupaId}`, (pool, id) =>
        new GetContributionsHandler(pool, writes).execute(new GetContributions({ partner_id: id, test_run: 0 }, LIMIT, { rupaId })),
      ),
    ]),
    ...each('charged in a period', (pool, id) =>
      new GetLookupsHandler(pool, readModels).execute(new GetLookups(id, LIMIT, { from: AT, to: AT })),
    ),
    ...each('reported in a period', (pool, id) =>
      new GetContributionsHandler(pool, writes).execute(new GetContributions({ partner_id: id, test_run: 0 }, LIMIT, { from: AT, to: AT })),
    ),
    page('a lookup', (pool) =>
      new GetLookupHandler(pool, readModels).execute(new GetLookup('large', `l${middle + 1}`)).catch(() => undefined),
    ),
    ...PARTNERS.map((partnerId) =>
      page(`manual entries and a charge, ${partnerId}`, (pool) => entriesToSearch(pool, partnerId, `l${middle + 1}`, -1n)),
    ),
    ...each('wallet entries', (pool, id) =>
      new GetWalletEntriesHandler(pool, readModels).execute(new GetWalletEntries(id, undefined, LIMIT, 'desc')),
    ),
    ...each('wallet entries, deep', (pool, id) =>
      new GetWalletEntriesHandler(pool, readModels).execute(new GetWalletEntries(id, middle, LIMIT, 'asc')),
    ),
    ...[
      { type: 'CreditReversed' as const },
      { rupa_id: 'rp-none' },
      { min_amount: 1_000_000 },
      { recorded_from: AT, type: 'WalletDebited' as const },
    ]
      .map((filter) =>
        each(
          `wallet entries with ${JSON.stringify(filter)}`,
          (pool, id) => new GetWalletEntriesHandler(pool, readModels).execute(new GetWalletEntries(id, undefined, LIMIT, 'desc', filter)),
          SEARCHED_ENTRIES,
        ),
      )
      .flat(),
    ...each('balances', (pool, id) => new ListBalancesHandler(pool, readModels).execute(new ListBalances(id, { from: AT }, 200)), 3_000),
    ...each('contributions', (pool, id) =>
      new GetContributionsHandler(pool, writes).execute(new GetContributions({ partner_id: id, test_run: 0 }, LIMIT, {})),
    ),
    ...each('contributions, deep', (pool, id) =>
      new GetContributionsHandler(pool, writes).execute(
        new GetContributions({ partner_id: id, test_run: 0 }, LIMIT, {
          cursor: new Cursors('contributions', 'time', 'integer').at([AT, middle]),
        }),
      ),
    ),
    ...['same', 'chosen 7', 'none'].flatMap((partnerReference) =>
      each(`contributions ${partnerReference}`, (pool, id) =>
        new GetContributionsHandler(pool, writes).execute(
          new GetContributions({ partner_id: id, test_run: 0 }, LIMIT, { partnerReference }),
        ),
      ),
    ),
    ...deliveryCalls(middle),
    ...administratorCalls(middle, rows),
  ];
}

/** Lookups are no lists, but their statement reads the same tables. */
function lookupCalls(): ListCall[] {
  const wanted = { n: 0, partner_id: 'large', test_subject: '' };
  return ['rp-hot', 'rp-7', 'rp-none'].map((rupa_id) => ({
    name: `lookup of ${rupa_id}`,
    most: LOOKUP_ROWS,
    isBilled: true,
    call: (pool: Pool) => farmersForLookups(pool, anyRow, [{ ...wanted, rupa_id }]),
  }));
}

function eventCalls(rows: number): ListCall[] {
  const lower = {
    window: 2_000,
    fewNotifications: 100,
    fewConsents: 100,
    merged: 500,
    mostConsents: 20_000,
    fewFarmers: 100,
    remembered: 1_000,
  };
  const limits = rows >= MILLION ? new EventListLimits() : lower;
  const call = (partner_id: string, after: number, filter: { type?: string; rupaId?: string }) => (pool: Pool) =>
    new EventList(pool, anyRow, limits).after(String(after), { partner_id }, filter, LIMIT);
  // The consents of a partner who has many of them and no event are looked through a window at a time.
  const mostOf = (partner: string): number => 6 * limits.window * (partner === 'wide' ? Math.ceil(wideConsents(rows) / limits.window) : 1);
  const filters = {
    events: {},
    'events of a type': { type: 'farmer.loan_added' },
    'events of a rare type': { type: 'farmer.none' },
    'events of a farmer': { rupaId: 'rp-7' },
    'events of the farmer': { rupaId: 'rp-hot' },
    'events of the farmer of a rare type': { rupaId: 'rp-hot', type: 'farmer.none' },
  };
  return [...PARTNERS, 'wide'].flatMap((partner) =>
    [0, Math.floor(rows / 2), rows].flatMap((after) =>
      Object.entries(filters).map(([name, filter]) => ({
        name: `${name} after ${after}, ${partner}`,
        most: mostOf(partner),
        call: call(partner, after, filter),
      })),
    ),
  );
}

function rosterCalls(rows: number): ListCall[] {
  const at = (before: number, asOf: number): string => new Cursors('consents', 'integer', 'integer').at([before, asOf]);
  const bounds = rows >= MILLION ? new RosterBounds() : { window: 200, windows: 5, fewConsents: 100 };
  const most = 4 * bounds.window * bounds.windows;
  const cursors = { first: undefined, deep: at(rows / 4, rows), moved: at(rows / 8, rows / 4) };
  return [...PARTNERS, 'repeating', 'credited'].flatMap((partner) =>
    Object.entries(cursors).map(([name, cursor]) => ({
      name: `consents, ${name}, ${partner}`,
      most,
      call: (pool: Pool) => new GetRosterHandler(pool, readModels, bounds).execute(new GetRoster(partner, LIMIT, cursor)),
    })),
  );
}

function deliveryCalls(middle: number): ListCall[] {
  const cursor = new Cursors('deliveries', 'time', 'integer').at([AT, middle]);
  const filters: readonly DeliveryFilter[] = [
    { status: 'delivered' },
    { status: 'failed' },
    { from: '2026-10-02T00:00:00.000Z', to: '2026-10-02T01:00:00.000Z' },
    { to: '2020-01-01T00:00:00.000Z' },
    { rupaId: 'rp-hot' },
    { rupaId: 'rp-hot', status: 'failed' },
    { rupaId: 'rp-7', from: AT },
    { rupaId: 'rp-none' },
  ];
  const own: readonly (readonly [string, number])[] = [
    ['large', 1],
    ['small', 2],
    ['p-7', 1_007],
  ];
  return own.flatMap(([partner, id]) => [
    { name: `deliveries, ${partner}`, most: PAGE_ROWS, call: (pool: Pool) => deliveries(pool, partner, id) },
    { name: `deliveries, deep, ${partner}`, most: PAGE_ROWS, call: (pool: Pool) => deliveries(pool, partner, id, cursor) },
    ...filters.flatMap((filter) =>
      [undefined, cursor].map((at) => ({
        name: `deliveries ${JSON.stringify(filter)}${at === undefined ? '' : ', deep'}, ${partner}`,
        most: PAGE_ROWS,
        call: (pool: Pool) => deliveries(pool, partner, id, at, filter),
      })),
    ),
    { name: `endpoints, ${partner}`, most: PAGE_ROWS, call: (pool: Pool) => endpointsOf(pool, partner, undefined) },
  ]);
}

async function deliveries(pool: Pool, partner: string, id: number, cursor?: string, filter: DeliveryFilter = {}): Promise<unknown> {
  return await new GetDeliveriesHandler(pool, anyRow, new EndpointFinder(pool, anyRow))
    .execute(new GetDeliveries(partner, id, LIMIT, filter, cursor))
    .catch(() => undefined);
}

function administratorCalls(middle: number, rows: number): ListCall[] {
  // Partners and endpoints of all states are few. A list that has to look at each one grows with their number and with nothing else.
  const all = 3 * MOST_PARTNERS * rows + 250_000;
  const list = (name: string, call: ListCall['call'], most = PAGE_ROWS): ListCall => ({ name: `admin: ${name}`, most, call });
  const filters = [
    {},
    { actor: 'amina' },
    { actor: 'rare' },
    { actor: 'nobody' },
    { action: 'GET' },
    { action: 'DELETE' },
    { action: '/admin/v1/rare' },
  ];
  const windows = [{}, { from: AT, to: AT }, { from: '2030-01-01T00:00:00.000Z' }, { to: '2020-01-01T00:00:00.000Z' }];
  return [
    ...filters.flatMap((filter) =>
      windows.flatMap((window) =>
        [undefined, String(middle)].map((before) =>
          list(
            `trail ${JSON.stringify({ ...filter, ...window })} before ${before ?? 'end'}`,
            (pool) => newestCalls(pool, { ...filter, ...window }, before, LIMIT + 1),
            4_000,
          ),
        ),
      ),
    ),
    ...[undefined, [AT, 'k500'] as const].flatMap((before) => [
      list(`keys ${String(before)}`, (pool) => keysBefore(pool, anyRow, {}, before, LIMIT + 1)),
      list(`unlinked keys ${String(before)}`, (pool) => keysBefore(pool, anyRow, { linked: false }, before, LIMIT + 1)),
      list(`linked keys ${String(before)}`, (pool) => keysBefore(pool, anyRow, { linked: true }, before, LIMIT + 1)),
      ...PARTNERS.map((partnerId) =>
        list(`keys of ${partnerId} ${String(before)}`, (pool) => keysBefore(pool, anyRow, { partnerId }, before, LIMIT + 1)),
      ),
      list(`partners ${String(before)}`, (pool) => partnersBefore(pool, {}, before ?? [], LIMIT + 1)),
      list(`partners without a match ${String(before)}`, (pool) => partnersBefore(pool, { search: '100%' }, before ?? [], LIMIT + 1), all),
    ]),
    list('partners by balance', (pool) => partnersByBalance(pool, {}, LIMIT + 1), all),
    list('partners by balance without a match', (pool) => partnersByBalance(pool, { search: '100%' }, LIMIT + 1), all),
    ...['rp-hot', 'rp-7', 'none'].flatMap((rupaId) => [
      list(`lookups of farmer ${rupaId}`, (pool) => lookupsOfFarmer(pool, rupaId, {}, undefined, LIMIT + 1)),
      list(`lookups of farmer ${rupaId}, deep`, (pool) => lookupsOfFarmer(pool, rupaId, { to: AT }, [AT, 'large', middle], LIMIT + 1)),
    ]),
    ...['same', 'chosen 7', 'none'].map((requestId) =>
      list(`lookups of request ${requestId}`, (pool) => lookupsOfRequest(pool, requestId, 20), 3_000),
    ),
    ...[undefined, 1_500].flatMap((before) => [
      list(`endpoints ${before ?? ''}`, (pool) => endpointsBefore(pool, {}, before, LIMIT + 1), 250_000),
      list(`failing endpoints ${before ?? ''}`, (pool) => endpointsBefore(pool, { failing: true }, before, LIMIT + 1), 250_000),
      list(`endpoints that do not fail ${before ?? ''}`, (pool) => endpointsBefore(pool, { failing: false }, before, LIMIT + 1), all),
      ...PARTNERS.map((partnerId) =>
        list(`endpoints of ${partnerId} ${before ?? ''}`, (pool) => endpointsBefore(pool, { partnerId }, before, LIMIT + 1), 5_000),
      ),
    ]),
  ];
}
