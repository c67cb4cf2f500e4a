import { Migration } from '@mikro-orm/migrations';

/** What no rebuild touches: the key store, and state that is nobody's truth. Read models make their own tables. */
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

/** Keys that belong to no farmer, and the answers that a look-up's Idempotency-Key brings again. */
class SecretsAndKeptAnswers extends Migration {
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

export const migrationsList = [
  { name: '0001-key-store-and-checkpoints', class: KeyStoreAndCheckpoints },
  { name: '0002-secrets-and-kept-answers', class: SecretsAndKeptAnswers },
];
