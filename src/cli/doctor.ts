import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime, type Finding, type FindingStatus } from './runtime.js';
import { complain, printable, say, table } from './support/output.js';

interface Options {
  readonly egressUrl?: string;
  readonly json?: true;
}

const WORDS: Readonly<Record<FindingStatus, string>> = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE' };

export function doctor(program: RupaCommand, runtime: CommandRuntime): void {
  program
    .command('doctor')
    .reads()
    .description('check a deployment, beside a running service or before the first start; ends with 1 where something is wrong')
    .option('--egress-url <url>', 'a public https:// address to try the way of webhooks to; nothing outside is called without')
    .option('--json', 'print as JSON')
    .action(async ({ egressUrl, json }: Options) => {
      const findings = await runtime.examine({ egressUrl });
      if (json) say(JSON.stringify(findings));
      else show(findings);
      if (findings.some(({ status }) => status === 'failure')) process.exitCode = 1;
    });
}

function show(findings: readonly Finding[]): void {
  say(
    table(
      ['check', '', 'found'],
      findings.map(({ check, status, found }) => [check, WORDS[status], printable(found)]),
    ),
  );
  for (const { check, status, todo } of findings) if (todo !== undefined) complain(`${WORDS[status]} ${check}: ${printable(todo)}`);
}
