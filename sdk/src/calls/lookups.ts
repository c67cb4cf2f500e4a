import { type ChargedLookup, type GetLookupResponse, type ListLookupsData, type ListLookupsResponse } from '../api-types.generated.js';
import { withResponse, type WithResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { type CallOptions, type Transport } from '../transport.js';

/** The lookups that you were charged for. `client.lookup()` makes one. */
export class Lookups {
  constructor(private readonly transport: Transport) {}

  /** Lists them, newest first. */
  list({ cursor, ...query }: ListLookupsData['query'] = {}, options?: CallOptions): PagedList<ChargedLookup> {
    return new PagedList(async (at) => {
      const request = { ...options, query: { ...query, cursor: at } };
      const { lookups, next_cursor, lastResponse } = await this.transport.call<ListLookupsResponse>('GET', '/v1/rupa/lookups', request);
      return withResponse({ items: lookups, next_cursor }, lastResponse);
    }, cursor);
  }

  /** Shows one by the `billing.lookup_id` of its response. @throws LookupNotFoundError */
  async get(lookupId: string, options?: CallOptions): Promise<WithResponse<ChargedLookup>> {
    return await this.transport.call<GetLookupResponse>('GET', `/v1/rupa/lookups/${encodeURIComponent(lookupId)}`, options);
  }
}
