import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { CallerGone } from '../../http/caller-gone.js';
import { Deadline } from '../../http/deadline.js';
import { success, type Success } from '../../http/envelope.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { PARTNER_ID, PARTNER_NOT_FOUND, RegisteredPartners } from '../partners/public.js';
import { CreditWallet } from './credit-wallet.command.js';
import { toKobo, toNaira } from '../../kernel/money.js';
import { parseChainHead } from './domain/verify-wallet.js';
import { GetWalletBalance } from './get-wallet-balance.query.js';
import { GetWalletEntries } from './get-wallet-entries.query.js';
import { verificationView, VerifyWallet } from './verify-wallet.query.js';
import { CreditedWallet, REFERENCE_REUSED, WalletBalance, WalletEntries, WalletVerificationView } from './wallet-responses.dto.js';
import { BalanceQueryDto, CreditDto, ENTRIES_PER_PAGE, EntriesQueryDto, VerificationQueryDto } from './wallet.dto.js';

/** Time limit of a verification, long enough for millions of entries. */
const VERIFICATION_DEADLINE_MS = 5 * 60_000;

@Controller('admin/v1/partners/:id/wallet')
@AdminApi('Wallets')
@PARTNER_ID
@Fails(PARTNER_NOT_FOUND, INVALID)
@UseGuards(AdminGuard)
export class WalletAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly partners: RegisteredPartners,
  ) {}

  @Post('credits')
  @HttpCode(200)
  @Operation('creditWallet', 'Credit a wallet, once per reference')
  @Responds(CreditedWallet)
  @Fails(REFERENCE_REUSED)
  async credit(
    @Param('id') id: string,
    @Body() { amount, reference, reason }: CreditDto,
    @Actor() actor: string,
  ): Promise<Success<CreditedWallet>> {
    await this.partners.assertExists(id);
    const { balance_kobo, created } = await this.commands.execute(new CreditWallet(id, toKobo(amount), reference, actor, reason ?? null));
    return success({ balance: toNaira(balance_kobo), created });
  }

  @Get()
  @Operation('getWallet', 'Get a wallet’s balance, current or as of a time')
  @Responds(WalletBalance)
  async balance(@Param('id') id: string, @Query() { at }: BalanceQueryDto): Promise<Success<WalletBalance>> {
    await this.partners.assertExists(id);
    const { balance_kobo, revision } = await this.queries.execute(new GetWalletBalance(id, at));
    return success({ balance: toNaira(balance_kobo), revision });
  }

  @Get('entries')
  @Operation('listWalletEntries', 'List a wallet’s entries, oldest first')
  @Responds(WalletEntries)
  async entries(
    @Param('id') id: string,
    @Query() { from = 0, limit = ENTRIES_PER_PAGE }: EntriesQueryDto,
  ): Promise<Success<WalletEntries>> {
    await this.partners.assertExists(id);
    return success(await this.queries.execute(new GetWalletEntries(id, from, limit)));
  }

  @Get('verification')
  @Operation('verifyWallet', 'Verify a wallet against the log')
  @Responds(WalletVerificationView)
  @Deadline(VERIFICATION_DEADLINE_MS)
  async verification(
    @Param('id') id: string,
    @Query() { since }: VerificationQueryDto,
    @CallerGone() signal: AbortSignal,
  ): Promise<Success<WalletVerificationView>> {
    await this.partners.assertExists(id);
    const noted = since === undefined ? undefined : parseChainHead(since);
    return success(verificationView(await this.queries.execute(new VerifyWallet(id, { since: noted, signal }))));
  }
}
