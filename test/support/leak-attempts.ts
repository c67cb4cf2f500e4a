import { readDocument } from './document.js';

/** Unique texts: any occurrence outside the stores is a leak. */
export const CANARIES = {
  name: 'Zuwaira Qanarypersson',
  bvn: '22290817263',
  phone: '+2348090817264',
  community: 'Qanarytown',
  payload: 'payload-qanary-51',
  reference: 'reference-qanary-52',
  idempotency: 'idempotency-qanary-53',
  wrongKey: 'rupa_key_QanaryQanaryQanaryQanaryQanaryQanaryQanary000000a',
  wrongToken: 'token-qanary-that-opens-nothing-54',
  adminToken: 'admin-token-qanary-55-0123456789',
  auditorToken: 'auditor-token-qanary-56-0123456789',
  url: 'url-qanary-57',
  broken: 'broken-body-qanary-58',
  path: 'path-qanary-59',
  query: 'query-qanary-60',
} as const;

/** Returns every form in which a secret may have been written: as it is, in a URL, as hex, or as base64, which may continue after it. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [secret, encodeURIComponent(secret), whole.toString('base64'), whole.toString('base64url'), bytes.toString('hex')];
}

/** Returns the secrets that the text contains. */
export function found(text: string, secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly example: unknown }; readonly 'text/csv'?: unknown };
  };
}

export interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

const TEXTS = [CANARIES.name, CANARIES.bvn, CANARIES.phone, CANARIES.payload, CANARIES.reference];

/** Returns requests to every operation of the document, both valid and invalid ones. */
export function everyAttempt(parameter: (name: string) => string): readonly Attempt[] {
  const paths = readDocument().paths as unknown as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const good = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameter(name));
      const bad = template.replaceAll(/\{\w+\}/g, encodeURIComponent(`${CANARIES.path} ${CANARIES.phone}`));
      const query = parameters
        .filter(({ in: where }) => where === 'query')
        .map(({ name }) => `${name}=${encodeURIComponent(`${CANARIES.query} ${CANARIES.name}`)}`);
      const example = requestBody?.content['application/json']?.example;
      const attempts: Omit<Attempt, 'method'>[] = [
        { path: bad },
        { path: `${good}?x=${CANARIES.query}` },
        { path: `${good}?${query.join('&')}` },
      ];
      if (requestBody?.content['text/csv']) {
        const rows = TEXTS.map((text) => `01/03/2026,${text},5`).join('\n');
        const body = `Date,Narration,Credit\n${rows}\n${CANARIES.broken}`;
        const columns = `date=Date&reference=Narration&credit=${encodeURIComponent(CANARIES.query)}`;
        attempts.push(
          { path: `${good}?date=Date&reference=Narration&credit=Credit`, body, type: 'text/csv' },
          { path: `${good}?${columns}`, body, type: 'text/csv' },
        );
      }
      if (example === undefined) return attempts.map((attempt) => ({ method: method.toUpperCase(), ...attempt }));
      const bodies = [
        example,
        ...TEXTS.map((text) => replaced(example, text, false)),
        replaced(example, CANARIES.name, true),
        { [CANARIES.name]: CANARIES.bvn },
        CANARIES.payload,
      ].map((body) => JSON.stringify(body));
      const broken = [
        `{"rupa_id":"${CANARIES.broken} ${CANARIES.name}`,
        `{"__proto__":{"a":"${CANARIES.broken}"}}`,
        `{"rupa_id":"${CANARIES.broken}","payload":${'{"a":'.repeat(40)}"${CANARIES.bvn}"${'}'.repeat(40)}}`,
        JSON.stringify({ rupa_id: CANARIES.broken.repeat(5_000) }),
      ];
      attempts.push(
        ...[...bodies, ...broken].map((body) => ({ path: good, body })),
        { path: good, body: CANARIES.broken, type: 'text/plain' },
        { path: bad, body: bodies[0] ?? '' },
      );
      return attempts.map((attempt) => ({ method: method.toUpperCase(), ...attempt }));
    }),
  );
}

/** Returns a copy with every text replaced, or with every value replaced if `all` is set. */
function replaced(value: unknown, by: string, all: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, by, all));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'rupa_id' ? item : replaced(item, by, all)]));
  return all || typeof value === 'string' ? by : value;
}
