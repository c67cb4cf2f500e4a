import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { NOTIFICATION_TYPES } from '../../src/contexts/webhooks/domain/notification-types.js';
import { type WebhookCommand, type WebhookState } from '../../src/contexts/webhooks/domain/webhook.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Numbering } from './numbering.js';
import { type Caller } from './partners.js';
import { type Round } from './round.js';

interface Endpoint {
  readonly endpoint_id: number;
  readonly caller: Caller;
  head: Head<WebhookState>;
}

type CommandFields = WebhookCommand extends infer C
  ? C extends WebhookCommand
    ? Omit<C, 'endpoint_id' | 'partner_id' | 'at' | 'actor'>
    : never
  : never;

/** Webhook endpoints of partners, with host names under `.invalid` that never resolve. */
export class Endpoints {
  private readonly all: Endpoint[] = [];

  constructor(
    private readonly draw: Draws,
    private readonly numbering: Numbering,
  ) {}

  register(round: Round, caller: Caller): void {
    const endpoint_id = this.numbering.next(round, 'endpoint');
    const endpoint: Endpoint = { endpoint_id, caller, head: emptyHead(KINDS.webhook) };
    const events = this.draw.chance(0.5) ? ['*'] : this.draw.some(NOTIFICATION_TYPES, 1, 4);
    const settings = { url: `https://endpoint-${endpoint_id}.invalid/rupa`, name: `endpoint ${endpoint_id}`, events };
    this.execute(round, endpoint, { kind: 'register', mode: caller.mode, settings, secret_id: this.secret(round, endpoint_id) });
    this.all.push(endpoint);
  }

  change(round: Round): void {
    const endpoint = this.draw.pick(this.all);
    if (this.draw.chance(0.5))
      this.execute(round, endpoint, { kind: 'rotate-secret', secret_id: this.secret(round, endpoint.endpoint_id) });
    else this.execute(round, endpoint, { kind: 'update', settings: { events: this.draw.some(NOTIFICATION_TYPES, 1, 6) } });
  }

  get hasAny(): boolean {
    return this.all.length > 0;
  }

  /** Disables or deletes all endpoints, so that a service that starts on the log does not send notifications of the whole history. */
  disableAll(round: Round): void {
    for (const endpoint of this.all)
      this.execute(round, endpoint, this.draw.chance(0.2) ? { kind: 'delete' } : { kind: 'disable', reason: 'gone' });
  }

  private secret(round: Round, endpoint_id: number): string {
    const secret_id = this.draw.uuid();
    round.secrets.push({ endpoint_id, secret_id });
    return secret_id;
  }

  private execute(round: Round, endpoint: Endpoint, fields: CommandFields): void {
    const { endpoint_id, caller } = endpoint;
    const command = { ...fields, endpoint_id, partner_id: caller.partner_id, at: round.now(), actor: `key:${caller.key_id}` };
    endpoint.head = round.decide(KINDS.webhook, String(endpoint_id), endpoint.head, command, {
      correlationId: this.draw.uuid(),
      mode: caller.mode,
    });
  }
}
