import { randomUUID } from 'node:crypto';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type Stack } from './stack.js';
import { debited } from './unit/wallet-events.js';

const at = '2026-11-21T10:00:00.000Z';

export type Appender = ReturnType<typeof appenderOf>;

/** Appends events, with short forms for those that the webhook subscriber turns into notifications. Each returns the position. */
export function appenderOf({ eventStore, codec }: Pick<Stack, 'eventStore' | 'codec'>) {
  const append = async (stream: string, ...events: DomainEvent[]): Promise<bigint> => {
    const last = await eventStore.lastEvent(stream);
    const placed = events.map((event): NewEvent => ({
      id: randomUUID(),
      ...event,
      data: { ...event.data },
      metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
    }));
    const appended = await eventStore.append(stream, await codec.encode(stream, placed), last?.revision ?? -1n);
    if (appended.kind !== 'appended') throw new Error(appended.kind);
    return appended.position;
  };
  const grant = (partner_id: string, rupa_id: string): Promise<bigint> => {
    const event = debited(randomUUID(), rupa_id);
    return append(`wallet-${partner_id}`, { ...event, data: { ...event.data, partner_id } });
  };
  const register = (endpoint_id: number, partner_id: string, events = ['*']): Promise<bigint> =>
    append(`webhook-${endpoint_id}`, {
      type: 'WebhookRegistered',
      data: {
        endpoint_id,
        partner_id,
        mode: 'live',
        url: 'https://partner.example/',
        name: null,
        events,
        secret_id: 's',
        recorded_at: at,
        actor: 'a',
      },
    });
  const disable = (endpoint_id: number, partner_id: string): Promise<bigint> =>
    append(`webhook-${endpoint_id}`, {
      type: 'WebhookDisabled',
      data: { endpoint_id, partner_id, reason: 'gone', recorded_at: at, actor: 'a' },
    });
  const report = (contribution_id: number, rupa_id: string): Promise<bigint> =>
    append(`contribution-${contribution_id}`, {
      type: 'ContributionRecorded',
      data: {
        contribution_id,
        partner_id: 'p0',
        account_type: 'bank',
        rupa_id,
        event: 'loan_disbursed',
        currency: 'NGN',
        occurred_at: at,
        recorded_at: at,
        actor: 'a',
        amount_minor: 1,
        partner_reference: null,
        payload: null,
      },
    });
  return { append, grant, register, disable, report };
}
