import { QueryBus } from '@nestjs/cqrs';
import { type LookupExplanation } from '../../contexts/lookups/explaining/explain-lookup.query.js';
import { FindLookupsQueryDto } from '../../contexts/lookups/explaining/lookup-explanation.dto.js';
import { ExplainLookupsOfFarmer } from '../../contexts/lookups/listing/find-lookups.query.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { fieldOf, id, rupaId, wholeNumber } from '../support/values.js';
import { table } from '../support/table.js';

const MAX_SHOWN = 1_000;

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly partner?: string;
  readonly source?: string;
  readonly lines: number;
  readonly json?: true;
}

export function findLookups(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<rupa-id>', 'Rupa ID of the farmer', rupaId)
    .option(
      '--from <time>',
      'ISO 8601 date (from its beginning, UTC) or timestamp: the earliest charge',
      fieldOf(FindLookupsQueryDto, 'from'),
    )
    .option('--to <time>', 'ISO 8601 date (to its end, UTC) or timestamp: the latest charge', fieldOf(FindLookupsQueryDto, 'to'))
    .option('--partner <id>', 'only lookups of this partner', id)
    .option('--source <purpose>', 'only lookups for this purpose, such as loan', fieldOf(FindLookupsQueryDto, 'source'))
    .option('-n, --lines <count>', 'number of newest lookups', wholeNumber(1, MAX_SHOWN), 20)
    .option('--json', 'print as JSON')
    .action(async (farmer: string, { from, to, partner, source, lines, json }: Options) => {
      const { items } = await runtime.withApplication((app) =>
        app.get(QueryBus).execute(new ExplainLookupsOfFarmer(farmer, { from, to, partner_id: partner, source }, lines)),
      );
      printLine(json ? JSON.stringify(items) : lookupTable(items));
    });
}

function lookupTable(found: readonly LookupExplanation[]): string {
  const rows = found.map(({ lookup_id, charged_at, partner, sections, amount, outcome }) => [
    charged_at,
    lookup_id,
    partner.company_name,
    sections.join(', '),
    formatNaira(toKobo(amount)),
    outcome.status,
  ]);
  return table(['charged', 'lookup', 'partner', 'sections', 'NGN', 'outcome'], rows, [4]);
}
