import { type Document, type Operation, operationsOf, type Parameter, type Part, resolved } from './parts.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const KEY_HEADER = 'X-API-KEY';

/** The folder with which a sandbox account begins: a new one has no money. */
const FIRST = 'Sandbox';
/** Variables of the collection that the response of a request sets, with the place of the value in `data`. */
const SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lookUpFarmer: { lookupId: 'billing.lookup_id' },
  registerWebhook: { webhookId: 'id' },
  testWebhook: { deliveryId: 'id' },
};
/** Optional parameters that a request needs to work while there is no later state, by the operation. */
const SENT: Readonly<Record<string, readonly string[]>> = { getOwnWalletProof: ['revision'] };

interface Call {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface Variable {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

/**
 * Returns a collection in Postman's format 2.1, which Bruno and Insomnia import, too: a folder per tag, and a request per operation with
 * the examples of the document. Optional parameters are switched off. Sent from the first to the last with the key of a sandbox account, each
 * request works: ids that the service assigns are variables, which earlier responses set.
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
      ...Object.values(SETS).flatMap((set) => Object.keys(set).map((key) => ({ key, value: '' }))),
    ],
    item: foldersOf(document).map((name) => ({
      name,
      item: inOrder(operations.filter(({ operation }) => operation.tags?.[0] === name)).map((each) => requestOf(each, document)),
    })),
  };
}

/** Returns the tags of calls. */
function foldersOf({ tags, paths }: Document): string[] {
  const used = new Set(operationsOf(paths).flatMap(({ operation }) => operation.tags ?? []));
  const names = tags.map(({ name }) => name).filter((name) => used.has(name));
  return names.sort((one, other) => Number(other === FIRST) - Number(one === FIRST));
}

/** Puts the requests first that set variables of the others, and those last that end what the others need. */
function inOrder(operations: readonly Call[]): Call[] {
  const rank = ({ method, operation }: Call): number => ((operation.operationId ?? '') in SETS ? 0 : method === 'delete' ? 2 : 1);
  return operations.toSorted((one, other) => rank(one) - rank(other));
}

/** Returns a script of Postman that sets the variables of the collection from a response. */
function scriptOf(set: Readonly<Record<string, string>>): Part {
  const exec = Object.entries(set).map(([key, place]) => `pm.collectionVariables.set('${key}', pm.response.json().data.${place});`);
  return { event: [{ listen: 'test', script: { type: 'text/javascript', exec: ['if (pm.response.code < 300) {', ...exec, '}'] } }] };
}

function requestOf({ path, method, operation }: Call, document: Document): Part {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, document));
  const [media] = Object.entries(operation.requestBody?.content ?? {});
  const variable = variablesIn('path', parameters).map((each) => assigned(each, path));
  const sent = SENT[operation.operationId ?? ''] ?? [];
  const query = variablesIn('query', parameters, sent);
  const set = SETS[operation.operationId ?? ''];
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
    ...(set ? scriptOf(set) : {}),
  };
}

/** Returns the parameters of a place: path, query or header. Idempotency-Key gets a new UUID for each request that is sent. */
function variablesIn(place: string, parameters: readonly Parameter[], sent: readonly string[] = []): Variable[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name = '', example, description, required }) => ({
      key: name,
      value: name === 'Idempotency-Key' ? '{{$guid}}' : valueOf(example),
      ...(typeof description === 'string' ? { description } : {}),
      ...(required === true || place === 'path' || sent.includes(name) ? {} : { disabled: true }),
    }));
}

/** Puts the variable of the collection in the place of an id that the service assigns. */
function assigned({ key, ...rest }: Variable, path: string): Variable {
  const name = key === 'id' && path.includes('/webhooks/') ? 'webhookId' : key;
  const isSet = Object.values(SETS).some((set) => name in set);
  return { ...rest, key, value: isSet ? `{{${name}}}` : rest.value };
}

function valueOf(example: unknown): string {
  if (example === undefined) return '';
  return typeof example === 'string' ? example : JSON.stringify(example);
}
