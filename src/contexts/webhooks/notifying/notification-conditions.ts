import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { LOW_BALANCE_TYPE } from '../domain/notification-types.js';

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');

// Conditions of SQL statements in which `n` is a notification, `e` an endpoint and `c` an entry of the consent roster.

/** Whether the endpoint subscribes to the notification's type. */
export const SUBSCRIBES = `(${e.events} ? n.type or (${e.events} ? '*' and n.type <> '${LOW_BALANCE_TYPE}'))`;

/** Whether the event of a listed notification came after the consent. Positions of an earlier log cannot be compared, so times decide there. */
export const AFTER_CONSENT = `case when n.position is null then n.recorded_at >= ${c.granted_at} else n.position >= ${c.granted_position} end`;
