import { createHash, timingSafeEqual } from 'node:crypto';

export type AdminRole = 'admin' | 'auditor';

/** The administrator or auditor to whom a valid token belongs. */
export interface TokenHolder {
  readonly role: AdminRole;
  readonly name: string | null;
  /** First 32 bits of the token's SHA-256, in hex. It distinguishes tokens and cannot be used as one. */
  readonly fingerprint: string;
}

interface Known extends TokenHolder {
  readonly digest: Buffer;
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,31}$/;
const MIN_LENGTH = 24;
const FINGERPRINT_DIGITS = 8;

/**
 * Parses the value of ADMIN_TOKEN or AUDITOR_TOKEN.
 * @param setting one token or several separated by commas, each optionally preceded by a name and a colon
 * @throws Error that says what is wrong
 */
export function parseTokens(setting: string): readonly { readonly name: string | null; readonly token: string }[] {
  const tokens = setting.split(',').map((entry) => {
    const { name, token } = entryIn(entry.trim());
    if (!/^\S+$/.test(token) || token.length < MIN_LENGTH)
      throw new Error(`each token must have at least ${MIN_LENGTH} characters, none of them a space`);
    return { name, token };
  });
  const names = tokens.flatMap(({ name }) => name ?? []);
  if (new Set(names).size !== names.length) throw new Error('each name may be used for one token only');
  if (new Set(tokens.map(({ token }) => token)).size !== tokens.length) throw new Error('it contains the same token twice');
  return tokens;
}

/** Splits an entry at its first colon if a name stands before it. */
function entryIn(entry: string): { readonly name: string | null; readonly token: string } {
  const at = entry.indexOf(':');
  const name = entry.slice(0, Math.max(0, at));
  return NAME.test(name) ? { name, token: entry.slice(at + 1) } : { name: null, token: entry };
}

/** Checks that a text could be the name of a token, so that actors look the same wherever their names come from. @throws Error that says what is wrong */
export function assertHolderName(text: string): void {
  if (!NAME.test(text)) throw new Error('it must be a letter, followed by at most 31 letters, digits, dots, hyphens and underscores');
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

  /** Returns the holder of a token. Compares it with every known token in constant time, so that timing reveals nothing. */
  holder(token: string): TokenHolder | undefined {
    const presented = digest(token);
    const [found] = this.known.filter(({ digest: known }) => timingSafeEqual(known, presented));
    return found && { role: found.role, name: found.name, fingerprint: found.fingerprint };
  }

  /** Returns the holders of all tokens, administrators first. A fingerprint cannot be used as a token. */
  holders(): readonly TokenHolder[] {
    return this.known.map(({ role, name, fingerprint }) => ({ role, name, fingerprint }));
  }

  /** Returns whether a token of this holder is still in the settings. */
  knows({ role, fingerprint }: TokenHolder): boolean {
    return this.known.some((one) => one.role === role && one.fingerprint === fingerprint);
  }
}

/** Returns the name of the holder as events record it: the role, and the name of the token if it has one. */
export function actorOf({ role, name }: Pick<TokenHolder, 'role' | 'name'>): string {
  return name === null ? role : `${role}:${name}`;
}

/**
 * Returns whether a token of administrators is a token of auditors, too: auditors could then change everything. The settings must be valid.
 * Every pair is compared in constant time.
 */
export function shareToken(admin: string, auditor: string): boolean {
  const digests = (setting: string): readonly Buffer[] => parseTokens(setting).map(({ token }) => digest(token));
  const others = digests(auditor);
  return digests(admin).filter((one) => others.filter((other) => timingSafeEqual(one, other)).length > 0).length > 0;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
