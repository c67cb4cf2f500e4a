import { type ChargeCommand, type LookupToCharge } from '../../../src/contexts/wallet/domain/wallet-command.js';

/** A charge of one lookup, with the lookup's own fields beside the others. */
export type OneCharge = Omit<ChargeCommand, 'kind' | 'lookups'> & LookupToCharge;

/** Returns the command that charges one lookup. */
export function chargeOf({ lookup_id, rupa_id, breakdown_kobo, grants_consent, ...command }: OneCharge): ChargeCommand {
  return { ...command, kind: 'charge', lookups: [{ lookup_id, rupa_id, breakdown_kobo, grants_consent }] };
}
