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

export const migrationsList = [{ name: '0001-key-store-and-checkpoints', class: KeyStoreAndCheckpoints }];
