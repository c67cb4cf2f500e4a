import { QueryBus } from '@nestjs/cqrs';
import { type AdminAuditEntry, GetAdminAudit } from '../../contexts/evidence/audit-trail/get-admin-audit.query.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { day } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly actor?: string;
  readonly json?: boolean;
}

/** Lists the audit trail (docs/operations.md, "Audit trail"). */
export function listAudit(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--from <day>', 'first day (UTC), such as 2026-11-21', day)
    .option('--to <day>', 'last day (UTC)', day)
    .option('--actor <text>', 'only entries of this role, name or token fingerprint')
    .option('--json', 'print as JSON lines')
    .action(async ({ from, to, actor, json }: Options) => {
      const today = new Date().toISOString().slice(0, 10);
      const entries = await runtime.withApplication((app) =>
        app.get(QueryBus).execute(new GetAdminAudit(from ?? to ?? today, to ?? today)),
      );
      const found = entries.filter(({ role, name, fingerprint }) => actor === undefined || [role, name, fingerprint].includes(actor));
      if (json) for (const entry of found) printLine(JSON.stringify(entry));
      else printLine(auditTable(found));
    });
}

function auditTable(found: readonly AdminAuditEntry[]): string {
  const rows = found.map((entry) => {
    const { recorded_at, role, name, fingerprint, address, method, route, parameters, status, reason } = entry;
    const filled = route.replaceAll(/:(\w+)/g, (whole, parameter: string) => parameters[parameter] ?? whole);
    const rest = method === 'RUN' ? Object.values(parameters).join(' ') : '';
    return [
      recorded_at,
      [role, name, fingerprint].filter((part) => part !== null).join(' '),
      address ?? '',
      `${method} ${filled} ${rest}`.trim(),
      status ?? 'not ended',
      reason ?? '',
    ];
  });
  return table(['time', 'who', 'from', 'what', 'status', 'reason'], rows, [4]);
}
