import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { generateFarmer } from './generate-farmer.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'sandbox' },
  },
});

// Writes one JSON object per line, as `rupa farmers import` reads them, and waits if the reader is slow.
for (let index = 0; index < Number(values.count); index += 1) {
  const farmer = generateFarmer(Number(values.seed), index, values.mode === 'live' ? 'live' : 'sandbox');
  if (!process.stdout.write(`${JSON.stringify(farmer)}\n`)) await once(process.stdout, 'drain');
}
