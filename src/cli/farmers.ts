import { type Command } from 'commander';
import { farmersErase } from './farmers-erase.js';
import { farmersImport } from './farmers-import.js';
import { farmersReport } from './farmers-report.js';

/** Farmers' records: how they come, and how they go, and what became of them. */
export function farmers(program: Command): void {
  const group = program.command('farmers').description('the farmers’ records');
  for (const add of [farmersImport, farmersReport, farmersErase]) add(group);
}
