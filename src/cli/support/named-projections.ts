import { type Command } from 'commander';
import { projections } from '../../../projections/index.js';
import { type Projection } from '../../platform/projecting/projection.js';

/** The read models that the operator named; ends with wrong usage where none is named, or one that does not exist. */
export function namedProjections(command: Command, names: readonly string[], everything = false): Projection[] {
  if (everything) return [...projections];
  const unknown = names.find((name) => !projections.some((projection) => projection.name === name));
  const which = projections.map(({ name }) => name).join(', ');
  if (unknown !== undefined) command.error(`error: there is no read model ${unknown}; there are: ${which}`);
  if (names.length === 0) command.error(`error: name read models, or --all: ${which}`);
  return projections.filter(({ name }) => names.includes(name));
}
