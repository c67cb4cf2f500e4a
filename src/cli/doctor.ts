import { type Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkEgress } from '../app/doctor/check-egress.js';
import { checkDataFolder } from '../app/doctor/check-host.js';
import { examine } from '../app/doctor/examine.js';
import { attempt, failure, type Finding, ok, type Status, warning } from '../app/doctor/finding.js';
import { readSettings, type Settings, SettingsInvalid } from '../app/settings.js';
import { findRunningStores, openStores } from '../app/stores.js';
import { complain, printable, say, table } from './output.js';

interface Options {
  readonly egressUrl?: string;
  readonly json?: true;
}

export function doctor(program: Command): void {
  program
    .command('doctor')
    .description('check a deployment, beside a running service or before the first start; ends with 1 where something is wrong')
    .option('--egress-url <url>', 'a public https:// address to try the way of webhooks to; nothing outside is called without')
    .option('--json', 'print as JSON')
    .action(async ({ egressUrl, json }: Options) => {
      const findings = [...(await ofDeployment()), ...(egressUrl === undefined ? [] : [await checkEgress(egressUrl)])];
      if (json) say(JSON.stringify(findings));
      else show(findings);
      if (findings.some(({ status }) => status === 'failure')) process.exitCode = 1;
    });
}

async function ofDeployment(): Promise<readonly Finding[]> {
  try {
    const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env });
    return [ok('settings', 'valid'), ...(await ofStores(settings))];
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    return error.sentences.map((sentence) => failure('settings', sentence, 'docs/settings.md tells every variable.'));
  }
}

async function ofStores(settings: Settings): Promise<readonly Finding[]> {
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  if (given) return await opened(settings, undefined);
  const { resolveDataDir } = await import('../../embedded/data-folder.js');
  const dataDir = resolveDataDir(settings.dataDir, process.cwd());
  const running = await findRunningStores(settings);
  if (running) return [...(await checkDataFolder(dataDir)), ...(await examine(settings, running))];
  if (!existsSync(join(dataDir, 'secrets.json')))
    return [warning('data folder', `${dataDir} is empty`, 'The first start makes the embedded stores there; then run this again.')];
  return [...(await checkDataFolder(dataDir)), ...(await opened(settings, dataDir))];
}

/** Embedded stores that no service has opened are opened for as long as it takes. */
async function opened(settings: Settings, dataDir: string | undefined): Promise<readonly Finding[]> {
  return await attempt(
    'stores',
    dataDir === undefined ? 'Correct the settings.' : `See what holds ${dataDir}, and postgres.log in it.`,
    async () => {
      const stores = await openStores(settings, () => undefined);
      try {
        return await examine(settings, stores);
      } finally {
        await stores.stop();
      }
    },
  );
}

const WORDS: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE' };

function show(findings: readonly Finding[]): void {
  say(
    table(
      ['check', '', 'found'],
      findings.map(({ check, status, found }) => [check, WORDS[status], printable(found)]),
    ),
  );
  for (const { check, status, todo } of findings) if (todo !== undefined) complain(`${WORDS[status]} ${check}: ${printable(todo)}`);
}
