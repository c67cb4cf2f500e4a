import { createHash } from 'node:crypto';
import { type Document, type Operation, operationsOf, type Parameter, type Part, resolved, type Response } from './parts.js';
import { BODY_TOO_LARGE, NOT_JSON } from '../../http/openapi/common-errors.js';
import { COMPONENT } from '../../http/openapi/properties.js';
import { headersNamed, responseOf } from '../../http/openapi/errors.js';
import { PARTNER_KEY } from '../../http/openapi/operation.js';
import { REQUEST_ID } from '../../http/observe-requests.js';
import { RATE_LIMIT_HEADERS } from './headers.js';
import { finishSchemas } from './schemas.js';

const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Codes of the checks that come before the rate limit (decisions, "Checks"). */
const UNCOUNTED: ReadonlySet<string> = new Set(['api_key_missing', 'api_key_invalid', 'api_key_not_linked', 'ip_not_allowed']);

/** Adds what the framework cannot generate: named error responses, examples, shared headers and the order of the paths. */
export function finish(document: Document): Document {
  for (const error of [BODY_TOO_LARGE, NOT_JSON]) nameResponse(responseOf(error) as Response, document);
  for (const { path, method, operation } of operationsOf(document.paths)) {
    operation.security ??= [];
    finishParameters(operation, path);
    finishBody(operation, document);
    finishResponses(operation, method, document);
  }
  for (const [name, response] of Object.entries(document.components.responses))
    addHeaders(response, [REQUEST_ID, ...(isCounted(name, document) ? RATE_LIMIT_HEADERS : [])]);
  sortPaths(document);
  finishSchemas(document);
  return document;
}

/**
 * Removes the parameters that the path does not name, because a controller declares them once for all its routes. Adds X-Request-Id to the
 * operations of partners.
 */
function finishParameters(operation: Operation, path: string): void {
  const parameters = (operation.parameters ?? []).filter(({ in: where, name }) => where !== 'path' || path.includes(`{${name ?? ''}}`));
  for (const parameter of parameters) {
    liftExample(parameter);
    if (parameter.name === IDEMPOTENCY_KEY) parameter.example = keyFor(operation.operationId ?? '');
  }
  if (!path.startsWith('/admin/')) parameters.push({ $ref: '#/components/parameters/RequestId' });
  if (parameters.length > 0) operation.parameters = parameters;
  else delete operation.parameters;
}

/** Returns a UUID of its own for each operation: a key that another operation has used is refused. */
function keyFor(operationId: string): string {
  const hex = createHash('sha256').update(operationId).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

function liftExample(parameter: Parameter): void {
  // A parameter of OpenAPI names its examples; those of a property are a list.
  if (Array.isArray(parameter.examples)) {
    [parameter.example] = parameter.examples as unknown[];
    delete parameter.examples;
  }
  if (parameter.schema?.example === undefined) return;
  parameter.example = parameter.schema.example;
  delete parameter.schema.example;
}

/** Adds examples, and marks a JSON body as required only if one of its fields is required: without one, the call needs no body. */
function finishBody({ requestBody }: Operation, document: Document): void {
  if (!requestBody) return;
  for (const [type, media] of Object.entries(requestBody.content)) {
    media.example ??= exampleOf(media.schema, document);
    // The framework marks every body as required, and a file is.
    if (isJson(type)) requestBody.required = Array.isArray(resolved(media.schema ?? {}, document).required);
  }
}

function isJson(mediaType: string): boolean {
  return /[/+]json$/.test(mediaType);
}

function finishResponses(operation: Operation, method: string, document: Document): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (COMPONENT in response) operation.responses[status] = nameResponse(response, document);
    else {
      for (const media of Object.values(response.content ?? {})) media.example ??= exampleOf(media.schema, document);
      const limited = status.startsWith('2') && isPartnersCall(operation);
      addHeaders(response, [REQUEST_ID, ...(limited ? RATE_LIMIT_HEADERS : [])]);
    }
  }
  if (method === 'get' || operation.security?.length === 0) return;
  operation.responses['413'] = { $ref: '#/components/responses/BodyTooLarge' };
  operation.responses['415'] = { $ref: '#/components/responses/NotJson' };
}

/** Stores an error response as a named component and returns a reference to it. */
function nameResponse({ [COMPONENT]: component, status, ...response }: Response, { components }: Document): Response {
  components.responses[String(component)] = response;
  return { $ref: `#/components/responses/${String(component)}` };
}

/** Returns whether a partner's request may get the error after the rate limit has counted it. */
function isCounted(name: string, { components, paths }: Document): boolean {
  const $ref = `#/components/responses/${name}`;
  const isPartners = operationsOf(paths).some(
    ({ operation }) => isPartnersCall(operation) && Object.values(operation.responses).some((response) => response.$ref === $ref),
  );
  return isPartners && codesOf(components.responses[name] as Response).some((code) => !UNCOUNTED.has(code));
}

function isPartnersCall({ security = [] }: Operation): boolean {
  return security.some((scheme) => PARTNER_KEY in scheme);
}

function codesOf({ content = {} }: Response): readonly string[] {
  const { properties } = (content['application/json']?.schema ?? {}) as { properties?: { code?: { enum: readonly string[] } } };
  return properties?.code?.enum ?? [];
}

function addHeaders(response: Response, names: readonly string[]): void {
  response.headers = { ...headersNamed(names), ...response.headers };
}

/** Sorts the paths by tag, in the order of the tags. */
function sortPaths(document: Document): void {
  const order = document.tags.map(({ name }) => name);
  const rank = (methods: Record<string, Operation>): number => order.indexOf(Object.values(methods)[0]?.tags?.[0] ?? '');
  document.paths = Object.fromEntries(Object.entries(document.paths).sort(([, one], [, other]) => rank(one) - rank(other)));
}

/** Returns the example of a schema or, for an object without one, an example composed of those of its properties. */
function exampleOf(schema: Part | undefined, document: Document): unknown {
  if (!schema) return undefined;
  const own = resolved(schema, document);
  const [example] = Array.isArray(own.examples) ? (own.examples as unknown[]) : [own.const];
  if (example !== undefined) return example;
  const properties = Object.entries((own.properties ?? {}) as Record<string, Part>);
  if (properties.length === 0) return undefined;
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, document)]));
}
