import shared from '@eventstore/db-client/generated/shared_pb.js';
import { idBytes } from './wire.js';

/** Returns a UUID message in the form of two 64-bit halves. */
export function structuredId(uuid: string): shared.UUID {
  const bytes = idBytes(uuid);
  const [most, least] = [bytes.readBigInt64BE(0).toString(), bytes.readBigInt64BE(8).toString()];
  return new shared.UUID().setStructured(new shared.UUID.Structured().setMostSignificantBits(most).setLeastSignificantBits(least));
}
