/** Tells senders that something is to be sent now. */
export const DELIVERIES_CHANNEL = 'rupa_deliveries';
