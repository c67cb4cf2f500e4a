import { type Mode } from '../../../kernel/accounts.js';

interface Recorded {
  readonly endpoint_id: number;
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

/** The settings of an endpoint that a partner chooses (interface, section 2.6). */
export interface EndpointSettings {
  readonly url: string;
  readonly name: string | null;
  /** Notification types, or `*` alone. */
  readonly events: readonly string[];
}

/** Why the sender disabled an endpoint: it responded with 410, or every attempt failed for days. */
type FailureReason = 'gone' | 'failing';
/** Whose call disabled an endpoint. */
type CallerReason = 'operator' | 'partner';
export type DisabledReason = FailureReason | CallerReason;

export type WebhookEvent =
  | {
      readonly type: 'WebhookRegistered';
      /** `secret_id` names the secret in the key store; the secret itself is in no event. */
      readonly data: Recorded & EndpointSettings & { readonly mode: Mode; readonly secret_id: string };
    }
  | {
      readonly type: 'WebhookUpdated';
      /** `stays_disabled` is there if a call had disabled the endpoint: this update did not enable it. Any other update of a disabled one did. */
      readonly data: Recorded & EndpointSettings & { readonly stays_disabled?: true };
    }
  | { readonly type: 'SigningSecretRotated'; readonly data: Recorded & { readonly secret_id: string; readonly previous_secret_id: string } }
  | { readonly type: 'WebhookDisabled'; readonly data: Recorded & { readonly reason: DisabledReason } }
  | { readonly type: 'WebhookEnabled'; readonly data: Recorded }
  | { readonly type: 'WebhookDeleted'; readonly data: Recorded };

/** A partner in sandbox mode asked for a notification, to test its programs (decisions, "Sandbox"). */
export interface SandboxEventTriggered {
  readonly type: 'SandboxEventTriggered';
  readonly data: {
    /** Id of the notification: a UUID. */
    readonly notification_id: string;
    readonly partner_id: string;
    readonly notification_type: string;
    /** Null for a notification that is not about a farmer. */
    readonly rupa_id: string | null;
    /** The partner's threshold of a low balance at that time, in integer kobo; null if it had none. */
    readonly threshold_kobo: number | null;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
}
