import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { type CommandResult } from '../../../platform/event-sourcing/writing/batch.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { PeriodRejection } from '../domain/closing.js';
import { type LedgerEvent, type PeriodClosed } from '../domain/events.js';
import { LEDGER_STREAMS, type LedgerState } from '../domain/ledger.js';
import { type Month } from '../domain/month.js';
import { IssuerOptions } from '../statements/get-statement.query.js';
import { MonthReads } from './month-reads.js';

/** A closed month, and whether this call closed it. */
export interface CloseResult {
  readonly closed: PeriodClosed['data'];
  readonly created: boolean;
}

/**
 * Closes a month of a mode, once (finance, "Closing a month").
 * @throws Rejection `period_unknown` for a month that has not begun or is before the books' first entry, `period_not_ended` until five minutes
 * after its end, `period_out_of_order` while an earlier one is open, `period_has_open_charges`, `period_moved` if entries were posted during
 * each attempt; ReadModelBehind, EventSetAside and RowForged, because totals might be wrong
 */
export class ClosePeriod extends Command<CloseResult> {
  constructor(
    readonly month: Month,
    readonly mode: Mode = DEFAULT_MODE,
    readonly actor: string,
  ) {
    super();
  }
}

/** An entry that is posted between the read of the totals and the close makes them outdated. A few people post entries, so few attempts do. */
const ATTEMPTS = 5;

@CommandHandler(ClosePeriod)
export class ClosePeriodHandler implements ICommandHandler<ClosePeriod> {
  constructor(
    private readonly streams: Streams,
    private readonly months: MonthReads,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly options: IssuerOptions,
  ) {}

  async execute(command: ClosePeriod): Promise<CloseResult> {
    const { mode, month } = command;
    // A month that is closed is shown also while read models lag.
    const { state } = await this.streams.of(LEDGER_STREAMS).load(mode);
    const known = state.closed.get(month.name);
    if (known) return { closed: known, created: false };
    const committed = await this.attempt(command);
    await this.readModels.waitFor(committed);
    const closed = committed.state.closed.get(month.name);
    if (!closed) throw new Error(`The month ${month.name} is not in the state that it was closed in.`);
    return { closed, created: committed.events.length > 0 };
  }

  private async attempt({ mode, month, actor }: ClosePeriod): Promise<CommandResult<LedgerState, LedgerEvent>> {
    const { issuer, prefix } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const read = await this.months.of(mode, month);
      const close = { kind: 'close', mode, month, read, issuer, prefix, at: this.clock.iso(), actor } as const;
      try {
        return await this.streams.of(LEDGER_STREAMS).execute(mode, close, { mode });
      } catch (error) {
        if (!(error instanceof PeriodRejection && error.code === 'period_moved') || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
