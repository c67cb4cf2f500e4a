/** Parts of a document as they are finished here: JSON, of which a step knows the keywords that it touches. */
export interface Part {
  [keyword: string]: unknown;
}

export interface Media extends Part {
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
  tags: { name: string }[];
  paths: Paths;
  webhooks?: Paths;
  components: Record<'schemas' | 'responses' | 'headers' | 'parameters' | 'securitySchemes', Record<string, Part>>;
}

const REFERENCE = /^#\/components\/(schemas|responses)\/(.+)$/;

/** The part itself, or what it refers to. */
export function resolved<P extends Part>(part: P, { components }: Document): P {
  const [, kind, name] = REFERENCE.exec(typeof part.$ref === 'string' ? part.$ref : '') ?? [];
  return kind && name ? ((components[kind as 'schemas' | 'responses'][name] ?? {}) as P) : part;
}

/** Every operation, with the path and the method it is found under. */
export function operationsOf(paths: Paths): readonly { path: string; method: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
