import { Migration } from '@mikro-orm/migrations';
import { runMigrations } from '../platform/database/schema.js';

/** The schemas that no rebuild touches: the key store and operational state. The projector creates the tables of the read models. */
class KeyStoreAndCheckpoints extends Migration {
  override up(): void {
    this.addSql('create schema if not exists key_store');
    this.addSql('create schema if not exists ops');
    this.addSql('create schema if not exists read');
    this.addSql(`create table key_store.data_key (
      rupa_id text primary key,
      master_key_id text not null,
      wrapped text,
      destroyed_at timestamptz,
      check ((wrapped is null) = (destroyed_at is not null))
    )`);
    this.addSql(`create table ops.checkpoint (
      projection text primary key,
      version integer not null,
      position numeric(20,0),
      fault_position numeric(20,0),
      fault text
    )`);
  }
}

/** Secrets that belong to no farmer, and the stored responses of an Idempotency-Key, whose table `StoredResponses` renames. */
class SecretsAndStoredResponses extends Migration {
  override up(): void {
    this.addSql(`create table key_store.secret (
      name text primary key,
      master_key_id text not null,
      wrapped text not null
    )`);
    this.addSql(`create table ops.kept_answer (
      partner_id text not null,
      key_hash text not null,
      request_hash text not null,
      lookup_id text not null,
      rupa_id text not null,
      holder uuid not null,
      leased_until timestamptz not null,
      begun_at timestamptz not null default now(),
      answer text,
      primary key (partner_id, key_hash)
    )`);
    this.addSql('create index on ops.kept_answer (lookup_id)');
    this.addSql('create index on ops.kept_answer (begun_at)');
    this.addSql('create index on ops.kept_answer (rupa_id)');
  }
}

/** The queue of webhook deliveries, and since when all attempts to an endpoint have failed. */
class WebhookDeliveries extends Migration {
  override up(): void {
    this.addSql(`create table ops.webhook_delivery (
      delivery_id bigint generated always as identity primary key,
      event_id uuid not null,
      endpoint_id bigint not null,
      partner_id text not null,
      type text not null,
      rupa_id text,
      event text,
      contribution_id bigint,
      occurred_at timestamptz,
      recorded_at timestamptz not null,
      sequence numeric(20,0),
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'exhausted', 'cancelled')),
      attempt integer not null default 0,
      next_attempt_at timestamptz default now(),
      attempted_at timestamptz,
      response_status integer,
      duration_ms integer,
      error text,
      holder uuid,
      leased_until timestamptz,
      created_at timestamptz not null default now(),
      unique (event_id, endpoint_id),
      check ((next_attempt_at is null) = (status in ('delivered', 'exhausted', 'cancelled')))
    )`);
    this.addSql('create index on ops.webhook_delivery (endpoint_id, next_attempt_at) where next_attempt_at is not null');
    this.addSql('create index on ops.webhook_delivery (endpoint_id) where leased_until is not null');
    this.addSql('create index on ops.webhook_delivery (endpoint_id, delivery_id)');
    this.addSql('create index on ops.webhook_delivery (created_at) where next_attempt_at is null');
    this.addSql('create table ops.webhook_health (endpoint_id bigint primary key, failing_since timestamptz not null)');
  }
}

/** The progress of running rebuilds, for `rupa projections status`. */
class Rebuilds extends Migration {
  override up(): void {
    this.addSql(`create table ops.rebuild (
      schema text not null,
      projection text not null,
      purpose text not null check (purpose in ('rebuild', 'verify')),
      position numeric(20,0),
      started_at timestamptz not null default now(),
      primary key (schema, projection)
    )`);
  }
}

/**
 * The event at each checkpoint, which identifies the log, and the offset between the positions of the log and the `sequence` of
 * notifications.
 */
class RecognisableLog extends Migration {
  override up(): void {
    this.addSql('alter table ops.checkpoint add column event jsonb, add column sequence_offset numeric(20,0) not null default 0');
  }
}

/**
 * A delivery is written three times: when it is created, claimed and finished. No index contains a column that a claim changes, and pages
 * keep free space, so PostgreSQL makes heap-only updates and leaves the indexes alone.
 */
class CheaperDeliveries extends Migration {
  override up(): void {
    this.addSql('create index on ops.webhook_delivery (endpoint_id, next_attempt_at, delivery_id) where next_attempt_at is not null');
    this.addSql('drop index ops.webhook_delivery_endpoint_id_next_attempt_at_idx');
    this.addSql('drop index ops.webhook_delivery_endpoint_id_idx');
    this.addSql('alter table ops.webhook_delivery set (fillfactor = 50)');
  }
}

/** Marks the checkpoints of reactions, which the names alone do not distinguish from those of read models. */
class Reactions extends Migration {
  override up(): void {
    this.addSql('alter table ops.checkpoint add column reaction boolean not null default false');
    this.addSql("update ops.checkpoint set reaction = true where projection in ('webhook_deliveries', 'erasures')");
  }
}

/**
 * The table of stored responses gets the name that the documentation uses. The view keeps the old name, so that processes of the release
 * before this one keep working until an upgrade has replaced them.
 */
class StoredResponses extends Migration {
  override up(): void {
    this.addSql('alter table ops.kept_answer rename to stored_response');
    this.addSql('alter table ops.stored_response rename column answer to response');
    this.addSql(`create view ops.kept_answer as
      select partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, begun_at, response as answer
      from ops.stored_response`);
  }
}

