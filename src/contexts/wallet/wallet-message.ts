import { type CommandContext } from '../../platform/event-sourcing/batch.js';
import { type WalletCommand } from './domain/wallet-command.js';
import { type WalletRejectionCode } from './domain/rejections.js';

/** A command that another API may execute. Executing a charge twice is prevented by {@link WalletMessage.known}, a settlement by the state. */
export type SharedCommand = Extract<WalletCommand, { kind: 'charge' | 'settle' }>;

export interface SharedContext extends Pick<CommandContext, 'mode' | 'instance' | 'traceparent'> {
  readonly correlationId: string;
  readonly causationId: string;
}

/** Commands for one wallet, from the API that received the requests to the one that writes the wallet. All of it is JSON. */
export interface WalletMessage {
  readonly partner_id: string;
  /** A revision that the wallet had before any of the commands was first executed; null if the sender knows none. */
  readonly known: string | null;
  readonly commands: readonly { readonly command: SharedCommand; readonly context: SharedContext }[];
}

/** `failed` leaves open whether the command was executed; `unchecked` means that it was not. */
export type Outcome =
  | { readonly kind: 'done' | 'failed' | 'unchecked' }
  | { readonly kind: 'rejected'; readonly code: WalletRejectionCode; readonly facts: Readonly<Record<string, unknown>> };

export interface WalletReply {
  /** A revision that the wallet has; null if none could be read. */
  readonly revision: string | null;
  readonly outcomes: readonly Outcome[];
}
