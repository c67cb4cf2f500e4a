import {
  type ConsentEntry,
  type ListConsentsData,
  type ListConsentsResponse,
  type ReleaseConsentResponse,
  type ReleasedConsent,
} from '../api-types.generated.js';
import { withResponse, type WithResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { type CallOptions, type Transport } from '../transport.js';

/** Your consent roster: the farmers that you looked up and have not released. */
export class Consents {
  constructor(private readonly transport: Transport) {}

  /** Lists the entries, the farmer looked up last first. */
  list({ cursor, ...query }: ListConsentsData['query'] = {}, options?: CallOptions): PagedList<ConsentEntry> {
    return new PagedList(async (at) => {
      const request = { ...options, query: { ...query, cursor: at } };
      const { consents, next_cursor, lastResponse } = await this.transport.call<ListConsentsResponse>('GET', '/v1/rupa/consents', request);
      return withResponse({ items: consents, next_cursor }, lastResponse);
    }, cursor);
  }

  /**
   * Releases a farmer.
   * @throws ConsentNotFoundError if the farmer is not on the roster, also if an earlier attempt of this call released it without a response
   */
  async release(rupaId: string, options?: CallOptions): Promise<WithResponse<ReleasedConsent>> {
    return await this.transport.call<ReleaseConsentResponse>('DELETE', `/v1/rupa/consents/${encodeURIComponent(rupaId)}`, options);
  }
}
