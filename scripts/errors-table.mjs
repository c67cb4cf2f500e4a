import { readFileSync, writeFileSync } from 'node:fs';
import { withErrorsTable } from '../dist/src/http/errors/errors-table.js';

const PAGE = 'docs/partners/errors.md';
writeFileSync(PAGE, withErrorsTable(readFileSync(PAGE, 'utf8')));
