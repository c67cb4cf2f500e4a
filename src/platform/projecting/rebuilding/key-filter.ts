const BITS = 2 ** 25;
const PROBES = 3;

/**
 * A Bloom filter (4 MiB) of the keys that were written to a table. `mayHold` has no false negatives; its false positive rate is about
 * 1 in 1,000 at a million keys and 1 in 5 at ten million.
 */
export class KeyFilter {
  private readonly words = new Uint32Array(BITS / 32);

  add(key: string): void {
    let bit = hash(key);
    const step = mixed(bit);
    for (let probe = 0; probe < PROBES; probe += 1, bit += step)
      this.words[wordOf(bit)] = (this.words[wordOf(bit)] ?? 0) | (1 << (bit & 31));
  }

  mayHold(key: string): boolean {
    let bit = hash(key);
    const step = mixed(bit);
    for (let probe = 0; probe < PROBES; probe += 1, bit += step)
      if (((this.words[wordOf(bit)] ?? 0) & (1 << (bit & 31))) === 0) return false;
    return true;
  }
}

function wordOf(bit: number): number {
  return (bit >>> 5) & (BITS / 32 - 1);
}

/** Returns the FNV-1a hash of the text, mixed. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return mixed(value);
}

/** Applies the finalizer of MurmurHash3, which makes every bit depend on all others. */
function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
