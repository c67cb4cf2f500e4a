/** The lag of a read model is counted up to this many events. */
export const MAX_COUNTED_LAG = 10_000;
