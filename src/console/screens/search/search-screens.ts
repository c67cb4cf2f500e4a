import { type FarmerReport } from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { type PartnerList, type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type LookupExplanations, type LookupExplanationView } from '../../../contexts/lookups/explaining/lookup-explanation.dto.js';
import { type AdminApi, AdminApiError, pathOf } from '../../admin-api.js';
import { type Routes } from '../../screen.js';
import { type Found, type Hit, searchScreen } from './search-screen.js';

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
