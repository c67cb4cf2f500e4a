/** What one holder has of a budget. */
export interface Share {
  set(bytes: number): void;
  add(bytes: number): void;
}

/** Memory that many share. When it is used up, whoever holds the most loses it: those who hold little never pay for those who hold much. */
export class Budget {
  private readonly shares = new Map<Share, { bytes: number; readonly evict: () => void }>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  /** @param evict is to let go of all that is held; it is called once, with nothing held any more. */
  share(evict: () => void): Share {
    const held = { bytes: 0, evict };
    const share: Share = {
      set: (bytes) => {
        this.total += bytes - held.bytes;
        held.bytes = bytes;
        // Only those who hold something are known, so that nothing has to be given back in the end.
        if (bytes > 0) this.shares.set(share, held);
        else this.shares.delete(share);
        if (this.total > this.maxBytes) this.evictLargest();
      },
      add: (bytes) => {
        share.set(held.bytes + bytes);
      },
    };
    return share;
  }

  private evictLargest(): void {
    let largest: [Share, { readonly bytes: number; readonly evict: () => void }] | undefined;
    for (const entry of this.shares) if (!largest || entry[1].bytes > largest[1].bytes) largest = entry;
    if (!largest) return;
    const [share, { evict }] = largest;
    share.set(0);
    evict();
  }
}
