import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime, type Finding, type FindingStatus } from './runtime.js';
import { printError, printable, printLine } from './support/output.js';
import { table } from './support/table.js';

interface Options {
  readonly egressUrl?: string;
  readonly metricsUrl?: readonly string[];
  readonly json?: true;
}

const WORDS: Readonly<Record<FindingStatus, string>> = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE' };

export function doctor(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--egress-url <url>', 'public https:// URL to test outgoing webhooks with; without it, no external host is called')
    .option('--metrics-url <url...>', 'addresses of the APIs’ metrics, to find a balancer that spreads the requests of a partner over them')
    .option('--json', 'print as JSON')
    .action(async ({ egressUrl, metricsUrl = [], json }: Options) => {
      const findings = await runtime.examine({ egressUrl, metricsUrls: metricsUrl });
      if (json) printLine(JSON.stringify(findings));
      else show(findings);
      if (findings.some(({ status }) => status === 'failure')) process.exitCode = 1;
    });
}

function show(findings: readonly Finding[]): void {
  printLine(
    table(
      ['check', '', 'found'],
      findings.map(({ check, status, found }) => [check, WORDS[status], found]),
    ),
  );
  for (const { check, status, todo } of findings) if (todo !== undefined) printError(`${WORDS[status]} ${check}: ${printable(todo)}`);
}
