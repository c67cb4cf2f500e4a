import { type Clock } from '../../kernel/clock.js';
import { type CommandContext } from '../../platform/event-sourcing/batch.js';
import { type WalletCommand } from './domain/wallet-command.js';
import { type WalletRejectionCode } from './domain/rejections.js';

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

/**
 * A command that another API may execute. Executing a charge twice is prevented by {@link WalletMessage.known}, a settlement by the state.
 * It has no time: the API that appends dates the event, so a sender whose clock is wrong puts no wrong time into the log.
 */
export type SharedCommand = WithoutTime<Extract<WalletCommand, { kind: 'charge' | 'settle' }>>;

/** Dates a command, immediately before this process executes it. A time that the command came with does not count. */
export function dated(command: SharedCommand, clock: Clock): WalletCommand {
  return { ...command, at: clock.iso() };
}

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
