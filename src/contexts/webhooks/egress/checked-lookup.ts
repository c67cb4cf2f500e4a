import { isIP, type LookupFunction } from 'node:net';
import { StepFailed } from './delivery-failed.js';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string }[]>;

type Address = { address: string; family: number };

/**
 * Returns the `lookup` hook of a socket. The socket connects to exactly the addresses that were checked here, so a DNS change in between
 * has no effect (DNS rebinding). A name with any address that is not allowed is refused, because a retry could connect to that address.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveAllowed(hostname, resolve, isAllowed).then(
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

async function resolveAllowed(
  hostname: string,
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
): Promise<[Address, ...Address[]]> {
  const found = await resolve(hostname).catch(() => []);
  const [first, ...others] = found.map(({ address }) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new StepFailed('dns');
  if (![first, ...others].every(({ address }) => isAllowed(address))) throw new StepFailed('address_refused');
  return [first, ...others];
}
