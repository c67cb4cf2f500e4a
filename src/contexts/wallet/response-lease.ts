/**
 * Seconds for which a request holds the lease of an Idempotency-Key. Longer than a lookup may take from inserting its row to storing its
 * response, so that at most one holder of the lease stores one. A lease that ends later than this from now was taken before the database's
 * clock was set back: it is not valid.
 */
export const LEASE_SECONDS = 20;
