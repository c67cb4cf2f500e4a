import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { toKobo, toNaira } from '../../../kernel/money.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { validateBody } from '../../../http/validating/validation.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { ClosedDays } from '../books/closed-days.js';
import { assertBooksWhole } from '../books/whole-books.js';
import { boundedAccount } from '../domain/entry-postings.js';
import { type EntryRequest, LEDGER_STREAMS, newEntry, type PostEntry, postedEntry } from '../domain/ledger.js';
import { LedgerEntryDto, type LedgerEntryView } from './ledger-entries.dto.js';

/**
 * Posts an entry for what happens outside of wallets, once per reference and mode (finance, "Money in and out").
 * @throws Rejection `owed_less_than_amount` if the account of a settlement, remittance or certificate holds less, `entry_not_reversible` if
 * there is no such entry to reverse, `entry_reference_reused` if the reference belongs to another entry; ValidationFailed for a day after
 * today; ReadModelBehind and RowForged, because the account might seem to hold more or less than it does
 */
export class PostLedgerEntry extends Command<LedgerEntryView> {
  constructor(
    readonly entry: LedgerEntryDto,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

/** The read models that say how much wallets hold of an account. */
const BOUNDING = [ledgerDayProjection, partnerProjection];

@CommandHandler(PostLedgerEntry)
export class PostLedgerEntryHandler implements ICommandHandler<PostLedgerEntry>, Approvable<PostLedgerEntry> {
  readonly approvalKind = 'ledger_entry';

  constructor(
    private readonly streams: Streams,
    private readonly days: ClosedDays,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly fourEyes: FourEyes,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {
    fourEyes.register(this);
  }

  async execute(command: PostLedgerEntry): Promise<LedgerEntryView> {
    if (!command.approval) await this.fourEyes.admit(this, command, command.entry, { mode: command.entry.mode ?? DEFAULT_MODE });
    return await this.post(await this.posting(command));
  }

  commandOf(call: ApprovableCall['call'], actor: string, approval?: Approval): PostLedgerEntry {
    return new PostLedgerEntry(validateBody(LedgerEntryDto, call), actor, approval);
  }

  async foresee(asked: PostLedgerEntry): Promise<Foreseen> {
    const command = await this.posting(asked);
    const { state } = await this.streams.of(LEDGER_STREAMS).load(command.mode);
    const posted = newEntry(command, state);
    const { mode, reference } = command;
    return posted && { mode, partner_id: null, amount_kobo: posted.data.amount_kobo, reference };
  }

  async isExecuted({ mode, reference }: RecordedCall, approvalId: string): Promise<boolean> {
    const { state } = await this.streams.of(LEDGER_STREAMS).load(mode);
    return reference !== null && postedEntry(state, reference)?.approval_id === approvalId;
  }

  private async post(command: PostEntry): Promise<LedgerEntryView> {
    const { mode } = command;
    const committed = await this.streams.of(LEDGER_STREAMS).execute(mode, command, { mode });
    await this.readModels.waitFor(committed);
    const posted = postedEntry(committed.state, command.reference);
    if (!posted) throw new Error(`The entry ${command.reference} is not in the state that it was posted to.`);
    const { kind, amount_kobo, account = null, of = null, reference, date, reason, actor, recorded_at } = posted;
    const shown = { mode, kind, amount: toNaira(amount_kobo), account, of, reference, date, reason, actor, recorded_at };
    return { ...shown, created: committed.events.length > 0 };
  }

  private async posting({ entry, actor, approval }: PostLedgerEntry): Promise<PostEntry> {
    const mode = entry.mode ?? DEFAULT_MODE;
    const request = requestOf(entry);
    const wallets_kobo = await this.heldByWallets(mode, request);
    return { ...request, mode, wallets_kobo, at: this.clock.iso(), actor, approval };
  }

  /** Returns the balance of the account that bounds the entry, over all wallets. Nothing is read for an entry without a bound. */
  private async heldByWallets(mode: Mode, { kind, account }: EntryRequest): Promise<bigint> {
    const bounded = boundedAccount(kind, account);
    if (bounded === null) return 0n;
    await this.readModels.waitForLog(BOUNDING, DOCUMENT_WAIT_MS);
    await assertBooksWhole(this.pool, BOUNDING);
    const nowMs = this.clock.now().getTime();
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      balance_kobo: await this.days.balanceOf(snapshot, mode, bounded, nowMs),
    }));
    return read.balance_kobo;
  }
}

/** Returns the request with null for each field that was not sent, which an empty text counts as. */
function requestOf({ kind, amount, account, of, reference, date, reason }: LedgerEntryDto): EntryRequest {
  const sent = (text: string | null | undefined): string | null => (text === undefined || text === '' ? null : text);
  const amount_kobo = amount == null ? null : toKobo(amount);
  return { kind, amount_kobo, account: sent(account), of: sent(of), reference, date: date ?? null, reason };
}
