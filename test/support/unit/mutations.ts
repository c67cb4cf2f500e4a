import { type ChainedEntry } from '../../../src/contexts/wallet/domain/verify-wallet.js';

interface Leaf {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Returns every field that contains no other field. */
export function leaves(holder: Record<string, unknown>): Leaf[] {
  return Object.keys(holder).flatMap((key) => {
    const value = holder[key];
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0
      ? leaves(value as Record<string, unknown>)
      : [{ holder, key }];
  });
}

/** Returns a copy with one field changed, left out or added. */
export function mutated(entry: ChainedEntry, where: number, how: string): ChainedEntry {
  const copy = structuredClone(entry) as unknown as Record<string, unknown>;
  const all = leaves(copy);
  const leaf = all[where % all.length];
  if (!leaf) throw new Error('An entry without fields.');
  const { holder, key } = leaf;
  const value = holder[key];
  if (how === 'change')
    holder[key] =
      typeof value === 'bigint' ? value + 1n : typeof value === 'number' ? value + 1 : value === null ? 0 : `${JSON.stringify(value)}x`;
  else if (how === 'leave out' && typeof value !== 'bigint' && key !== 'stream') Reflect.deleteProperty(holder, key);
  else (copy.data as Record<string, unknown>).added = 1;
  return copy as unknown as ChainedEntry;
}
