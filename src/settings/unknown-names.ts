import { nearest } from '../kernel/nearest-name.js';
import { SECRETS, VARIABLES } from './declaration.js';
import { type Environment } from './files.js';
import { fileVariable } from './variable.js';

/** A variable that stands for no setting, although its name says that it is meant for one. */
export interface UnknownName {
  readonly name: string;
  readonly meant: string;
  /** It names a file, which only secrets may be in. */
  readonly isFile: boolean;
}

/** Names of fewer characters are near to too many others, such as HOME to HOST. */
const COMPARED_MIN = 8;
/** OpenTelemetry reads variables of its own. */
const OF_OTHERS = 'OTEL_';

const NAMES = VARIABLES.map(({ name }) => name);
const FILES = SECRETS.map(fileVariable);
const KNOWN = new Set([...NAMES, ...FILES]);
const COMPARED = [...KNOWN].filter((name) => name.length >= COMPARED_MIN);

/** Returns the variables that are probably misspelt settings. A service with one would start and act by the default. */
export function unknownNames(env: Environment): readonly UnknownName[] {
  return Object.keys(env).flatMap((name) => {
    if (KNOWN.has(name) || name.startsWith(OF_OTHERS) || !env[name]?.trim()) return [];
    const inFile = NAMES.find((each) => name === `${each}_FILE`);
    const meant = inFile ?? nearest(name.toUpperCase(), COMPARED);
    return meant === undefined ? [] : [{ name, meant, isFile: inFile !== undefined }];
  });
}

export function sentenceOfUnknown({ name, meant, isFile }: UnknownName): string {
  return isFile
    ? `${name} is ignored: only secrets are read from files. Set ${meant} to the value itself.`
    : `${name} is ignored, because it is not a setting. Did you mean ${meant}?`;
}
