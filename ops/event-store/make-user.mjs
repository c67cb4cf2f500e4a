// Gives KurrentDB's administrator a password, and the service a user of its own with the three rights that it needs: to read and to
// append to streams, and to read $all. Takes these rights from every other user who is no administrator. It can be run again.
//
//   EVENT_STORE_URL=esdb://rupa:<password>@node1:2113?tlsCAFile=ca.crt ESDB_ADMIN_PASSWORD=… NODE_EXTRA_CA_CERTS=ca.crt node make-user.mjs
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PASSWORD = 'changeit';
const ATTEMPTS = 60;

const url = setting('EVENT_STORE_URL');
const adminPassword = setting('ESDB_ADMIN_PASSWORD');
const [, user, password, node] = /^esdb:\/\/([^:@]+):([^@]+)@([^,/?]+)/.exec(url) ?? [];
if (node === undefined) throw new Error('EVENT_STORE_URL has no user and password: esdb://user:password@host:2113');

// The nodes elect a leader first; until then they refuse changes.
for (let attempt = 1; ; attempt += 1) {
  try {
    await makeUser();
    break;
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    process.stderr.write(`Not yet: ${error instanceof Error ? error.message : error}\n`);
    await delay(2_000);
  }
}
process.stdout.write(`The user ${decodeURIComponent(user)} has its rights.\n`);

async function makeUser() {
  if ((await call('GET', '/users/$current', undefined, adminPassword)).status === 401)
    await change('admin', 'change-password', { currentPassword: FIRST_PASSWORD, newPassword: adminPassword }, FIRST_PASSWORD);
  // The other built-in user keeps no password that anybody knows.
  await change('ops', 'reset-password', { newPassword: randomBytes(24).toString('hex') });
  const [loginName, newPassword] = [decodeURIComponent(user), decodeURIComponent(password)];
  const made = await call('POST', '/users/', { loginName, fullName: 'Rupa ledger', password: newPassword, groups: [] });
  if (made.status === 409) await change(loginName, 'reset-password', { newPassword });
  else if (!made.ok) throw new Error(`KurrentDB responded ${made.status} to a new user.`);
  await giveRights(loginName);
}

async function change(loginName, command, body, as = adminPassword) {
  const { ok, status } = await call('POST', `/users/${encodeURIComponent(loginName)}/command/${command}`, body, as);
  if (!ok) throw new Error(`KurrentDB responded ${status} to ${command} of ${loginName}.`);
}

async function call(method, path, body, as = adminPassword) {
  return await globalThis.fetch(`https://${node}${path}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`admin:${as}`).toString('base64')}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

async function giveRights(loginName) {
  const client = EventStoreDBClient.connectionString(url.replace(`${user}:${password}@`, `admin:${encodeURIComponent(adminPassword)}@`));
  const only = (...users) => ({ $r: users, $w: users, $d: ['$admins'], $mr: ['$admins'], $mw: ['$admins'] });
  const data = { $userStreamAcl: only('$admins', loginName), $systemStreamAcl: only('$admins') };
  try {
    await client.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }));
    await client.setStreamMetadata('$all', { acl: { readRoles: ['$admins', loginName] } });
  } finally {
    await client.dispose();
  }
}

/** Returns the variable, or the content of the file that NAME_FILE names. */
function setting(name) {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  if (!value) throw new Error(`Set ${name}, or ${name}_FILE.`);
  return value;
}
