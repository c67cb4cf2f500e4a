import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { CallerGone } from '../../http/caller-gone.js';
import { Deadline } from '../../http/deadline.js';
import { success, type Success } from '../../http/envelope.js';
import { RegisteredPartners } from '../partners/public.js';
import { CreditWallet } from './credit-wallet.command.js';
import { toKobo, toNaira } from '../../kernel/money.js';
import { parseChainHead } from './domain/verify-wallet.js';
import { GetWalletBalance } from './get-wallet-balance.query.js';
import { GetWalletEntries, type WalletEntries } from './get-wallet-entries.query.js';
import { verificationAnswer, VerifyWallet } from './verify-wallet.query.js';
import { BalanceQueryDto, CreditDto, EntriesQueryDto, VerificationQueryDto } from './wallet.dto.js';

const ENTRIES_A_PAGE = 100;
/** Enough for millions of entries. */
const VERIFICATION_DEADLINE_MS = 5 * 60_000;

@Controller('admin/v1/partners/:id/wallet')
@UseGuards(AdminGuard)
export class WalletAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly partners: RegisteredPartners,
  ) {}

  @Post('credits')
  @HttpCode(200)
  async credit(
    @Param('id') id: string,
    @Body() { amount, reference, reason }: CreditDto,
    @Actor() actor: string,
  ): Promise<Success<object>> {
    await this.partners.assertExists(id);
    const { balance_kobo, created } = await this.commands.execute(new CreditWallet(id, toKobo(amount), reference, actor, reason ?? null));
    return success({ balance: toNaira(balance_kobo), created });
  }

  @Get()
  async balance(@Param('id') id: string, @Query() { at }: BalanceQueryDto): Promise<Success<object>> {
    await this.partners.assertExists(id);
    const { balance_kobo, revision } = await this.queries.execute(new GetWalletBalance(id, at));
    return success({ balance: toNaira(balance_kobo), revision });
  }

  @Get('entries')
  async entries(@Param('id') id: string, @Query() { from = 0, limit = ENTRIES_A_PAGE }: EntriesQueryDto): Promise<Success<WalletEntries>> {
    await this.partners.assertExists(id);
    return success(await this.queries.execute(new GetWalletEntries(id, from, limit)));
  }

  @Get('verification')
  @Deadline(VERIFICATION_DEADLINE_MS)
  async verification(
    @Param('id') id: string,
    @Query() { since }: VerificationQueryDto,
    @CallerGone() signal: AbortSignal,
  ): Promise<Success<object>> {
    await this.partners.assertExists(id);
    const noted = since === undefined ? undefined : parseChainHead(since);
    return success(verificationAnswer(await this.queries.execute(new VerifyWallet(id, { since: noted, signal }))));
  }
}
