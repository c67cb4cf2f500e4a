import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { MayWaitForApproval } from '../../approvals/public.js';
import { ENTRY_REFUSED, LedgerEntryDto, LedgerEntryView } from './ledger-entries.dto.js';
import { PostLedgerEntry } from './post-ledger-entry.command.js';

const POSTED =
  'For what happens outside of wallets: money to and from the bank, tax certificates, and the balances that the books begin with. Responds with 201, and with 200 and `created` false to the same entry under the same reference.';

@Controller('admin/v1/ledger/entries')
@AdminApi('Ledger')
export class LedgerEntriesAdminController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @Reads({ awaited: ['ledger_day'], recent: ['partner'] })
  @Operation('postLedgerEntry', 'Post an entry to the books, once per reference', POSTED)
  @Responds(LedgerEntryView, { status: 201 })
  @Responds(LedgerEntryView)
  @MayWaitForApproval
  @Fails(ENTRY_REFUSED)
  async post(
    @Body() entry: LedgerEntryDto,
    @Actor() actor: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<LedgerEntryView>> {
    const posted = await this.commands.execute(new PostLedgerEntry(entry, actor));
    if (!posted.created) reply.status(200);
    return success(posted);
  }
}
