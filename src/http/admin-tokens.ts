import { createHash, timingSafeEqual } from 'node:crypto';

export type AdminRole = 'admin' | 'auditor';

/** Who a valid token belongs to. */
export interface TokenHolder {
  readonly role: AdminRole;
  readonly name: string | null;
  /** Tells tokens apart and opens nothing: of 256 random bits it gives away 32 of their hash. */
  readonly fingerprint: string;
}

interface Known extends TokenHolder {
  readonly digest: Buffer;
}

const MIN_LENGTH = 24;
const FINGERPRINT_DIGITS = 8;

/** @param setting a token, or several separated by commas, each with a name before a colon or without. @throws Error that says what is wrong. */
export function parseTokens(setting: string): readonly { readonly name: string | null; readonly token: string }[] {
  const tokens = setting.split(',').map((entry) => {
    const [, name, token] = /^(?:([A-Za-z][A-Za-z0-9._-]{0,31}):)?(\S+)$/.exec(entry.trim()) ?? [];
    if (!token || token.length < MIN_LENGTH)
      throw new Error(`each token must have at least ${MIN_LENGTH} characters, none of them a space`);
    return { name: name ?? null, token };
  });
  const names = tokens.flatMap(({ name }) => name ?? []);
  if (new Set(names).size !== names.length) throw new Error('every token needs a name of its own');
  if (new Set(tokens.map(({ token }) => token)).size !== tokens.length) throw new Error('no token may be there twice');
  return tokens;
}

/** The tokens of administrators and auditors. */
export class AdminTokens {
  private readonly known: readonly Known[];

  constructor(settings: Readonly<Record<AdminRole, string>>) {
    this.known = (['admin', 'auditor'] as const).flatMap((role) =>
      parseTokens(settings[role]).map(({ name, token }) => {
        const hash = digest(token);
        return { role, name, fingerprint: hash.toString('hex').slice(0, FINGERPRINT_DIGITS), digest: hash };
      }),
    );
  }

  /** Takes as long for every token: all are compared, whole. */
  holder(token: string): TokenHolder | undefined {
    const presented = digest(token);
    const [found] = this.known.filter(({ digest: known }) => timingSafeEqual(known, presented));
    return found && { role: found.role, name: found.name, fingerprint: found.fingerprint };
  }
}

/** As events name who caused them. */
export function actorOf({ role, name }: Pick<TokenHolder, 'role' | 'name'>): string {
  return name === null ? role : `${role}:${name}`;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
