/** PostgreSQL notification channel that wakes senders when a delivery is due now. */
export const DELIVERIES_CHANNEL = 'rupa_deliveries';
