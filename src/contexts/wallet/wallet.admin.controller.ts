import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { IdParam } from '../../http/validating/path-parameters.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor } from '../../http/authenticating/admin-authentication.js';
import { CallerGone, Deadline } from '../../http/limiting/deadline.js';
import { type FastifyReply } from 'fastify';
import { type Body as ResponseBody, JSON_LINES_TYPE } from '../../http/limiting/large-bodies.js';
import { success, type Success } from '../../http/envelope.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, RespondsText, Operation, AdminApi } from '../../http/openapi/operation.js';
import { Reads } from '../../http/route-rules.js';
import { MayWaitForApproval } from '../approvals/public.js';
import { PARTNER_ID, PARTNER_NOT_FOUND, RegisteredPartners } from '../partners/public.js';
import { CreditWallet } from './crediting/credit-wallet.command.js';
import { toNaira } from '../../kernel/money.js';
import { parseChainHead } from './domain/verify-wallet.js';
import { GetWalletBalance } from './entries/get-wallet-balance.query.js';
import { GetWalletEntries } from './entries/get-wallet-entries.query.js';
import { ListBalances } from './entries/list-balances.query.js';
import { PayOut } from './crediting/pay-out.command.js';
import { ReverseCredit } from './crediting/reverse-credit.command.js';
import { verificationView, VerifyWallet } from './verifying/verify-wallet.query.js';
import { WalletExport } from './verifying/wallet-export.js';
import {
  CREDIT_NOT_REVERSIBLE,
  CreditedWallet,
  EXPORT_EXAMPLE,
  PaidOut,
  PAYOUT_TOO_HIGH,
  REFERENCE_REUSED,
  ReversedCredit,
  WalletBalance,
  WalletBalances,
  WalletEntries,
  WalletVerificationView,
} from './wallet-responses.dto.js';
import {
  BalanceQueryDto,
  BalancesQueryDto,
  CreditDto,
  ENTRIES_PER_PAGE,
  EntriesQueryDto,
  PayoutDto,
  POINTS,
  ReversalDto,
  VerificationQueryDto,
} from './wallet.dto.js';

/** Time limit of a verification, long enough for millions of entries. */
const VERIFICATION_DEADLINE_MS = 5 * 60_000;

const SAMPLED =
  'Balances after entries at equal distances, oldest first: after every entry if the period has few, after every 250th if it has many.';
const FILTERED = 'With a filter, a call looks through 20,000 entries, so a page may be short although `next` names another one.';
const PAYOUTS =
  'Responds with 201, and with 200 and `created` false to a repeated reference. Credit a payout that the bank returns as a payment.';
const EXPORTED =
  'The file that `rupa wallet export` writes. Amounts are integer kobo. If the service fails on the way, it closes the connection.';

@Controller('admin/v1/partners/:id/wallet')
@AdminApi('Wallets')
@PARTNER_ID
@Fails(PARTNER_NOT_FOUND)
export class WalletAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly partners: RegisteredPartners,
    private readonly exports: WalletExport,
  ) {}

  @Post('credits')
  @HttpCode(200)
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('creditWallet', 'Credit a wallet, once per reference')
  @Responds(CreditedWallet)
  @MayWaitForApproval
  @Fails(REFERENCE_REUSED)
  async credit(@IdParam() id: string, @Body() credit: CreditDto, @Actor() actor: string): Promise<Success<CreditedWallet>> {
    await this.partners.assertExists(id);
    const { balance_kobo, created } = await this.commands.execute(new CreditWallet(id, credit, actor));
    return success({ balance: toNaira(balance_kobo), created });
  }

  @Post('reversals')
  @HttpCode(200)
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('reverseCredit', 'Take back a credit or a part of it, once per reference')
  @Responds(ReversedCredit)
  @MayWaitForApproval
  @Fails(CREDIT_NOT_REVERSIBLE)
  async reverse(@IdParam() id: string, @Body() reversal: ReversalDto, @Actor() actor: string): Promise<Success<ReversedCredit>> {
    await this.partners.assertExists(id);
    const { balance_kobo, reversed_kobo, created } = await this.commands.execute(new ReverseCredit(id, reversal, actor));
    return success({ balance: toNaira(balance_kobo), reversed: toNaira(reversed_kobo), created });
  }

  @Post('payouts')
  @HttpCode(201)
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('payOutWallet', 'Record that a partner’s balance, or a part of it, was paid out to its bank, once per reference', PAYOUTS)
  @Responds(PaidOut, { status: 201 })
  @Responds(PaidOut)
  @MayWaitForApproval
  @Fails(PAYOUT_TOO_HIGH)
  async payOut(
    @IdParam() id: string,
    @Body() payout: PayoutDto,
    @Actor() actor: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<PaidOut>> {
    await this.partners.assertExists(id);
    const { balance_kobo, created } = await this.commands.execute(new PayOut(id, payout, actor));
    if (!created) reply.status(200);
    return success({ balance: toNaira(balance_kobo), created });
  }

  @Get()
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('getWallet', 'Get a wallet’s balance, current or as of a time')
  @Responds(WalletBalance)
  async balance(@IdParam() id: string, @Query() { at }: BalanceQueryDto): Promise<Success<WalletBalance>> {
    await this.partners.assertExists(id);
    const { balance_kobo, revision } = await this.queries.execute(new GetWalletBalance(id, at));
    return success({ balance: toNaira(balance_kobo), revision });
  }

  @Get('entries')
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('listWalletEntries', 'List a wallet’s entries, oldest or newest first', FILTERED)
  @Responds(WalletEntries)
  async entries(
    @IdParam() id: string,
    @Query() { from, limit = ENTRIES_PER_PAGE, order, ...filter }: EntriesQueryDto,
  ): Promise<Success<WalletEntries>> {
    await this.partners.assertExists(id);
    return success(await this.queries.execute(new GetWalletEntries(id, from, limit, order, filter)));
  }

  @Get('balances')
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('listWalletBalances', 'Get a wallet’s balance over a period, such as for a chart', SAMPLED)
  @Responds(WalletBalances)
  async balances(@IdParam() id: string, @Query() { from, to, points = POINTS }: BalancesQueryDto): Promise<Success<WalletBalances>> {
    await this.partners.assertExists(id);
    return success(await this.queries.execute(new ListBalances(id, { from, to }, points)));
  }

  @Get('export')
  @Reads({ recent: ['partner'] })
  @Operation('exportWallet', 'Export a wallet as JSON lines, which anyone can check (docs/audit.md)', EXPORTED)
  @RespondsText(200, 'An entry per line, oldest first; streamed.', { [JSON_LINES_TYPE]: EXPORT_EXAMPLE })
  async export(@IdParam() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    await this.partners.assertExists(id);
    return await this.exports.send(reply, id);
  }

  @Get('verification')
  @Reads({ recent: ['partner'] })
  @Operation('verifyWallet', 'Verify a wallet against the log')
  @Responds(WalletVerificationView)
  @Deadline(VERIFICATION_DEADLINE_MS)
  async verification(
    @IdParam() id: string,
    @Query() { since }: VerificationQueryDto,
    @CallerGone() signal: AbortSignal,
  ): Promise<Success<WalletVerificationView>> {
    await this.partners.assertExists(id);
    const noted = since === undefined ? undefined : parseChainHead(since);
    return success(verificationView(await this.queries.execute(new VerifyWallet(id, { since: noted, signal }))));
  }
}
