import { isIP, type LookupFunction } from 'node:net';
import { StepFailed } from './delivery-failed.js';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string }[]>;

type Answer = { address: string; family: number };

/**
 * The hook by which a socket learns where to connect: it connects to the very addresses that were checked, however the name changes meanwhile.
 * One address that is not allowed refuses the name, or a retry could be steered to it.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    answer(hostname, resolve, isAllowed).then(
      ([first, ...others]) => {
        if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error as Error, []);
      },
    );
  };
}

async function answer(hostname: string, resolve: Resolve, isAllowed: (address: string) => boolean): Promise<[Answer, ...Answer[]]> {
  const found = await resolve(hostname).catch(() => []);
  const [first, ...others] = found.map(({ address }) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new StepFailed('dns');
  if (![first, ...others].every(({ address }) => isAllowed(address))) throw new StepFailed('address_refused');
  return [first, ...others];
}
