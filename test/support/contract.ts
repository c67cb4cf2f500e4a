import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Part } from '../../src/app/openapi/operation.js';
import { openApiDocument } from '../../src/app/openapi/document.js';

type Json = Record<string, unknown>;

/** Schemas that others extend, and what extends them: what one does not name, the whole may. */
const OPEN = new Set(['Tier', 'FarmerRecord', 'allOf']);
const DOCUMENT = strict(openApiDocument('http://127.0.0.1')) as Json & {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi');
const validators = new Map<string, ValidateFunction>();

/** What the document says of answers, read as strictly as can be: nothing may be in them that it does not name. */
function strict(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => strict(item, name));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'example' ? item : strict(item, key)]));
  const part = value as Json;
  const closed = (part.properties !== undefined && !OPEN.has(name)) || part.allOf !== undefined;
  return closed && !('additionalProperties' in part) ? { ...copy, unevaluatedProperties: false } : copy;
}

const templates = Object.keys(DOCUMENT.paths)
  .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .sort((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));

/** The path of the document that a request goes to; undefined for what is in it nowhere. */
export function documentedPath(method: string, path: string): string | undefined {
  const [pathname = ''] = path.split('?');
  return templates.find(({ template, pattern }) => pattern.test(pathname) && DOCUMENT.paths[template]?.[method.toLowerCase()])?.template;
}

/** @throws Error where the answer is not what the document says: its status, a header, a field too few, too many or of another kind. */
export function expectDocumented(method: string, path: string, status: number, headers: Headers, body: unknown): void {
  const template = documentedPath(method, path);
  if (template === undefined) return;
  const at = ['paths', template, method.toLowerCase(), 'responses', String(status)];
  const response = lookUp(at);
  const said = `${method} ${path} answered ${status}`;
  if (!response) throw new Error(`${said}, which ${template} does not document: ${JSON.stringify(body)}`);
  const { target, part } = response;
  for (const [name, header] of Object.entries((part.headers ?? {}) as Record<string, Json>)) {
    const { part: described } = follow([], header) ?? {};
    if (described?.required === true && !headers.has(name)) throw new Error(`${said} without the header ${name}.`);
  }
  const validate = validator([...target, 'content', 'application/json', 'schema']);
  if (!validate(body)) throw new Error(`${said}, not as documented: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
}

function validator(pointer: readonly string[]): ValidateFunction {
  const $ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const known = validators.get($ref);
  if (known) return known;
  const compiled = ajv.compile({ $ref });
  validators.set($ref, compiled);
  return compiled;
}

function lookUp(at: readonly string[]): { target: readonly string[]; part: Part } | undefined {
  const part = at.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], DOCUMENT);
  return part === undefined ? undefined : follow(at, part as Json);
}

function follow(at: readonly string[], part: Json): { target: readonly string[]; part: Part } | undefined {
  return typeof part.$ref === 'string' ? lookUp(part.$ref.slice(2).split('/')) : { target: at, part };
}
