import { DECLARATION, SECRETS, type Settings, VARIABLES } from './declaration.js';
import { REPLACEMENT } from '../platform/utf8.js';
import { type Environment, secretsFromFiles } from './files.js';
import { Derived, fileVariable, type Group, isVariable, type Read, type Variable } from './variable.js';

/** Thrown for wrong or missing settings. Each sentence names a variable and says what to do. */
export class SettingsInvalid extends Error {
  override name = 'SettingsInvalid';

  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

/** Reads and validates the environment. @throws SettingsInvalid with one sentence per wrong or missing variable */
export function readSettings(env: Environment): Settings {
  const { found, sentences: wrongFiles } = secretsFromFiles(env, SECRETS);
  const { read, wrong } = reader((name) => (found[name] ?? env[name])?.trim());
  // A derived setting may not read all its variables, but all of them are validated.
  for (const variable of VARIABLES) read(variable);
  const settings = valueOf(DECLARATION, read) as Settings;
  const sentences = [
    ...wrongFiles,
    ...wrong,
    ...VARIABLES.flatMap((variable) => missing(variable, env, read)),
    ...VARIABLES.flatMap((variable) => conflict(variable, read)),
  ];
  if (sentences.length > 0) throw new SettingsInvalid(sentences);
  return settings;
}

/**
 * Returns a function that parses each variable once. For a text that the type rejects, or in which Node has replaced bytes that are not UTF-8, it adds a sentence to `wrong` and returns the
 * default.
 */
function reader(textOf: (name: string) => string | undefined): { readonly read: Read; readonly wrong: readonly string[] } {
  const values = new Map<Variable<unknown>, unknown>();
  const wrong: string[] = [];
  const parse = <T>({ name, type, default: byDefault }: Variable<T>): T => {
    const text = textOf(name);
    if (text?.includes(REPLACEMENT)) wrong.push(`${name} is wrong: it is not UTF-8. Set it in UTF-8.`);
    else if (text) {
      const result = type.safeParse(text);
      if (result.success) return result.data;
      wrong.push(`${name} is wrong: ${result.error.issues[0]?.message ?? 'it cannot be read'}.`);
    }
    return typeof byDefault === 'string' ? type.parse(byDefault) : byDefault.value(read);
  };
  const read: Read = <T>(variable: Variable<T>): T => {
    if (!values.has(variable)) values.set(variable, parse(variable));
    return values.get(variable) as T;
  };
  return { read, wrong };
}

function valueOf(node: Group[string], read: Read): unknown {
  if (node instanceof Derived) return node.value(read);
  if (isVariable(node)) return read(node);
  return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, valueOf(part, read)]));
}

/** Returns a sentence if the variable must be set and is not. */
function missing(variable: Variable<unknown>, env: Environment, read: Read): string[] {
  const { name, required, secret } = variable;
  if (!required?.when(read)) return [];
  // If the `_FILE` variable is set, the variable is not missing; secretsFromFiles has reported a file that cannot be read.
  if (env[name]?.trim() || (secret && env[fileVariable(variable)]?.trim())) return [];
  return [`${name} is missing: set it to ${required.example}${secret ? `, or ${fileVariable(variable)} to a file that holds it` : ''}.`];
}

function conflict(variable: Variable<unknown>, read: Read): string[] {
  const reason = variable.conflict?.(read(variable), read);
  return reason === undefined ? [] : [`${variable.name} is wrong: ${reason}.`];
}

/**
 * Returns a function that reads variables back from settings. It throws for the variables of a derived setting, whose values are not
 * stored.
 */
export function readerOf(settings: Settings): Read {
  const values = new Map(pairs(DECLARATION, settings));
  return <T>(variable: Variable<T>): T => {
    if (!values.has(variable)) throw new Error(`${variable.name} is part of a derived setting, which does not store its value.`);
    return values.get(variable) as T;
  };
}

function pairs(group: Group, values: object): [Variable<unknown>, unknown][] {
  return Object.entries(group).flatMap(([key, node]): [Variable<unknown>, unknown][] => {
    const value = (values as Record<string, unknown>)[key];
    if (node instanceof Derived) return [];
    return isVariable(node) ? [[node, value]] : pairs(node, value as object);
  });
}
