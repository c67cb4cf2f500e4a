/** PostgreSQL notification channel that wakes senders when a delivery is due now. */
export const DELIVERIES_CHANNEL = 'rupa_deliveries';
/** PostgreSQL notification channel that wakes the callers who wait for events. */
export const NOTIFICATIONS_CHANNEL = 'rupa_notifications';
