import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Document } from '../../src/app/openapi/parts.js';

/** The OpenAPI document of the build that is tested, as the setup of the run made it. */
export function readDocument(): Document {
  return JSON.parse(readFileSync(resolve('dist/openapi.json'), 'utf8')) as Document;
}
