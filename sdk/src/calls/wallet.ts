import {
  type ChainedWalletEntry,
  type GetOwnWalletHeadResponse,
  type GetOwnWalletProofResponse,
  type ListOwnWalletEntriesData,
  type ListOwnWalletEntriesResponse,
  type LowBalance,
  type OwnWalletHead,
  type SetLowBalanceResponse,
  type Statement,
  type WalletProof,
} from '../api-types.generated.js';
import { withResponse, type WithResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { RupaConnectionError } from '../rupa-error.js';
import { type CallOptions, type Transport } from '../transport.js';

/** A line of the export: an entry with all that its hash covers, as docs/audit.md describes it. */
export interface ExportedEntry {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly recorded_at: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly prev_hash: string;
  readonly hash: string;
}

/** Your wallet, its statements and the proofs of its history. */
export class WalletCalls {
  constructor(private readonly transport: Transport) {}

  /** Lists the entries, newest first. */
  entries({ cursor, ...query }: ListOwnWalletEntriesData['query'] = {}, options?: CallOptions): PagedList<ChainedWalletEntry> {
    return new PagedList(async (at) => {
      const request = { ...options, query: { ...query, cursor: at } };
      const { entries, next_cursor, lastResponse } = await this.transport.call<ListOwnWalletEntriesResponse>(
        'GET',
        '/v1/rupa/wallet/entries',
        request,
      );
      return withResponse({ items: entries, next_cursor }, lastResponse);
    }, cursor);
  }

  /** Shows the last entry's revision and hash, and the balance. */
  async head(options?: CallOptions): Promise<WithResponse<OwnWalletHead>> {
    return await this.transport.call<GetOwnWalletHeadResponse>('GET', '/v1/rupa/wallet/head', options);
  }

  /**
   * Streams every entry, oldest first, with all that its hash covers. `timeoutMs` limits the time until the response begins; the signal ends the
   * export at any time. @throws RupaConnectionError if the response is cut off
   */
  async *export(options?: CallOptions): AsyncGenerator<ExportedEntry, void, undefined> {
    for await (const line of this.transport.lines('/v1/rupa/wallet/export', 'application/x-ndjson', options)) yield entryOf(line);
  }

  /** Shows the statement of a month, such as `2026-03`. @throws StatementNotFoundError */
  async statement(month: string, options?: CallOptions): Promise<WithResponse<Statement>> {
    return await this.transport.call<{ data: Statement }>('GET', statementPath(month), options);
  }

  /** Returns the statement of a month as CSV, or as an HTML page to print. @throws StatementNotFoundError */
  async printedStatement(month: string, format: 'csv' | 'html', options?: CallOptions): Promise<string> {
    return await this.transport.text(statementPath(month), `text/${format}`, { ...options, query: { format } });
  }

  /** Returns the statement of a month as PDF. @throws StatementNotFoundError */
  async statementPdf(month: string, options?: CallOptions): Promise<Uint8Array> {
    return await this.transport.bytes(statementPath(month), 'application/pdf', { ...options, query: { format: 'pdf' } });
  }

  /** Shows the newest signed checkpoint that covers an entry, the last one by default, with the proof. @throws CheckpointNotFoundError */
  async proof(revision?: number, options?: CallOptions): Promise<WithResponse<WalletProof>> {
    const request = { ...options, ...(revision === undefined ? {} : { query: { revision } }) };
    return await this.transport.call<GetOwnWalletProofResponse>('GET', '/v1/rupa/wallet/proof', request);
  }

  /** Sets the balance in NGN below which `account.low_balance` is sent; null for never. */
  async setLowBalance(amount: number | null, options?: CallOptions): Promise<WithResponse<LowBalance>> {
    return await this.transport.call<SetLowBalanceResponse>('PUT', '/v1/rupa/me/low-balance', { ...options, body: { amount } });
  }
}

function entryOf(line: string): ExportedEntry {
  try {
    return JSON.parse(line) as ExportedEntry;
  } catch (error) {
    // A proxy may end a response properly although the service has not sent all of it.
    throw new RupaConnectionError('The export was cut off in the middle of an entry.', { cause: error });
  }
}

function statementPath(month: string): string {
  return `/v1/rupa/wallet/statements/${encodeURIComponent(month)}`;
}
