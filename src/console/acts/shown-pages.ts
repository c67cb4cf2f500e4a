import { createHash } from 'node:crypto';
import { type Person, type Shows } from '../screen.js';
import { type FormKeys, ownerOf } from './form-keys.js';
import { type KeptThings } from './kept-things.js';

/** A page that an act has led to. */
export interface ShownPage<C extends object> {
  readonly content: C;
  /** Makes the key of a form on the page: the same whenever the page is loaded, so that going back to it does nothing twice. */
  readonly formKey: (action: string, asks: string) => string;
}

interface Kept {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly content: object;
}

/** The pages that acts lead to and that are shown again when they are loaded again, without acting again. */
export class ShownPages {
  constructor(
    private readonly things: KeptThings,
    private readonly keys: FormKeys,
  ) {}

  /** Keeps what the page shows, and returns the page's path. */
  async keep(person: Person, { kind, content, path }: Shows): Promise<string> {
    const kept: Kept = { at: Date.now(), content };
    return path(await this.things.keep(kind, keeperOf(kind, person), kept));
  }

  /** Returns the page; undefined once it is shown no longer, and for anybody else. */
  async find<C extends object>(kind: Shows['kind'], person: Person, id: string): Promise<ShownPage<C> | undefined> {
    const kept = await this.things.find<Kept>(kind, keeperOf(kind, person), id);
    return (
      kept && {
        content: kept.content as C,
        formKey: (action, asks) => this.keys.make(ownerOf(person), asks, kept.at, randomOf(id, action)),
      }
    );
  }

  async forget(kind: Shows['kind'], id: string): Promise<void> {
    await this.things.forget(kind, id);
  }
}

/** A secret is shown to the session that made it alone; any other page to the person, also after another sign-in. */
function keeperOf(kind: Shows['kind'], person: Person): string {
  return kind === 'secret' ? person.session : ownerOf(person);
}

/** The id of a page cannot be guessed, and so neither can this. */
function randomOf(id: string, action: string): string {
  return createHash('sha256').update(`${id}\n${action}`).digest('base64url');
}
