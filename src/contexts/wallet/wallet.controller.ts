import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { success, type Success } from '../../http/envelope.js';
import { type Body, JSON_LINES_TYPE } from '../../http/limiting/large-bodies.js';
import { Operation, PartnerApi, Responds, RespondsText } from '../../http/openapi/operation.js';
import { PER_PAGE } from '../../http/validating/paging.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { GetWalletHead } from './entries/get-wallet-head.query.js';
import { ListNewestEntries } from './entries/list-newest-entries.query.js';
import { WalletExport } from './verifying/wallet-export.js';
import { OwnEntriesQueryDto } from './wallet.dto.js';
import { ChainedWalletEntries, EXPORT_EXAMPLE, OwnWalletHead } from './wallet-responses.dto.js';

const EXPORTED =
  'The guide “Account and wallet” has a program that checks it. Amounts are integer kobo. One export at a time; if the service fails on the way, it closes the connection.';

const SEARCHED =
  'With `rupa_id`, a call searches 2,000 entries, so that a page may be short, or empty, although `next_cursor` leads to more entries.';

/** A partner's own wallet, free and also while the partner is pending (decisions, "Your account"). */
@Controller('v1/rupa/wallet')
@PartnerApi('Account')
export class WalletController {
  constructor(
    private readonly queries: QueryBus,
    private readonly exports: WalletExport,
  ) {}

  @Get('entries')
  @Operation('listOwnWalletEntries', 'List the entries of your wallet, newest first', SEARCHED)
  @Responds(ChainedWalletEntries)
  async entries(
    @Caller() { partner_id }: PartnerContext,
    @Query() { limit = PER_PAGE, rupa_id, ...filter }: OwnEntriesQueryDto,
  ): Promise<Success<ChainedWalletEntries>> {
    return success(await this.queries.execute(new ListNewestEntries(partner_id, limit, { ...filter, rupaId: rupa_id })));
  }

  @Get('head')
  @Operation('getOwnWalletHead', 'Get the last entry of your wallet: note it to check later exports against it')
  @Responds(OwnWalletHead)
  async head(@Caller() { partner_id }: PartnerContext): Promise<Success<OwnWalletHead>> {
    return success(await this.queries.execute(new GetWalletHead(partner_id)));
  }

  @Get('export')
  @Operation('exportOwnWallet', 'Export your wallet as JSON lines, to check it without our software', EXPORTED)
  @RespondsText(200, 'An entry per line, oldest first; streamed.', { [JSON_LINES_TYPE]: EXPORT_EXAMPLE })
  async export(@Caller() { partner_id }: PartnerContext, @Res({ passthrough: true }) reply: FastifyReply): Promise<Body> {
    return await this.exports.send(reply, partner_id);
  }
}
