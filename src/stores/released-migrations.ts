import { type NamedMigration } from '../platform/database/run-migrations.js';

/** The migrations of the releases so far, which databases have applied: none of them changes any more. */
export const releasedMigrations: readonly NamedMigration[] = [
  {
    name: '0001-key-store-and-checkpoints',
    statements: [
      'create schema if not exists key_store',
      'create schema if not exists ops',
      'create schema if not exists read',
      `create table key_store.data_key (
        rupa_id text primary key,
        master_key_id text not null,
        wrapped text,
        destroyed_at timestamptz,
        check ((wrapped is null) = (destroyed_at is not null))
      )`,
      `create table ops.checkpoint (
        projection text primary key,
        version integer not null,
        position numeric(20,0),
        fault_position numeric(20,0),
        fault text
      )`,
    ],
  },
  // Secrets that belong to no farmer, and the stored responses of an Idempotency-Key, whose table 0008 renames.
  {
    name: '0002-secrets-and-kept-answers',
    statements: [
      `create table key_store.secret (
        name text primary key,
        master_key_id text not null,
        wrapped text not null
      )`,
      `create table ops.kept_answer (
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
      )`,
      'create index on ops.kept_answer (lookup_id)',
      'create index on ops.kept_answer (begun_at)',
      'create index on ops.kept_answer (rupa_id)',
    ],
  },
  // The queue of webhook deliveries, and since when all attempts to an endpoint have failed.
  {
    name: '0003-webhook-deliveries',
    statements: [
      `create table ops.webhook_delivery (
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
      )`,
      'create index on ops.webhook_delivery (endpoint_id, next_attempt_at) where next_attempt_at is not null',
      'create index on ops.webhook_delivery (endpoint_id) where leased_until is not null',
      'create index on ops.webhook_delivery (endpoint_id, delivery_id)',
      'create index on ops.webhook_delivery (created_at) where next_attempt_at is null',
      'create table ops.webhook_health (endpoint_id bigint primary key, failing_since timestamptz not null)',
    ],
  },
  // The progress of running rebuilds, for `rupa projections status`.
  {
    name: '0004-rebuilds',
    statements: [
      `create table ops.rebuild (
        schema text not null,
        projection text not null,
        purpose text not null check (purpose in ('rebuild', 'verify')),
        position numeric(20,0),
        started_at timestamptz not null default now(),
        primary key (schema, projection)
      )`,
    ],
  },
  // The event at each checkpoint, which identifies the log, and the offset between the positions of the log and the `sequence` of
  // notifications.
  {
    name: '0005-recognisable-log',
    statements: ['alter table ops.checkpoint add column event jsonb, add column sequence_offset numeric(20,0) not null default 0'],
  },
  // A delivery is written three times: when it is created, claimed and finished. No index contains a column that a claim changes, and pages
  // keep free space, so PostgreSQL makes heap-only updates and leaves the indexes alone.
  {
    name: '0006-cheaper-deliveries',
    statements: [
      'create index on ops.webhook_delivery (endpoint_id, next_attempt_at, delivery_id) where next_attempt_at is not null',
      'drop index ops.webhook_delivery_endpoint_id_next_attempt_at_idx',
      'drop index ops.webhook_delivery_endpoint_id_idx',
      'alter table ops.webhook_delivery set (fillfactor = 50)',
    ],
  },
];
