// Types of the parts of an OpenAPI document. Each declares only the keywords that the code of this folder uses.

export interface Part {
  [keyword: string]: unknown;
}

interface Media extends Part {
  schema?: Part;
  example?: unknown;
}

export interface Response extends Part {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

export interface Parameter extends Part {
  name?: string;
  in?: string;
  schema?: Part;
}

export interface Operation extends Part {
  operationId?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

export type Paths = Record<string, Record<string, Operation>>;

export interface Document extends Part {
  info: { title: string; description: string };
  tags: { name: string }[];
  paths: Paths;
  webhooks?: Paths;
  components: Record<'schemas' | 'responses' | 'headers' | 'parameters' | 'securitySchemes', Record<string, Part>>;
}

const REFERENCE = /^#\/components\/(schemas|responses|parameters)\/(.+)$/;

/** Returns the part itself or, for a reference, the component that it refers to. */
export function resolved<P extends Part>(part: P, { components }: Document): P {
  const [, kind, name] = REFERENCE.exec(typeof part.$ref === 'string' ? part.$ref : '') ?? [];
  return kind && name ? ((components[kind as 'schemas' | 'responses' | 'parameters'][name] ?? {}) as P) : part;
}

/** Returns every operation with its path and method. */
export function operationsOf(paths: Paths): readonly { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
