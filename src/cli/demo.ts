import { createDemoWorld } from './demo/demo-world.js';
import { wholeNumber } from './support/values.js';
import { printLine } from './support/output.js';
import { progress } from './support/progress.js';
import { table } from './support/table.js';
import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';

const MAX_FARMERS = 1_000_000;

export function demo(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .createsStores()
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
