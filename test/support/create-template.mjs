// Creates a migrated database on the PostgreSQL at TEST_DATABASE_URL and prints its name. Copying it takes PostgreSQL some milliseconds;
// migrating one for each test would take a second.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { URL } from 'node:url';
import pg from 'pg';

const { migrate } = await import(resolve('dist/src/stores/migrations.js'));
const name = `template_${randomUUID().replaceAll('-', '')}`;
const url = new URL(process.env.TEST_DATABASE_URL);
const client = new pg.Client({ connectionString: url.href });
await client.connect();
await client.query(`create database ${name}`);
await client.end();
url.pathname = `/${name}`;
await migrate(url.href);
process.stdout.write(`${name}\n`);
