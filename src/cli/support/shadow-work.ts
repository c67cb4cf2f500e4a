import { type Command } from 'commander';
import { projections, readModelOf } from '../../../projections/index.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { POOL } from '../../platform/injection-tokens.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import { type ShadowParts } from '../../platform/projecting/rebuilding/shadow.js';
import { interruptible } from './interruptible.js';
import { logBar } from './log-bar.js';

/** Runs work on shadow tables with a progress bar. Ctrl-C aborts the work, which then drops its tables. */
export async function withShadow<T>(app: INestApplicationContext, what: string, work: (parts: ShadowParts) => Promise<T>): Promise<T> {
  return await interruptible('Stopped. The live tables are unchanged.', async (signal) => {
    const bar = logBar(what);
    try {
      return await work({
        pool: app.get<Pool>(POOL),
        eventStore: app.get(EventStore),
        codec: app.get(Codec),
        macs: app.get(RowMacs),
        signal,
        onProgress: bar.show,
      });
    } finally {
      bar.stop();
    }
  });
}

/** Returns the read models that the operator named, by their own tables or by derived ones. Exits with wrong usage if none is named, or one does not exist. */
export function namedProjections(command: Command, names: readonly string[], everything = false): Projection[] {
  if (everything) return [...projections];
  const unknown = names.find((name) => readModelOf(name) === undefined);
  const which = projections.map(({ name }) => name).join(', ');
  if (unknown !== undefined) command.error(`error: there is no read model ${unknown}; the read models are: ${which}`);
  if (names.length === 0) command.error(`error: name at least one read model, or use --all; the read models are: ${which}`);
  const named = names.map(readModelOf);
  return projections.filter((each) => named.includes(each));
}
