import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readDocument } from './document.js';
import { strict } from './strict-document.js';

type Json = Record<string, unknown>;

const DOCUMENT = strict(readDocument()) as Json & {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
};

const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(DOCUMENT, 'openapi');
const validators = new Map<string, ValidateFunction>();

const templates = Object.keys(DOCUMENT.paths)
  .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .sort((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));

/** Returns the documented path template that a request matches, or undefined if there is none. */
export function documentedPath(method: string, path: string): string | undefined {
  const [pathname = ''] = path.split('?');
  return templates.find(({ template, pattern }) => pattern.test(pathname) && DOCUMENT.paths[template]?.[method.toLowerCase()])?.template;
}

/** Checks a response against the OpenAPI document. @throws Error if its status, a header or a field is not as documented. */
export function expectDocumented(method: string, path: string, status: number, headers: Headers, body: unknown): void {
  const template = documentedPath(method, path);
  if (template === undefined) return;
  const at = ['paths', template, method.toLowerCase(), 'responses', String(status)];
  const response = lookUp(at);
  const said = `${method} ${path} responded ${status}`;
  if (!response) throw new Error(`${said}, which ${template} does not document: ${JSON.stringify(body)}`);
  const { target, part } = response;
  for (const [name, header] of Object.entries((part.headers ?? {}) as Record<string, Json>)) {
    const described = follow([...target, 'headers', name], header);
    const value = headers.get(name);
    if (value === null && described?.part.required === true) throw new Error(`${said} without the header ${name}.`);
    if (value === null || described === undefined) continue;
    const isValid = validator([...described.target, 'schema']);
    if (!isValid(headerValue(value, described.part))) throw new Error(`${said} with ${name}: ${value}, which is not as documented.`);
  }
  for (const name of RATE_LIMIT_HEADERS)
    if (headers.has(name) && !(name in ((part.headers ?? {}) as Json))) throw new Error(`${said} with ${name}, which is not documented.`);
  const validate = validator([...target, 'content', 'application/json', 'schema']);
  if (!validate(body)) throw new Error(`${said}, not as documented: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
}

/** Returns the JSON value that a header stands for. */
function headerValue(value: string, { schema }: Json): unknown {
  return (schema as Json).type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
}

function validator(pointer: readonly string[]): ValidateFunction {
  const $ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  const known = validators.get($ref);
  if (known) return known;
  const compiled = ajv.compile({ $ref });
  validators.set($ref, compiled);
  return compiled;
}

function lookUp(at: readonly string[]): { target: readonly string[]; part: Json } | undefined {
  const part = at.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], DOCUMENT);
  return part === undefined ? undefined : follow(at, part as Json);
}

function follow(at: readonly string[], part: Json): { target: readonly string[]; part: Json } | undefined {
  return typeof part.$ref === 'string' ? lookUp(part.$ref.slice(2).split('/')) : { target: at, part };
}
