// Writes the OpenAPI document of the build under test for document.ts: generating it in each test file would take seconds.
import { renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const { previewDocument } = await import(resolve('dist/src/app/preview-document.js'));
const draft = resolve(`dist/openapi.json.${process.pid}`);
writeFileSync(draft, JSON.stringify(await previewDocument('http://127.0.0.1')));
renameSync(draft, resolve('dist/openapi.json'));
