import { createDemoWorld } from '../contexts/demo/demo-world.js';
import { wholeNumber } from './support/values.js';
import { progress, printLine, table } from './support/output.js';
import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';

const MAX_FARMERS = 1_000_000;

export function demo(program: RupaCommand, runtime: CommandRuntime): void {
  program
    .command('demo')
    .changes()
    .createsStores()
    .description('create a sandbox world to try the service with: three partners with API keys and funded wallets, and farmers')
    .option('--farmers <count>', 'number of farmers', wholeNumber(1, MAX_FARMERS), 1_000)
    .option('--seed <number>', 'seed of the generator; the same seed creates the same farmers', wholeNumber(0, 1_000_000), 1)
    .option('--json', 'print the result as JSON')
    .action(async ({ farmers, seed, json }: { farmers: number; seed: number; json?: boolean }) => {
      const world = await runtime.withApplication(async (app) => {
        const bar = progress('Farmers', farmers);
        try {
          return await createDemoWorld(app, {
            farmers,
            seed,
            onFarmer: () => {
              bar.advance();
            },
          });
        } finally {
          bar.stop();
        }
      });
      if (json) {
        printLine(JSON.stringify(world));
        return;
      }
      const rows = world.partners.map(({ account_type, company_name, api_key }) => [account_type, company_name, api_key]);
      printLine(table(['type', 'partner', 'API key (shown once)'], rows));
      printLine(`${world.farmers} farmers; the first is ${world.rupaId}`);
    });
}
