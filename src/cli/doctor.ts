import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime, type Finding, type FindingStatus } from './runtime.js';
import { printError, printable, printLine, table } from './support/output.js';

interface Options {
  readonly egressUrl?: string;
  readonly json?: true;
}

const WORDS: Readonly<Record<FindingStatus, string>> = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE' };

export function doctor(program: RupaCommand, runtime: CommandRuntime): void {
  program
    .command('doctor')
    .reads()
    .description('check the settings and stores of a deployment, whether the service runs or not; exits with 1 if something is wrong')
    .option('--egress-url <url>', 'public https:// URL to test outgoing webhooks with; without it, no external host is called')
    .option('--json', 'print as JSON')
    .action(async ({ egressUrl, json }: Options) => {
      const findings = await runtime.examine({ egressUrl });
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
