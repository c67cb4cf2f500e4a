// Looks a farmer up: node lookup.mjs RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY.
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 5;

/** Sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice. */
async function lookUp(rupa_id, idempotencyKey) {
  let reason;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    let wait = 2 ** attempt;
    try {
      const response = await fetch(`${process.env.RUPA_URL}/v1/rupa/lookup`, {
        method: 'POST',
        headers: {
          'X-API-KEY': process.env.RUPA_API_KEY,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
        },
        body: JSON.stringify({ rupa_id, sections: ['identity'] }),
        signal: AbortSignal.timeout(30_000),
      });
      reason = await response.text();
      if (response.ok) return JSON.parse(reason).data;
      const { status, headers } = response;
      if (status !== 429 && status < 500 && !reason.includes('"idempotency_in_progress"')) break; // Another attempt would fail, too.
      wait = Number(headers.get('Retry-After') ?? wait);
    } catch (error) {
      reason = String(error.cause ?? error); // No response: nobody knows whether the lookup was charged.
    }
    if (attempt < ATTEMPTS - 1) await sleep(wait * 1000);
  }
  console.error(reason);
  process.exit(1);
}

const { billing } = await lookUp(...process.argv.slice(2, 4));
console.log(JSON.stringify(billing));
