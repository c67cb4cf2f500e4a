import { type ListContributionsData, type ListContributionsResponse, type OwnContribution } from '../api-types.generated.js';
import { withResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { type CallOptions, type Transport } from '../transport.js';

/** Your own reports. `client.report()` makes one. */
export class Contributions {
  constructor(private readonly transport: Transport) {}

  /** Lists them, newest first. */
  list({ cursor, ...query }: ListContributionsData['query'] = {}, options?: CallOptions): PagedList<OwnContribution> {
    return new PagedList(async (at) => {
      const request = { ...options, query: { ...query, cursor: at } };
      const data = await this.transport.call<ListContributionsResponse>('GET', '/v1/rupa/contributions', request);
      return withResponse({ items: data.contributions, next_cursor: data.next_cursor }, data.lastResponse);
    }, cursor);
  }
}
