import { type Document, type Operation, type Parameter, resolved } from '../../src/documentation/openapi/parts.js';

/** Returns what the service assigned in place of an example that stands for it; undefined if the example is sent as it is. */
type Assigned = (parameter: string, template: string) => string | undefined;

interface ExampleCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** An object is sent as JSON, and a text as the file that it is. */
  readonly body: object | string | undefined;
}

/** Returns the request that the examples of an operation make up, those of optional parameters included. */
export function exampleCall(
  { path: template, method, operation }: { readonly path: string; readonly method: string; readonly operation: Operation },
  document: Document,
  assigned: Assigned,
): ExampleCall {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(parameter, document));
  const inPath = Object.fromEntries(examplesIn('path', parameters));
  const query = new URLSearchParams(examplesIn('query', parameters)).toString();
  const [media] = Object.entries(operation.requestBody?.content ?? {});
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => assigned(name, template) ?? inPath[name] ?? '');
  return {
    method: method.toUpperCase(),
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...Object.fromEntries(examplesIn('header', parameters)), ...(media ? { 'Content-Type': media[0] } : {}) },
    body: media?.[1].example as object | string | undefined,
  };
}

/** Returns the documented statuses of success. */
export function successesOf({ responses }: Operation): number[] {
  return Object.keys(responses)
    .filter((status) => status.startsWith('2'))
    .map(Number);
}

function examplesIn(place: string, parameters: readonly Parameter[]): [string, string][] {
  const found = parameters.filter((parameter) => parameter.in === place && parameter.example !== undefined);
  return found.map(({ name = '', example }) => [name, String(example)]);
}
