import { type Command } from 'commander';
import { projectionsRebuild } from './projections-rebuild.js';
import { projectionsRetry } from './projections-retry.js';
import { projectionsStatus } from './projections-status.js';
import { projectionsVerify } from './projections-verify.js';

/** What operators do with read models. */
export function projections(program: Command): void {
  const group = program.command('projections').description('the read models: where they are, rebuild, compare with the log');
  for (const add of [projectionsStatus, projectionsRebuild, projectionsVerify, projectionsRetry]) add(group);
}
