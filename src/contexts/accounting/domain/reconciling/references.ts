/** Characters by which the references that may begin at a word are found quickly. */
const PREFIX = 3;

/** The letters and digits of each word, in lower case. A combining mark belongs to its word and is not compared. */
function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.map((word) => word.replaceAll(/\p{M}+/gu, '')).filter((word) => word !== '');
}

/** Returns the letters and digits of a reference or narration, by which they are compared (finance, "Reconciliation"). */
export function comparedKey(text: string): string {
  return wordsOf(text).join('');
}

/** References, to be found inside narrations. It takes about as long for ten references as for a hundred thousand. */
export class ReferenceIndex<Item> {
  private readonly byKey = new Map<string, Item[]>();
  private readonly prefixes = new Set<string>();
  private longest = 0;

  constructor(items: Iterable<Item>, referenceOf: (item: Item) => string) {
    for (const item of items) {
      const key = comparedKey(referenceOf(item));
      if (key === '') continue;
      const same = this.byKey.get(key);
      if (same) same.push(item);
      else this.byKey.set(key, [item]);
      this.prefixes.add(key.slice(0, PREFIX));
      this.longest = Math.max(this.longest, key.length);
    }
  }

  /**
   * Returns the items whose reference is the longest of those that stand in the text: its characters are those of a run of whole words.
   * `INV-2031` stands in `INV/2031`, `inv 2031` and `INV2031`, and not in `INV20311`.
   * @param counts the items that are looked for; others are passed over, also where their reference is longer
   */
  longestIn(
    text: string,
    counts: (item: Item) => boolean = () => true,
  ): { readonly key: string; readonly items: readonly Item[] } | undefined {
    const words = wordsOf(text);
    const joined = words.join('');
    let found: { readonly key: string; readonly items: Item[] } | undefined;
    const seen = new Set<string>();
    const consider = (key: string): void => {
      if (key.length < (found?.key.length ?? 1) || seen.has(key)) return;
      seen.add(key);
      const items = this.byKey.get(key)?.filter(counts) ?? [];
      if (items.length === 0) return;
      found = found?.key.length === key.length ? { key, items: [...found.items, ...items] } : { key, items };
    };
    let start = 0;
    for (const [first, word] of words.entries()) {
      if (this.mayBeginAt(joined, start)) {
        let end = start;
        for (let last = first; last < words.length; last += 1) {
          end += words[last]?.length ?? 0;
          if (end - start > this.longest) break;
          consider(joined.slice(start, end));
        }
      }
      start += word.length;
    }
    return found;
  }

  private mayBeginAt(joined: string, start: number): boolean {
    for (let length = 1; length <= PREFIX; length += 1) if (this.prefixes.has(joined.slice(start, start + length))) return true;
    return false;
  }
}
