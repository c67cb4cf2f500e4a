import { type z } from 'zod';

/** Returns the value of a variable: the one from the environment, or its default. */
export type Read = <T>(variable: Variable<T>) => T;

/** A default that is not a fixed text. */
export interface ComputedDefault<T> {
  /** The description of the default in docs/settings.md. */
  readonly words: string;
  value(this: void, read: Read): T;
}

/** A finding of `rupa doctor` about a value that is valid but unfit for production. */
interface Advice {
  readonly status: 'warning' | 'failure';
  readonly found: string;
  readonly todo: string;
}

/** The declaration of an environment variable. Parsing, error messages, docs/settings.md and `rupa doctor` all use it. */
export interface Variable<T> {
  readonly name: string;
  /** Parses the text into the value. Its description is the unit or form that docs/settings.md shows. */
  readonly type: z.ZodType<T, string>;
  /** A text that `type` parses as if it came from the environment, or a computed value. */
  readonly default: string | ComputedDefault<T>;
  /** The description of the variable in docs/settings.md. */
  readonly description: string;
  /** A secret may also be read from a file, whose path is in the variable of the same name with `_FILE` appended. */
  readonly secret?: boolean;
  /** Declares when the variable must be set. The error message for a missing variable shows the example. */
  readonly required?: { when(this: void, read: Read): boolean; readonly example: string };
  /** Returns the reason if a valid value contradicts other variables. It completes "NAME is wrong: …". */
  conflict?(this: void, value: T, read: Read): string | undefined;
  /** Returns advice if a valid value is unfit for production. */
  productionAdvice?(this: void, value: T, read: Read): Advice | undefined;
}

type Declared<T, D> = Omit<Variable<T | D>, 'name' | 'type' | 'default'> & {
  readonly type: z.ZodType<T, string>;
  readonly default: string | ComputedDefault<D>;
};

export function variable<T, D = never>(name: string, declared: Declared<T, D>): Variable<T | D> {
  return { name, ...declared };
}

/** Declares that the default is undefined. */
export function noDefault(words = 'none'): ComputedDefault<undefined> {
  return { words, value: () => undefined };
}

/** A setting that is computed from several variables, whose own values are not part of `Settings`. */
export class Derived<T> {
  constructor(
    readonly variables: readonly Variable<unknown>[],
    readonly value: (read: Read) => T,
  ) {}
}

/** A declaration of settings. It has the shape of the settings that are read with it. */
export interface Group {
  readonly [key: string]: Variable<unknown> | Derived<unknown> | Group;
}

export type ValuesOf<D> =
  D extends Variable<infer T> ? T : D extends Derived<infer T> ? T : { readonly [Key in keyof D]: ValuesOf<D[Key]> };

export function isVariable(node: Group[string]): node is Variable<unknown> {
  return 'description' in node && typeof node.description === 'string';
}

/** Returns every variable of a declaration, in the order of the declaration. */
export function variablesOf(group: Group): readonly Variable<unknown>[] {
  return Object.values(group).flatMap((node) => {
    if (node instanceof Derived) return node.variables;
    return isVariable(node) ? [node] : variablesOf(node);
  });
}

export function fileVariable({ name }: Pick<Variable<unknown>, 'name'>): string {
  return `${name}_FILE`;
}
