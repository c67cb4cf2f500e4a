// Loaded with `node --import`: makes the process's wall clock wrong by the milliseconds in the file that CLOCK_SHIFT names. Timers and
// `performance.now()` stay right, as with a machine whose clock is set.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_SHIFT ?? '';
const RealDate = Date;
const realNow = Date.now.bind(Date);
const now = () => realNow() + Number(readFileSync(file, 'utf8'));

globalThis.Date = class Date extends RealDate {
  constructor(...values) {
    super(...(values.length === 0 ? [now()] : values));
  }

  static now() {
    return now();
  }
};
