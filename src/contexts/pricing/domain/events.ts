export type PricingEvent = {
  readonly type: 'PriceBookPublished';
  readonly data: {
    readonly version: number;
    /** Fee key to integer kobo: the whole book. */
    readonly fees_kobo: Readonly<Record<string, number>>;
    readonly recorded_at: string;
    readonly actor: string;
  };
};
