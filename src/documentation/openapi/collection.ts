import { type Document, type Operation, operationsOf, type Parameter, type Part, resolved } from './parts.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const KEY_HEADER = 'X-API-KEY';

interface Variable {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

/**
 * Returns a collection in Postman's format 2.1, which Bruno and Insomnia import, too: a folder per tag, and a request per operation with
 * the examples of the document. Optional parameters are switched off.
 * @param baseUrl value of the variable `baseUrl`
 */
export function postmanCollection(document: Document, baseUrl: string): Part {
  const operations = operationsOf(document.paths);
  const { info } = document;
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: KEY_HEADER, type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: baseUrl },
      { key: 'apiKey', value: '' },
    ],
    item: document.tags.map(({ name }) => ({
      name,
      item: operations.filter(({ operation }) => operation.tags?.[0] === name).map((each) => requestOf(each, document)),
    })),
  };
}

function requestOf({ path, method, operation }: { path: string; method: string; operation: Operation }, document: Document): Part {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, document));
  const [media] = Object.entries(operation.requestBody?.content ?? {});
  const variable = variablesIn('path', parameters);
  const query = variablesIn('query', parameters);
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll(/\{(\w+)\}/g, ':$1'));
  return {
    name: operation.summary,
    request: {
      ...(operation.security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
      method: method.toUpperCase(),
      description: operation.description ?? '',
      header: [...variablesIn('header', parameters), ...(media ? [{ key: 'Content-Type', value: media[0] }] : [])],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(query.length > 0 ? { query } : {}),
        ...(variable.length > 0 ? { variable } : {}),
      },
      ...(media ? { body: { mode: 'raw', raw: JSON.stringify(media[1].example, null, 2), options: { raw: { language: 'json' } } } } : {}),
    },
    response: [],
  };
}

/** Returns the parameters of a place: path, query or header. Idempotency-Key gets a new UUID for each request that is sent. */
function variablesIn(place: string, parameters: readonly Parameter[]): Variable[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name = '', example, description, required }) => ({
      key: name,
      value: name === 'Idempotency-Key' ? '{{$guid}}' : valueOf(example),
      ...(typeof description === 'string' ? { description } : {}),
      ...(required === true || place === 'path' ? {} : { disabled: true }),
    }));
}

function valueOf(example: unknown): string {
  if (example === undefined) return '';
  return typeof example === 'string' ? example : JSON.stringify(example);
}
