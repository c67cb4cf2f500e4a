import { type NamedMigration, runMigrations } from '../platform/database/run-migrations.js';
import { type RowMacs } from '../platform/projecting/row-macs.js';
import { releasedMigrations } from './released-migrations.js';
import { prepared, signing } from './signing-migrations.js';

/** The schemas that no rebuild touches: the key store and operational state. The projector creates the tables of the read models. */
export const migrationsList: readonly NamedMigration[] = [
  ...releasedMigrations,
  // Marks the checkpoints of reactions, which the names alone do not distinguish from those of read models.
  {
    name: '0007-reactions',
    statements: [
      'alter table ops.checkpoint add column reaction boolean not null default false',
      "update ops.checkpoint set reaction = true where projection in ('webhook_deliveries', 'erasures')",
    ],
  },
  // The table of stored responses gets the name that the documentation uses. The view keeps the old name, so that processes of the release
  // before this one keep working until an upgrade has replaced them.
  {
    name: '0008-stored-responses',
    statements: [
      'alter table ops.kept_answer rename to stored_response',
      'alter table ops.stored_response rename column answer to response',
      `create view ops.kept_answer as
        select partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, begun_at, response as answer
        from ops.stored_response`,
    ],
  },
  // The version of partners, API keys and prices; the version that each instance has confirmed; and the deactivated keys, which are refused
  // before the projector has applied the event.
  {
    name: '0009-directory-versions',
    statements: [
      'create table ops.directory (id boolean primary key check (id), version bigint not null)',
      'create table ops.instance (instance_id uuid primary key, version bigint not null)',
      'create table ops.deactivated_key (key_id text primary key, deactivated_at timestamptz not null default now())',
    ],
  },
  // `data` of a notification that is not about a farmer, such as one of a low balance. JSON keeps the order of its fields.
  {
    name: '0010-notification-data',
    statements: ['alter table ops.webhook_delivery add column data json'],
  },
  // The notifications of the last 30 days, for the partners' list of events: one row per event, however many partners read it. A row with a
  // partner is for that partner alone; any other is for every partner with a consent for the farmer. `position` is null if it is one of an
  // earlier log.
  {
    name: '0011-notification-list',
    statements: [
      `create table ops.notification (
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
      )`,
      'create index on ops.notification (rupa_id, sequence) where partner_id is null',
      'create index on ops.notification (partner_id, sequence) where partner_id is not null',
      'create index on ops.notification (created_at)',
    ],
  },
  // Marks the deliveries that a recovery has queued, so that a second recovery waits until the attempts of the first have ended.
  {
    name: '0012-recoveries',
    statements: ['alter table ops.webhook_delivery add column recovering boolean not null default false'],
  },
  // The hour in which each API key was last used, and an index of the deliveries that operators count.
  {
    name: '0013-operators',
    statements: [
      'create table ops.api_key_use (key_id text primary key, last_used_at timestamptz not null)',
      "create index on ops.webhook_delivery (endpoint_id) where status = 'exhausted'",
    ],
  },
  // The addresses at which APIs called each other, until 0019-no-peers.
  {
    name: '0014-peers',
    statements: ['create table ops.peer (instance integer primary key, url text not null)'],
  },
  // Work on a read model that administrators request over HTTP. A read model has one job at a time that has not ended. A job that runs
  // belongs to the process that renews its lease.
  {
    name: '0015-projection-jobs',
    statements: [
      `create table ops.projection_job (
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
      )`,
      "create unique index on ops.projection_job (projection) where state in ('queued', 'running')",
      'create index on ops.projection_job (queued_at)',
    ],
  },
  // The sessions of the console. A row contains the hash of its id, so that nobody can continue a session with what the table shows.
  {
    name: '0016-console-sessions',
    statements: [
      `create table ops.console_session (
        session_hash text primary key,
        role text not null check (role in ('admin', 'auditor')),
        name text,
        fingerprint text not null,
        begun_at timestamptz not null default now(),
        used_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`,
    ],
  },
  // The rows that a verification found to differ, so that the job's response can name them. The previous release leaves the column null.
  {
    name: '0017-differing-rows',
    statements: ['alter table ops.projection_job add column differing_rows jsonb'],
  },
  // The events that cannot be used (docs/adr/0030), and the streams whose rows are refused until an operator skips them. The names of
  // streams are of any length, so their index is a hash index.
  {
    name: '0018-unusable-events',
    statements: [
      `create table ops.unusable_event (
        event_id text primary key,
        position numeric(20,0) not null,
        stream text not null,
        revision bigint not null,
        category text not null,
        type text not null,
        reason text not null,
        found_at timestamptz not null default now(),
        skipped boolean not null default false
      )`,
      `create table ops.set_aside (
        stream text not null,
        category text not null,
        position numeric(20,0) not null,
        event_id text not null references ops.unusable_event on delete cascade
      )`,
      'create index on ops.set_aside using hash (stream)',
      'create index on ops.set_aside (event_id)',
    ],
  },
  // APIs do not call each other any more (docs/adr/0035). No release had the table.
  {
    name: '0019-no-peers',
    statements: ['drop table if exists ops.peer'],
  },
  // A list of events of one type, for all farmers or for one of them.
  {
    name: '0020-notification-types',
    statements: [
      'create index on ops.notification (type, sequence)',
      'create index on ops.notification (rupa_id, type, sequence) where partner_id is null',
    ],
  },
  // Rows of read models that decide and that the projector did not write (docs/adr/0042).
  {
    name: '0021-forged-rows',
    statements: [
      `create table ops.forged_row (
        table_name text not null,
        row_key text not null,
        noticed_at timestamptz not null default now(),
        primary key (table_name, row_key)
      )`,
    ],
  },
  // The tiles of the tree of the log (docs/adr/0040), and the position in $all of the first event of each tile of leaves. Hashes cannot be
  // compressed, so PostgreSQL does not try. The tile at the edge is rewritten as it grows.
  {
    name: '0022-log-tiles',
    statements: [
      `create table ops.log_tile (
        level smallint not null,
        index bigint not null,
        hashes bytea not null,
        first_position numeric(20,0),
        primary key (level, index)
      )`,
      'alter table ops.log_tile alter column hashes set storage external',
      'create index on ops.log_tile (first_position) where level = 0',
    ],
  },
  // Sessions from before have no MAC: their people sign in again (docs/adr/0042).
  {
    name: '0023-session-macs',
    statements: ["alter table ops.console_session add column mac text not null default ''"],
  },
  // The signatures of witnesses under checkpoints (docs/adr/0043), by the number of the checkpoint and the witness' key.
  {
    name: '0024-checkpoint-cosignatures',
    statements: [
      `create table ops.checkpoint_cosignature (
        number bigint not null,
        key text not null,
        signature text not null,
        primary key (number, key)
      )`,
      'create index on ops.checkpoint_cosignature (key, number)',
    ],
  },
  // When the tables by which calls decide are next compared with the log, and how a row that is named differs (docs/adr/0042).
  {
    name: '0025-verifications',
    statements: [
      `create table ops.verification (
        id boolean primary key check (id),
        holder text,
        begun_at timestamptz,
        due_at timestamptz not null
      )`,
      'alter table ops.forged_row add column difference text',
    ],
  },
  // When keys end that their partners have replaced, and the new keys themselves, which are deleted a day later (docs/adr/0053).
  {
    name: '0026-ends-of-keys',
    statements: [
      'create table ops.api_key_end (key_id text primary key, expires_at timestamptz not null, set_at timestamptz not null)',
      'alter table key_store.secret add column created_at timestamptz not null default now()',
      "create index on key_store.secret (created_at) where starts_with(name, 'rotated-key/')",
    ],
  },
  // The next delivery of a recovery, for the sender's wait; and an endpoint's deliveries by status, alone or of one farmer, for their list.
  {
    name: '0027-delivery-indexes',
    statements: [
      'create index on ops.webhook_delivery (next_attempt_at) where recovering and next_attempt_at is not null',
      'create index on ops.webhook_delivery (endpoint_id, status, created_at, delivery_id)',
      'create index on ops.webhook_delivery (endpoint_id, rupa_id, status, created_at, delivery_id) where rupa_id is not null',
      'drop index ops.webhook_delivery_endpoint_id_delivery_id_idx',
      'drop index ops.webhook_delivery_endpoint_id_idx',
    ],
  },
  // The partners that a notification of an erasure is for: those that hold or held a consent (docs/adr/0054).
  {
    name: '0028-notification-recipients',
    statements: [
      `create table ops.notification_recipient (
        partner_id text not null,
        sequence numeric(20,0) not null,
        created_at timestamptz not null default now(),
        primary key (partner_id, sequence)
      )`,
      'create index on ops.notification_recipient (created_at)',
    ],
  },
  // The figures of all processes by the minute, and the threads that write them (docs/adr/0064). A minute's row is updated every few seconds.
  {
    name: '0029-figures',
    statements: [
      `create table ops.figure (
        minute timestamptz primary key,
        lookups bigint not null default 0,
        billed bigint not null default 0,
        errors bigint not null default 0,
        refunds bigint not null default 0,
        delivered bigint not null default 0,
        failed_deliveries bigint not null default 0,
        levels_at timestamptz,
        lag_seconds float8,
        lag_events bigint,
        open_charges bigint,
        oldest_charge_seconds float8,
        deliveries_waiting bigint,
        failing_seconds float8
      ) with (fillfactor = 70)`,
      `create table ops.process (
        process_id uuid primary key,
        roles text[] not null,
        host text not null,
        pid integer not null,
        begun_at timestamptz not null default clock_timestamp(),
        seen_at timestamptz not null,
        batch bigint not null
      )`,
    ],
  },
  // MACs of deliveries and of the list of events (docs/adr/0068), of the rows by which keys are refused (docs/adr/0042), and of the
  // recipients of erasures (docs/adr/0068).
  signing('0030-webhook-macs'),
  signing('0031-key-macs'),
  signing('0032-recipient-macs'),
  // The event that the webhook subscriber processed last, which an edited checkpoint does not change (docs/adr/0068).
  {
    name: '0033-notified-event',
    statements: [
      'create table ops.notified_event (subscriber text primary key, event_id uuid not null, stream text not null, revision bigint not null)',
      `insert into ops.notified_event select projection, (event ->> 'id')::uuid, event ->> 'stream', (event ->> 'revision')::bigint
       from ops.checkpoint where projection = 'webhook_deliveries' and event is not null`,
    ],
  },
  signing('0034-notified-event-macs'),
];

/**
 * Applies the pending migrations of the key store and of the operational tables.
 * @param macs returns what gives rows from before an upgrade their MACs; called only if there are such rows
 */
export async function migrate(databaseUrl: string, macs?: () => Promise<RowMacs>): Promise<void> {
  await runMigrations(databaseUrl, prepared(migrationsList, macs));
}
