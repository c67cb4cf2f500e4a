import { type INestApplicationContext } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { type Month } from '../../contexts/accounting/domain/month.js';
import { headOf, type ListedStatement, manifestOf } from '../../contexts/accounting/domain/statements/statement-manifest.js';
import { GetStatementRun } from '../../contexts/accounting/statement-runs/get-statement-run.query.js';
import { fileNameOf, StatementFiles } from '../../contexts/accounting/statement-runs/statement-files.js';
import { STATEMENT_FORMATS, type StatementFormat } from '../../contexts/accounting/statements/statements.dto.js';
import { paperPdf } from '../../http/pages/pdf/paper-pdf.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../kernel/accounts.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { printLine } from '../support/output.js';
import { progress } from '../support/progress.js';
import { StatementFolder } from '../support/statement-folder.js';
import { month } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const LINES_EVERY = 100;

interface Options {
  readonly out: string;
  readonly format: StatementFormat;
  readonly mode: Mode;
}

export function walletStatements(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<month>', 'closed month in UTC, such as 2026-03', month)
    .requiredOption('--out <folder>', 'folder to write the files and manifest.json into; files that are right already are kept')
    .addOption(new Option('--format <format>', 'format of the files').choices(STATEMENT_FORMATS).default('pdf'))
    .addOption(new Option('--mode <mode>', 'whose statements are written').choices(MODES).default(DEFAULT_MODE))
    .action(async (of: Month, options: Options) => {
      await runtime.withApplication((app) => interruptible(INTERRUPTED, (signal) => writeStatements(app, of, options, signal)));
    });
}

async function writeStatements(
  app: INestApplicationContext,
  of: Month,
  { out, format, mode }: Options,
  signal: AbortSignal,
): Promise<void> {
  const run = await app.get(QueryBus).execute(new GetStatementRun(of, mode));
  const folder = await StatementFolder.open(out, headOf(run.closed, format));
  const files = app.get(StatementFiles, { strict: false });
  const bar = progress('Statements', run.partners.length, LINES_EVERY);
  const statements: ListedStatement[] = [];
  let written = 0;
  try {
    for (const partner of run.partners) {
      signal.throwIfAborted();
      const kept = await folder.kept(fileNameOf(run, partner, format));
      const made = kept
        ? undefined
        : await files.of(run, partner, format, async (paper) => Buffer.concat(await Array.fromAsync(paperPdf(paper))));
      if (made) await folder.write(made);
      if (made) written += 1;
      const listed = kept ?? made?.listed;
      if (listed) statements.push(listed);
      bar.advance();
    }
    await folder.finish(manifestOf(run.closed, format, statements));
  } finally {
    bar.stop();
  }
  printLine(
    `${statements.length} statements of ${of.name} (${mode}) are in ${out}: ${written} were written, ${statements.length - written} kept.`,
  );
}
