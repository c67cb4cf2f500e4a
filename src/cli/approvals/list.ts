import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { type ApprovalView } from '../../contexts/approvals/approvals.dto.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../../contexts/approvals/domain/approval.js';
import { ListApprovals } from '../../contexts/approvals/list-approvals.query.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { everyPage } from '../support/input.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';

interface Options {
  readonly status: ApprovalStatus;
  readonly json?: true;
}

export function listApprovals(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .addOption(new Option('--status <status>', 'status of the approvals').choices(APPROVAL_STATUSES).default('pending'))
    .option('--json', 'print as JSON')
    .action(async ({ status, json }: Options) => {
      const found = await runtime.withApplication((app) =>
        everyPage(async (limit, cursor) => {
          const { approvals, next_cursor } = await app.get(QueryBus).execute(new ListApprovals(status, limit, cursor));
          return { items: approvals, next_cursor };
        }),
      );
      printLine(json ? JSON.stringify(found) : approvalTable(found));
    });
}

function approvalTable(found: readonly ApprovalView[]): string {
  const rows = found.map((each) => [
    each.approval_id,
    each.kind,
    each.partner_id ?? '',
    each.amount === null ? '' : formatNaira(toKobo(each.amount)),
    each.reference ?? '',
    each.requested_by,
    each.expires_at,
    each.decided_by ?? '',
  ]);
  return table(['approval', 'kind', 'partner', 'NGN', 'reference', 'requested by', 'expires', 'decided by'], rows, [3]);
}
