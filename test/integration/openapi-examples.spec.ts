import { beforeAll, describe, expect, it } from '@jest/globals';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SUBSCRIBABLE_TYPES, TEST_TYPE } from '../../src/contexts/webhooks/domain/notification-types.js';
import { REPORTABLE_ACTIVITIES } from '../../src/kernel/accounts.js';
import { strict } from '../support/strict-document.js';
import { type Document } from '../../src/documentation/openapi/parts.js';
import { readDocument } from '../support/document.js';

interface Example {
  readonly at: string;
  /** JSON pointer to the schema of the example. */
  readonly pointer: string;
  readonly value: unknown;
}

const ACTIVITIES: readonly string[] = Object.values(REPORTABLE_ACTIVITIES).flat();
const NOTIFICATIONS: readonly string[] = [...SUBSCRIBABLE_TYPES, TEST_TYPE];
/** Fields that contain names of events, with the names that are allowed in each. */
const EVENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  events: [...NOTIFICATIONS, '*'],
  subscribed_events: [...NOTIFICATIONS, '*'],
  available_events: SUBSCRIBABLE_TYPES,
  contribution_events: ACTIVITIES,
  event: [...ACTIVITIES, ...NOTIFICATIONS, 'credit_score_changed'],
};

let document: Document;
let examples: readonly Example[];
beforeAll(() => {
  document = strict(readDocument()) as Document;
  examples = examplesIn(document);
});

describe('the examples of the OpenAPI document', () => {
  it('exist for every body but those of bytes alone', () => {
    const isBytes = (content: unknown): boolean =>
      Object.values(content as Record<string, { schema?: { format?: string } }>).every(({ schema }) => schema?.format === 'binary');
    const without = JSON.stringify(document, (key, value: unknown) =>
      key === 'content' && !isBytes(value) && !JSON.stringify(value).includes('"example"') ? 'NO EXAMPLE' : value,
    );
    expect(without).not.toContain('NO EXAMPLE');
  });

  it('are valid by their schemas and have no field that the schema does not name', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'openapi');
    expect(examples.length).toBeGreaterThan(100);
    const wrong = examples.flatMap(({ at, pointer, value }) => {
      const validate = ajv.compile({ $ref: `openapi#${pointer}` });
      return validate(value) ? [] : [`${at}: ${ajv.errorsText(validate.errors)}`];
    });
    expect(wrong).toStrictEqual([]);
  });

  it('name only events that exist', () => {
    const named = examples.flatMap(({ at, value }) => eventsIn(value).map((found) => ({ at, ...found })));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ field, event }) => !EVENT_FIELDS[field]?.includes(event))).toStrictEqual([]);
  });

  it('include every notification that is sent, and no other', () => {
    expect(Object.keys(document.webhooks ?? {}).sort()).toStrictEqual([...NOTIFICATIONS].sort());
    const shown = Object.values(document.webhooks ?? {}).map(({ post }) => {
      const { type } = post?.requestBody?.content['application/json']?.example as { type: string };
      return type;
    });
    expect(shown.sort()).toStrictEqual([...NOTIFICATIONS].sort());
  });
});

describe('the text of the OpenAPI document', () => {
  it('names only notifications that exist', () => {
    const named = JSON.stringify(document).match(/\b(?:account|farmer|webhook)\.[a-z_]+\b/g) ?? [];
    expect([...new Set(named)].filter((name) => !NOTIFICATIONS.includes(name))).toStrictEqual([]);
  });
});

/** Returns the examples of bodies, headers, parameters and schemas, each with the pointer to its schema. */
function examplesIn(part: unknown, at = ''): readonly Example[] {
  if (typeof part !== 'object' || part === null) return [];
  const { schema, example, examples: more } = part as { schema?: unknown; example?: unknown; examples?: unknown };
  const own: Example[] = [];
  if (schema !== undefined && example !== undefined) own.push({ at, pointer: `${at}/schema`, value: example });
  if (Array.isArray(more)) own.push(...more.map((value: unknown) => ({ at, pointer: at, value })));
  const below = Object.entries(part).filter(([key]) => key !== 'example' && key !== 'examples');
  return [...own, ...below.flatMap(([key, value]) => examplesIn(value, `${at}/${pointerPart(key)}`))];
}

function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function eventsIn(value: unknown): readonly { readonly field: string; readonly event: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, item]: [string, unknown]) => {
    const names = field in EVENT_FIELDS ? [item].flat().filter((name) => typeof name === 'string') : [];
    return [...names.map((event) => ({ field, event })), ...eventsIn(item)];
  });
}
