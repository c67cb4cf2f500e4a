import { type z } from 'zod';

/** Reads the value of another variable: what the environment gives, or its default. */
export type Read = <T>(variable: Variable<T>) => T;

/** A default that cannot be written as the text of the variable. */
export interface Otherwise<T> {
  /** How docs/settings.md words it. */
  readonly words: string;
  value(this: void, read: Read): T;
}

/** A finding of `rupa doctor` about a value that is valid and yet unfit for production. */
export interface Advice {
  readonly status: 'warning' | 'failure';
  readonly found: string;
  readonly todo: string;
}

/** One variable of the environment, declared once: reading, errors, docs/settings.md and `rupa doctor` all go by it. */
export interface Variable<T> {
  readonly name: string;
  /** Parses the text into the value. Its description is the unit or form that docs/settings.md shows. */
  readonly type: z.ZodType<T, string>;
  /** A text, which `type` parses like one from the environment. */
  readonly default: string | Otherwise<T>;
  /** What the variable is for; docs/settings.md shows it. */
  readonly sentence: string;
  /** A secret may also come from a file: the variable with `_FILE` after its name gives the path. */
  readonly secret?: boolean;
  /** When the variable must be set. The error shows the example. */
  readonly needed?: { when(this: void, read: Read): boolean; readonly example: string };
  /** Why a valid value contradicts other variables, to complete "NAME is wrong: …". */
  conflict?(this: void, value: T, read: Read): string | undefined;
  /** Why a valid value is unfit for production. */
  unfit?(this: void, value: T, read: Read): Advice | undefined;
}

type Declared<T, D> = Omit<Variable<T | D>, 'name' | 'type' | 'default'> & {
  readonly type: z.ZodType<T, string>;
  readonly default: string | Otherwise<D>;
};

export function variable<T, D = never>(name: string, declared: Declared<T, D>): Variable<T | D> {
  return { name, ...declared };
}

/** The default of a variable without a value: undefined. */
export function absent(words = 'none'): Otherwise<undefined> {
  return { words, value: () => undefined };
}

/** A setting that is computed from several variables. */
export class Derived<T> {
  constructor(
    readonly variables: readonly Variable<unknown>[],
    readonly value: (read: Read) => T,
  ) {}
}

/** A declaration has the shape of the settings that are read with it. */
export interface Group {
  readonly [key: string]: Variable<unknown> | Derived<unknown> | Group;
}

export type ValuesOf<D> =
  D extends Variable<infer T> ? T : D extends Derived<infer T> ? T : { readonly [Key in keyof D]: ValuesOf<D[Key]> };

export function isVariable(node: Group[string]): node is Variable<unknown> {
  return 'sentence' in node && typeof node.sentence === 'string';
}

/** Every variable of a declaration, in the order of the declaration. */
export function variablesOf(group: Group): readonly Variable<unknown>[] {
  return Object.values(group).flatMap((node) => {
    if (node instanceof Derived) return node.variables;
    return isVariable(node) ? [node] : variablesOf(node);
  });
}

export function fileVariable({ name }: Pick<Variable<unknown>, 'name'>): string {
  return `${name}_FILE`;
}
