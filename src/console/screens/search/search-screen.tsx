import { type Column, Table } from '../../components/table.js';
import { queryOf, type AdminApi, AdminApiError, pathOf } from '../../admin-api.js';
import { Badge, Notice } from '../../components/text.js';
import { type Screen, type Routes } from '../../screen.js';
import { type FarmerReport } from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { type PartnerList, type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type LookupExplanations, type LookupExplanationView } from '../../../contexts/lookups/explaining/lookup-explanation.dto.js';

/** Something that the search found. */
interface Hit {
  readonly kind: 'Partner' | 'Lookup' | 'Farmer';
  readonly name: string;
  /** Absolute path of its screen. */
  readonly path: string;
}

const COLUMNS: readonly Column<Hit>[] = [
  { head: 'Kind', cell: ({ kind }) => <Badge tone="plain">{kind}</Badge> },
  { head: 'Found', cell: ({ name, path }) => <a href={path}>{name}</a> },
];

const NOTHING =
  'Nothing was found. Search for a partner’s id or a part of its name, a farmer’s Rupa id, the id of a lookup, or the X-Request-Id of a lookup’s response.';

/** What the search found. */
interface Found {
  readonly hits: readonly Hit[];
  /** Whether more have the text in their name, or belong to the request. */
  readonly hasMore: boolean;
}

function searchScreen(text: string, { hits, hasMore }: Found): Screen {
  return {
    title: text === '' ? 'Search' : `Search: ${text}`,
    area: null,
    body: (
      <>
        {hasMore ? (
          <Notice tone="warn">
            These are the first {hits.length} of more than {hits.length}. Narrow it: search for a longer part of the name
            {text === '' ? null : (
              <>
                , or see <a href={`/console/partners${queryOf({ search: text })}`}>all partners with it</a>
              </>
            )}
            .
          </Notice>
        ) : null}
        <Table label="Found" columns={COLUMNS} rows={hits} empty={NOTHING} />
      </>
    ),
  };
}

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;
/** Partners that are shown, and lookups of a request, of which one call finds no more. */
const SHOWN = 20;

/** The search over partners, lookups, request ids and farmers. */
export function addSearchScreens(routes: Routes): void {
  routes.screen('/search', async ({ api, query: { q = '' } }) => {
    const text = q.trim();
    return searchScreen(text, text === '' ? { hits: [], hasMore: false } : await search(api, text));
  });
}

async function search(api: AdminApi, text: string): Promise<Found> {
  const found = UUID.test(text)
    ? await Promise.all([partnerOf(api, text), lookupOf(api, text), lookupsOfRequest(api, text)])
    : await Promise.all([farmerOf(api, text), partnersNamed(api, text)]);
  return { hits: found.flatMap((hits) => hits.slice(0, SHOWN)), hasMore: found.some((hits) => hits.length > SHOWN) };
}

async function partnerOf(api: AdminApi, id: string): Promise<readonly Hit[]> {
  const partner = await ifFound(api.get<PartnerView>(pathOf`/partners/${id}`));
  return partner ? [hitOfPartner(partner)] : [];
}

async function lookupOf(api: AdminApi, id: string): Promise<readonly Hit[]> {
  const lookup = await ifFound(api.get<LookupExplanationView>(pathOf`/lookups/${id}`));
  return lookup ? [hitOfLookup(lookup)] : [];
}

async function lookupsOfRequest(api: AdminApi, request_id: string): Promise<readonly Hit[]> {
  const found = await ifFound(api.get<LookupExplanations>('/lookups', { request_id }));
  return (found?.lookups ?? []).map(hitOfLookup);
}

async function farmerOf(api: AdminApi, id: string): Promise<readonly Hit[]> {
  const report = await ifFound(api.get<FarmerReport>(pathOf`/farmers/${id}/report`));
  return report ? [{ kind: 'Farmer', name: report.rupa_id, path: `/console${pathOf`/farmers/${report.rupa_id}`}` }] : [];
}

async function partnersNamed(api: AdminApi, text: string): Promise<readonly Hit[]> {
  const found = await ifFound(api.get<PartnerList>('/partners', { search: text, limit: SHOWN + 1 }));
  return (found?.partners ?? []).map(hitOfPartner);
}

function hitOfPartner({ partner_id, company_name }: PartnerView): Hit {
  return { kind: 'Partner', name: company_name, path: `/console${pathOf`/partners/${partner_id}`}` };
}

function hitOfLookup({ lookup_id, partner, rupa_id }: Pick<LookupExplanationView, 'lookup_id' | 'partner' | 'rupa_id'>): Hit {
  return { kind: 'Lookup', name: `${partner.company_name} looked up ${rupa_id}`, path: `/console${pathOf`/lookups/${lookup_id}`}` };
}

/** Returns undefined for an id that nothing has, or that has not the form of one. */
async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AdminApiError && [404, 422].includes(error.status)) return undefined;
    throw error;
  }
}
