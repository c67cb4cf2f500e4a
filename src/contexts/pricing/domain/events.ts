export type PricingEvent = {
  readonly type: 'PriceBookPublished';
  readonly data: {
    readonly version: number;
    /** Integer kobo by fee key, for every fee of the book. */
    readonly fees_kobo: Readonly<Record<string, number>>;
    readonly recorded_at: string;
    readonly actor: string;
  };
};
