import { type Command } from 'commander';
import { projections } from '../../../projections/index.js';
import { type Projection } from '../../platform/projecting/projection.js';

/** Returns the read models that the operator named. Exits with wrong usage if none is named, or one does not exist. */
export function namedProjections(command: Command, names: readonly string[], everything = false): Projection[] {
  if (everything) return [...projections];
  const unknown = names.find((name) => !projections.some((projection) => projection.name === name));
  const which = projections.map(({ name }) => name).join(', ');
  if (unknown !== undefined) command.error(`error: there is no read model ${unknown}; the read models are: ${which}`);
  if (names.length === 0) command.error(`error: name at least one read model, or use --all; the read models are: ${which}`);
  return projections.filter(({ name }) => names.includes(name));
}
