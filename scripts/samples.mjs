import { readFileSync, writeFileSync } from 'node:fs';
import { withSamples } from '../dist/src/documentation/pages/samples.js';

for (const page of ['docs/partners/lookups.md', 'docs/partners/webhooks.md'])
  writeFileSync(
    page,
    withSamples(readFileSync(page, 'utf8'), (file) => readFileSync(`examples/without-packages/${file}`, 'utf8')),
  );
