import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Mode } from '../../../kernel/accounts.js';
import { type DisabledReason, type EndpointSettings, type WebhookEvent } from './events.js';

/** Callers match on these codes, so they must not change. */
export type WebhookRejectionCode = 'webhook_unknown' | 'delivery_unknown' | 'webhook_disabled';
export class WebhookRejection extends Rejection<WebhookRejectionCode> {}

interface CommandBase {
  readonly endpoint_id: number;
  /** The partner that calls. An endpoint of another partner is rejected as unknown. */
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type WebhookCommand = CommandBase &
  (
    | { readonly kind: 'register'; readonly mode: Mode; readonly settings: EndpointSettings; readonly secret_id: string }
    | { readonly kind: 'update'; readonly settings: Partial<EndpointSettings> }
    | { readonly kind: 'rotate-secret'; readonly secret_id: string }
    | { readonly kind: 'disable'; readonly reason: DisabledReason }
    | { readonly kind: 'enable' }
    | { readonly kind: 'delete' }
  );

export type WebhookState =
  | { readonly status: 'unregistered' | 'deleted' }
  | {
      readonly status: 'enabled' | 'disabled';
      /** Null while the endpoint is enabled. */
      readonly disabled_reason: DisabledReason | null;
      readonly partner_id: string;
      readonly settings: EndpointSettings;
      readonly secret_id: string;
    };

function decide(command: WebhookCommand, state: WebhookState): readonly WebhookEvent[] {
  const { endpoint_id, partner_id, at, actor } = command;
  const data = { endpoint_id, partner_id, recorded_at: at, actor };
  if (command.kind === 'register') {
    const { mode, settings, secret_id } = command;
    return state.status === 'unregistered' ? [{ type: 'WebhookRegistered', data: { ...data, ...settings, mode, secret_id } }] : [];
  }
  if (!('settings' in state) || state.partner_id !== partner_id) throw new WebhookRejection('webhook_unknown');
  switch (command.kind) {
    case 'update': {
      const settings = { ...state.settings, ...command.settings };
      const staysDisabled = isDisabledByCall(state.disabled_reason);
      // An update enables an endpoint that its failures have disabled, even if it changes no setting.
      if ((state.status === 'enabled' || staysDisabled) && same(settings, state.settings)) return [];
      return [{ type: 'WebhookUpdated', data: { ...data, ...settings, ...(staysDisabled && { stays_disabled: true }) } }];
    }
    case 'rotate-secret':
      // A rotation that was interrupted after its event runs again.
      if (state.secret_id === command.secret_id) return [];
      return [{ type: 'SigningSecretRotated', data: { ...data, secret_id: command.secret_id, previous_secret_id: state.secret_id } }];
    case 'disable':
      // A call to disable an endpoint that its failures have disabled is recorded, too, because no update may enable it from then on.
      return state.status === 'enabled' || (isDisabledByCall(command.reason) && !isDisabledByCall(state.disabled_reason))
        ? [{ type: 'WebhookDisabled', data: { ...data, reason: command.reason } }]
        : [];
    case 'enable':
      return state.status === 'enabled' ? [] : [{ type: 'WebhookEnabled', data }];
    case 'delete':
      return [{ type: 'WebhookDeleted', data }];
  }
}

/** Returns whether only a call enables the endpoint again (decisions, "Webhooks"). */
function isDisabledByCall(reason: DisabledReason | null): boolean {
  return reason === 'operator' || reason === 'partner';
}

function same(one: EndpointSettings, other: EndpointSettings): boolean {
  return one.url === other.url && one.name === other.name && one.events.join() === other.events.join();
}

function evolve(state: WebhookState, event: WebhookEvent): WebhookState {
  switch (event.type) {
    case 'WebhookRegistered': {
      const { partner_id, secret_id, url, name, events } = event.data;
      return { status: 'enabled', disabled_reason: null, partner_id, secret_id, settings: { url, name, events } };
    }
    case 'WebhookDeleted':
      return { status: 'deleted' };
    case 'WebhookUpdated': {
      const { url, name, events, stays_disabled } = event.data;
      if (!('settings' in state)) return state;
      const updated = { ...state, settings: { url, name, events } };
      return stays_disabled ? updated : { ...updated, status: 'enabled', disabled_reason: null };
    }
    case 'SigningSecretRotated':
      return 'settings' in state ? { ...state, secret_id: event.data.secret_id } : state;
    case 'WebhookDisabled':
      return 'settings' in state ? { ...state, status: 'disabled', disabled_reason: event.data.reason } : state;
    case 'WebhookEnabled':
      return 'settings' in state ? { ...state, status: 'enabled', disabled_reason: null } : state;
  }
}

export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = {
  initialState: { status: 'unregistered' },
  decide,
  evolve,
};

/** One stream per endpoint. */
export const WEBHOOK_STREAMS: StreamKind<WebhookState, WebhookCommand, WebhookEvent> = {
  ...SHORT_STREAM,
  category: 'webhook',
  decider: webhookDecider,
};
