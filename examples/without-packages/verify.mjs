// Verifies a delivery on standard input: node verify.mjs ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TOLERANCE_SECONDS = 300;

/** Takes the raw body as a Buffer, and the headers webhook-id, webhook-timestamp and webhook-signature. */
function isFromRupa(rawBody, id, timestamp, signatures, secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64')}`);
  // During the day after a rotation there is a signature with each of the two secrets.
  const isSigned = signatures.split(' ').some((text) => {
    const each = Buffer.from(text);
    return each.length === expected.length && timingSafeEqual(each, expected);
  });
  return isSigned && Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}

const [id, timestamp, signatures] = process.argv.slice(2);
if (!isFromRupa(readFileSync(0), id, timestamp, signatures, process.env.RUPA_SIGNING_SECRET)) {
  console.error('The delivery is not genuine, or too old.');
  process.exit(1);
}
console.log('genuine');
