import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../infrastructure/clock.js';
import { type ChargeCommand } from './domain/wallet.js';
import { WalletStream } from './wallet-stream.js';

export type Charge = Omit<ChargeCommand, 'kind' | 'at' | 'actor'>;

/** One append: the debit, and the consent that the look-up grants. Raises Refusal `insufficient_balance`. */
export class ChargeLookup extends Command<void> {
  constructor(
    readonly charge: Charge,
    readonly context: { readonly mode: 'live' | 'sandbox'; readonly correlationId: string; readonly signal: AbortSignal },
  ) {
    super();
  }
}

@CommandHandler(ChargeLookup)
export class ChargeLookupHandler implements ICommandHandler<ChargeLookup> {
  constructor(
    private readonly stream: WalletStream,
    private readonly clock: Clock,
  ) {}

  async execute({ charge, context }: ChargeLookup): Promise<void> {
    const command: ChargeCommand = { ...charge, kind: 'charge', at: this.clock.iso(), actor: `key:${charge.key_id}` };
    await this.stream.execute(charge.partner_id, command, context);
  }
}
