import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Document } from '../../src/documentation/openapi/parts.js';

/** Reads the OpenAPI document of the build under test, which the global setup generated. */
export function readDocument(): Document {
  return JSON.parse(readFileSync(resolve('dist/openapi.json'), 'utf8')) as Document;
}
