import { parseWitnessKey } from '../domain/cosignature.js';
import { type VerifierKey } from '../domain/signed-note.js';

/** A witness of the log's checkpoints, as the setting WITNESSES names it. */
export interface Witness {
  readonly name: string;
  readonly key: VerifierKey;
  /** The address before `/add-checkpoint`. */
  readonly url: string;
}

/** The setting has been validated, so that no witness is left out. */
export function witnessesOf(setting: readonly { readonly name: string; readonly key: string; readonly url: string }[]): Witness[] {
  return setting.flatMap(({ name, key: text, url }) => {
    const key = parseWitnessKey(text);
    return key ? [{ name, key, url }] : [];
  });
}
