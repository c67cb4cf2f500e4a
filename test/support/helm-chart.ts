import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/** A Kubernetes object as the chart renders it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

type Values = Readonly<Record<string, unknown>>;
type Scope = ReadonlyMap<string, unknown>;
type Render = (scope: Scope) => string;
interface Token {
  readonly text?: string;
  readonly action?: string;
}

/**
 * Renders the chart in ops/helm as `helm template` does, as far as the chart uses Go's templates: if, else, range, with, define, variables
 * and a few functions.
 * @param over values that replace those of values.yaml
 * @throws Error for anything else in a template, and for a value that is missing
 */
export function renderChart(over: Values = {}, release = 'rupa'): readonly Manifest[] {
  const folder = 'ops/helm';
  const read = (name: string): Values => parse(readFileSync(join(folder, name), 'utf8')) as Values;
  const chart = read('Chart.yaml');
  const root = {
    Values: merged(read('values.yaml'), over),
    Chart: { Name: chart.name, AppVersion: chart.appVersion },
    Release: { Name: release, Service: 'Helm' },
  };
  const definitions = new Map<string, Render>();
  const templates = readdirSync(join(folder, 'templates')).map((name) => ({
    name,
    render: new Template(readFileSync(join(folder, 'templates', name), 'utf8'), definitions).render,
  }));
  const scope = new Map<string, unknown>([
    ['.', root],
    ['$', root],
  ]);
  const texts = templates.filter(({ name }) => name.endsWith('.yaml')).map(({ render }) => render(scope));
  return texts.flatMap((text) =>
    parseAllDocuments(text).flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return (document.toJS() as Manifest | null) ?? [];
    }),
  );
}

function merged(values: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = Object.entries(over).map(([key, value]) => {
    const old = values[key];
    return [key, isMap(old) && isMap(value) ? merged(old, value) : value] as const;
  });
  return { ...values, ...Object.fromEntries(entries) };
}

class Template {
  private readonly tokens: Token[];
  readonly render: Render;

  constructor(
    source: string,
    private readonly definitions: Map<string, Render>,
  ) {
    const trimmed = source.replaceAll(/\s*\{\{- /g, '{{ ').replaceAll(/ -\}\}\s*/g, ' }}');
    this.tokens = trimmed
      .split(/(\{\{.*?\}\})/)
      .map((part) => (part.startsWith('{{') ? { action: part.slice(2, -2).trim() } : { text: part }));
    this.render = this.block();
    if (this.tokens.length > 0) throw new Error(`Nothing is open here: ${this.tokens[0]?.action}`);
  }

  /** Reads up to the end of the block, or to its `else`, which stay. */
  private block(): Render {
    const parts: Render[] = [];
    for (;;) {
      const [token] = this.tokens;
      if (!token || token.action === 'end' || token.action === 'else') break;
      this.tokens.shift();
      parts.push(token.action === undefined ? () => token.text ?? '' : this.action(token.action));
    }
    return (scope) => parts.map((part) => part(scope)).join('');
  }

  private action(action: string): Render {
    const [, keyword = '', rest = ''] = /^(if|with|range|define)\s+(.*)$/.exec(action) ?? [];
    if (keyword === '') return (scope) => String(evaluate(action, scope, this.definitions));
    const body = this.block();
    const otherwise = this.tokens[0]?.action === 'else' ? (this.tokens.shift(), this.block()) : () => '';
    if (this.tokens.shift()?.action !== 'end') throw new Error(`This has no end: ${action}`);
    if (keyword === 'define') {
      this.definitions.set(JSON.parse(rest) as string, body);
      return () => '';
    }
    const [, key, item, over = rest] = /^(\$\w+), (\$\w+) := (.*)$/.exec(rest) ?? [];
    return (scope) => {
      const value = evaluate(over, scope, this.definitions);
      if (!isTruthy(value)) return otherwise(scope);
      if (keyword === 'if') return body(scope);
      if (keyword === 'with') return body(new Map([...scope, ['.', value]]));
      const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
      return entries.map(([name, each]) => body(new Map([...scope, ['.', each], [key ?? '', name], [item ?? '', each]]))).join('');
    };
  }
}

function isTruthy(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** A text, a pipeline in parentheses that may contain another one, or a name. */
const WORD = /"[^"]*"|\((?:[^()]|\([^()]*\))*\)|\S+/g;

/** Evaluates a pipeline: the result of each command is the last argument of the next one. */
function evaluate(pipeline: string, scope: Scope, definitions: ReadonlyMap<string, Render>): unknown {
  let piped: unknown[] = [];
  for (const command of pipeline.split(' | ')) {
    const [name = '', ...rest] = [...command.matchAll(WORD)].map(([word]) => word);
    const isValue = /^[.$"\d(]/.test(name);
    const given = (isValue ? [name] : rest).map((word) => operand(word, scope, definitions));
    piped = [isValue ? given[0] : call(name, [...given, ...piped], scope, definitions)];
  }
  return piped[0];
}

function operand(word: string, scope: Scope, definitions: ReadonlyMap<string, Render>): unknown {
  if (word.startsWith('(')) return evaluate(word.slice(1, -1), scope, definitions);
  if (word.startsWith('"') || /^\d+$/.test(word)) return JSON.parse(word);
  const [variable = '', ...fields] = word.startsWith('.') ? ['.', ...word.slice(1).split('.')] : word.split('.');
  let value = scope.get(variable);
  for (const field of fields.filter((each) => each !== '')) {
    value = (value as Values | undefined)?.[field];
    if (value === undefined) throw new Error(`The chart has no value ${word}.`);
  }
  return value;
}

function call(name: string, given: readonly unknown[], scope: Scope, definitions: ReadonlyMap<string, Render>): unknown {
  const [first, second] = given;
  switch (name) {
    case 'include':
      return (definitions.get(String(first)) ?? missing(String(first)))(new Map([...scope, ['.', second], ['$', second]]));
    case 'nindent':
      return `\n${String(second)}`.replaceAll('\n', `\n${' '.repeat(Number(first))}`);
    case 'toYaml':
      return stringify(first).trimEnd();
    case 'quote':
      return JSON.stringify(String(first));
    case 'join':
      return (second as readonly unknown[]).join(String(first));
    case 'eq':
      return first === second;
    case 'and':
      return given.find((each) => !isTruthy(each)) ?? given.at(-1);
    case 'or':
      return given.find(isTruthy) ?? given.at(-1);
    case 'not':
      return !isTruthy(first);
    default:
      return missing(name);
  }
}

function missing(name: string): never {
  throw new Error(`The test does not know ${name}.`);
}
