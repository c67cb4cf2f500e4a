import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { CommandAbandoned } from '../../platform/event-sourcing/queued-commands.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { type ChainHead, type WalletVerification, WalletVerifier } from './domain/verify-wallet.js';
import { type WalletVerificationView } from './wallet-responses.dto.js';

export interface VerifyOptions {
  /** A head that was noted earlier and must still be in the chain. */
  readonly since?: ChainHead | undefined;
  /** Stops the reading when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called after each page with its number of entries. */
  readonly onPage?: (entries: number) => void;
}

/**
 * Reads a wallet from the log, not from a read model, and checks every rule.
 * @throws CommandAbandoned if the signal is aborted
 */
export class VerifyWallet extends Query<WalletVerification> {
  constructor(
    readonly partnerId: string,
    readonly options: VerifyOptions = {},
  ) {
    super();
  }
}

@QueryHandler(VerifyWallet)
export class VerifyWalletHandler implements IQueryHandler<VerifyWallet> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {}

  async execute({ partnerId, options: { since, signal, onPage } }: VerifyWallet): Promise<WalletVerification> {
    const stream = `wallet-${partnerId}`;
    const verifier = new WalletVerifier(stream, since);
    for await (const page of this.eventStore.streamPages(stream)) {
      if (signal?.aborted) throw new CommandAbandoned('The caller had given up.');
      const valid = page.every((entry) => verifier.add(this.codec.inFull(entry)));
      onPage?.(page.length);
      if (!valid) break;
    }
    const { rows } = await this.pool.query<{ now: string }>('select clock_timestamp() as now');
    return verifier.result(rows[0]?.now ?? '');
  }
}

/** Returns the verification as the API and `rupa wallet verify --json` show it. */
export function verificationView({ fault, ...rest }: WalletVerification): WalletVerificationView {
  return { ...rest, fault: fault && { revision: fault.revision, rule: fault.rule, message: fault.message } };
}
