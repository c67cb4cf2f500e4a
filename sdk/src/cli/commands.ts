import { type PartnerAccount } from '../api-types.generated.js';
import { type ListedEvent } from '../calls/events.js';
import { type RupaClient } from '../rupa-client.js';
import { TEST_FARMERS } from '../test-farmers.js';
import { type CommandLine, forwardAddress } from './command-line.js';
import { forward, localSigningSecret, type Receiver } from './forward.js';
import { type Terminal, UsageError } from './terminal.js';

export interface Connection {
  readonly client: RupaClient;
  readonly apiKey: string;
}

/** Forwards every event that happens from now on, until Ctrl-C. */
export async function listen({ client, apiKey }: Connection, line: CommandLine, terminal: Terminal): Promise<boolean> {
  const receiver = receiverOf(line, apiKey);
  const types = line.option('events')?.split(',');
  const { company_name } = await sandboxAccount(client, terminal);
  await checkTypes(types ?? [], client, terminal);
  const cursor = await afterTheLastEvent(client, terminal);
  terminal.print(`Listening to the events of ${company_name} (sandbox). Stop with Ctrl-C.`);
  terminal.print(`Forwarding to ${receiver.address}`);
  terminal.print(`Signing secret: ${receiver.secret} (the same whenever you use this API key)`);
  for await (const event of client.events.follow(cursor === undefined ? {} : { cursor }, { signal: terminal.signal }))
    if (types === undefined || types.includes(event.type)) await forward(event, receiver, terminal);
  return true;
}

/** Makes an event. */
export async function trigger({ client }: Connection, { argument, option }: CommandLine, terminal: Terminal): Promise<boolean> {
  const farmer = argument.startsWith('farmer.') ? { rupa_id: option('rupa-id') ?? TEST_FARMERS.gold } : {};
  await sandboxAccount(client, terminal);
  const { id, rupa_id } = await client.sandbox.triggerEvent(
    { type: argument as ListedEvent['type'], ...farmer },
    { signal: terminal.signal },
  );
  terminal.print(`Triggered ${argument}${rupa_id === null ? '' : ` about ${rupa_id}`}: event ${id}`);
  return true;
}

/** Forwards an event again. */
export async function resend({ client, apiKey }: Connection, line: CommandLine, terminal: Terminal): Promise<boolean> {
  const receiver = receiverOf(line, apiKey);
  await sandboxAccount(client, terminal);
  for await (const event of client.events.list({ limit: 200 }, { signal: terminal.signal }))
    if (event.id === line.argument) return await forward(event, receiver, terminal);
  throw new UsageError(
    `Your account has no event ${JSON.stringify(line.argument)} of the last 30 days. listen shows the id of each event.`,
  );
}

function receiverOf(line: CommandLine, apiKey: string): Receiver {
  return { address: forwardAddress(line), secret: localSigningSecret(apiKey) };
}

/** @throws UsageError for the key of a live account, whose events are about real farmers */
async function sandboxAccount(client: RupaClient, { signal }: Terminal): Promise<PartnerAccount> {
  const account = await client.me({ signal });
  if (account.mode !== 'sandbox') throw new UsageError('This is the key of a live account. Use the key of a sandbox account.');
  return account;
}

/** @throws UsageError for a type that does not exist, of which nothing would ever be shown */
async function checkTypes(types: readonly string[], client: RupaClient, { signal }: Terminal): Promise<void> {
  if (types.length === 0) return;
  const { available_events } = await client.webhooks.list({ signal });
  const unknown = types.find((type) => !(available_events as readonly string[]).includes(type));
  if (unknown !== undefined)
    throw new UsageError(`There is no event ${JSON.stringify(unknown)}: the events are ${available_events.join(', ')}.`);
}

/** Returns the cursor after the last event; undefined if there is none. */
async function afterTheLastEvent(client: RupaClient, { signal }: Terminal): Promise<string | undefined> {
  let cursor: string | undefined;
  for await (const { next_cursor } of client.events.list({ limit: 200 }, { signal }).pages()) cursor = next_cursor ?? cursor;
  return cursor;
}
