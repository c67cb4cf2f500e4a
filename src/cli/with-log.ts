import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { Codec } from '../platform/event-sourcing/codec.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { POOL } from '../platform/injection-tokens.js';
import { type Projection } from '../platform/projecting/projection.js';
import { type ShadowParts } from '../platform/projecting/shadow.js';
import { logBar } from './log-bar.js';

/** With a bar; Ctrl-C ends the work, which then clears up behind itself. */
export async function withLog<T>(app: INestApplicationContext, what: string, work: (parts: ShadowParts) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort(new Error('Stopped; what was live stays as it is.'));
  };
  const bar = logBar(what);
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work({
      pool: app.get<Pool>(POOL),
      eventStore: app.get(EventStore),
      codec: app.get(Codec),
      signal: stopping.signal,
      onProgress: bar.show,
    });
  } finally {
    bar.stop();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** The read models that a command line names; ends with wrong usage where it names none, or one that is not there. */
export function chosen(command: Command, names: readonly string[], everything = false): Projection[] {
  if (everything) return [...projections];
  const unknown = names.find((name) => !projections.some((projection) => projection.name === name));
  const which = projections.map(({ name }) => name).join(', ');
  if (unknown !== undefined) command.error(`error: there is no read model ${unknown}; there are: ${which}`);
  if (names.length === 0) command.error(`error: name read models, or --all: ${which}`);
  return projections.filter(({ name }) => names.includes(name));
}