/**
 * The version of partners, API keys and prices; the version that each instance has confirmed; and the deactivated keys, which are refused
 * before the projector has applied the event.
 */
class DirectoryVersions extends Migration {
  override up(): void {
    this.addSql('create table ops.directory (id boolean primary key check (id), version bigint not null)');
    this.addSql('create table ops.instance (instance_id uuid primary key, version bigint not null)');
    this.addSql('create table ops.deactivated_key (key_id text primary key, deactivated_at timestamptz not null default now())');
  }
}

/** `data` of a notification that is not about a farmer, such as one of a low balance. JSON keeps the order of its fields. */
class NotificationData extends Migration {
  override up(): void {
    this.addSql('alter table ops.webhook_delivery add column data json');
  }
}

/**
 * The notifications of the last 30 days, for the partners' list of events: one row per event, however many partners read it. A row with a partner is for
 * that partner alone; any other is for every partner with a consent for the farmer. `position` is null if it is one of an earlier log.
 */
class NotificationList extends Migration {
  override up(): void {
    this.addSql(`create table ops.notification (
      sequence numeric(20,0) primary key,
      position numeric(20,0),
      event_id uuid not null,
      partner_id text,
      type text not null,
      rupa_id text,
      event text,
      contribution_id bigint,
      occurred_at timestamptz,
      recorded_at timestamptz not null,
      data json,
      created_at timestamptz not null default now()
    )`);
    this.addSql('create index on ops.notification (rupa_id, sequence) where partner_id is null');
    this.addSql('create index on ops.notification (partner_id, sequence) where partner_id is not null');
    this.addSql('create index on ops.notification (created_at)');
  }
}

/** Marks the deliveries that a recovery has queued, so that a second recovery waits until the attempts of the first have ended. */
class Recoveries extends Migration {
  override up(): void {
    this.addSql('alter table ops.webhook_delivery add column recovering boolean not null default false');
  }
}

/** The hour in which each API key was last used, and an index of the deliveries that operators count. */
class Operators extends Migration {
  override up(): void {
    this.addSql('create table ops.api_key_use (key_id text primary key, last_used_at timestamptz not null)');
    this.addSql("create index on ops.webhook_delivery (endpoint_id) where status = 'exhausted'");
  }
}

/** The addresses under which APIs execute commands for each other. */
class Peers extends Migration {
  override up(): void {
    this.addSql('create table ops.peer (instance integer primary key, url text not null)');
  }
}

/**
 * Work on a read model that administrators request over HTTP. A read model has one job at a time that has not ended. A job that runs belongs
 * to the process that renews its lease.
 */
class ProjectionJobs extends Migration {
  override up(): void {
    this.addSql(`create table ops.projection_job (
      job_id bigint generated always as identity primary key,
      projection text not null,
      action text not null check (action in ('rebuild', 'retry', 'verify')),
      state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
      holder uuid,
      leased_until timestamptz,
      done bigint not null default 0,
      total bigint,
      rate bigint not null default 0,
      seconds_left bigint,
      differences bigint,
      error text,
      queued_at timestamptz not null default now()
    )`);
    this.addSql("create unique index on ops.projection_job (projection) where state in ('queued', 'running')");
    this.addSql('create index on ops.projection_job (queued_at)');
  }
}

/** The sessions of the console. A row contains the hash of its id, so that nobody can continue a session with what the table shows. */
class ConsoleSessions extends Migration {
  override up(): void {
    this.addSql(`create table ops.console_session (
      session_hash text primary key,
      role text not null check (role in ('admin', 'auditor')),
      name text,
      fingerprint text not null,
      begun_at timestamptz not null default now(),
      used_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`);
  }
}

/** The rows that a verification found to differ, so that the job's response can name them. The previous release leaves the column null. */
class DifferingRows extends Migration {
  override up(): void {
    this.addSql('alter table ops.projection_job add column differing_rows jsonb');
  }
}

export const migrationsList = [
  { name: '0001-key-store-and-checkpoints', class: KeyStoreAndCheckpoints },
  { name: '0002-secrets-and-kept-answers', class: SecretsAndStoredResponses },
  { name: '0003-webhook-deliveries', class: WebhookDeliveries },
  { name: '0004-rebuilds', class: Rebuilds },
  { name: '0005-recognisable-log', class: RecognisableLog },
  { name: '0006-cheaper-deliveries', class: CheaperDeliveries },
  { name: '0007-reactions', class: Reactions },
  { name: '0008-stored-responses', class: StoredResponses },
  { name: '0009-directory-versions', class: DirectoryVersions },
  { name: '0010-notification-data', class: NotificationData },
  { name: '0011-notification-list', class: NotificationList },
  { name: '0012-recoveries', class: Recoveries },
  { name: '0013-operators', class: Operators },
  { name: '0014-peers', class: Peers },
  { name: '0015-projection-jobs', class: ProjectionJobs },
  { name: '0016-console-sessions', class: ConsoleSessions },
  { name: '0017-differing-rows', class: DifferingRows },
];

/** Applies the pending migrations of the key store and of the operational tables. */
export async function migrate(databaseUrl: string): Promise<void> {
  await runMigrations(databaseUrl, migrationsList);
}
