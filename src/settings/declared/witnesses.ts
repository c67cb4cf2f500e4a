import { z } from 'zod';
import { parseWitnessKey } from '../../contexts/evidence/domain/cosignature.js';
import { listOf, shown } from '../types.js';
import { variable } from '../variable.js';

/** A witness of the log's checkpoints. */
export interface WitnessSetting {
  readonly name: string;
  /** Its verifier key, of type 4 (https://c2sp.org/tlog-cosignature). */
  readonly key: string;
  /** The address before `/add-checkpoint`. */
  readonly url: string;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export const witnesses = variable('WITNESSES', {
  type: listOf('`NAME VKEY URL`', z.string().transform(parseWitness)).superRefine((all, context) => {
    for (const part of ['name', 'key'] as const) {
      const repeated = all.find((witness, at) => all.findIndex((other) => other[part] === witness[part]) !== at);
      if (repeated) context.addIssue(`two witnesses have the same ${part}: ${shown(repeated.name)}`);
    }
  }),
  default: { words: 'none', value: (): readonly WitnessSetting[] => [] },
  description:
    'Witnesses that cosign the checkpoints of the log (docs/audit.md): a name that you choose, the verifier key (type 4) and the `https://` address before `/add-checkpoint`, with spaces between. Every process needs the same value.',
});

function parseWitness(entry: string, context: z.RefinementCtx): WitnessSetting {
  const [name = '', key = '', address = '', ...rest] = entry.split(/\s+/);
  const wrong =
    address === '' || rest.length > 0
      ? `a witness is "NAME VKEY URL", with spaces between and commas between witnesses, and ${shown(name)} is not`
      : (faultOfKey(name, key) ?? faultOfAddress(name, address));
  if (wrong !== undefined) {
    context.addIssue(wrong);
    return z.NEVER;
  }
  return { name, key, url: address.replace(/\/+$/, '') };
}

function faultOfKey(name: string, key: string): string | undefined {
  return parseWitnessKey(key)
    ? undefined
    : `the key of ${shown(name)} is not a verifier key of type 4: name+id+key, as the witness publishes it`;
}

function faultOfAddress(name: string, address: string): string | undefined {
  const url = URL.parse(address);
  const mustBe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !mustBe) return `the address of ${shown(name)} must be an https:// URL; http:// is allowed for this machine's loopback alone`;
  return /[?#]|\/\/[^/]*@/.test(address) ? `the address of ${shown(name)} must have no user, password, query or fragment` : undefined;
}
