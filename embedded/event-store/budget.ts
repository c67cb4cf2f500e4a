/** The bytes that one holder takes from a budget. */
export interface Share {
  set(bytes: number): void;
  add(bytes: number): void;
}

/** A memory budget for many holders. When it is exceeded, the largest holder is evicted, so small holders never suffer for large ones. */
export class Budget {
  private readonly shares = new Map<Share, { bytes: number; readonly evict: () => void }>();
  private total = 0;

  constructor(private readonly maxBytes: number) {}

  /** @param evict releases everything that the holder keeps; it is called once, after the share was set to 0. */
  share(evict: () => void): Share {
    const held = { bytes: 0, evict };
    const share: Share = {
      set: (bytes) => {
        this.total += bytes - held.bytes;
        held.bytes = bytes;
        // Only shares that hold something are stored, so that a holder need not give back an empty share.
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
