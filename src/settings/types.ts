import { isIP } from 'node:net';
import { z } from 'zod';
import { canonicalNetwork } from '../platform/http-server/address.js';

// Types that parse the text of an environment variable. Each has a description of its unit or form for docs/settings.md, and error messages
// that complete "NAME is wrong: …".

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
/** A text that ends like an IPv4 address is no name. */
const NUMBER_LAST = /(?:^|\.)\d+\.?$/;

/** A longer text was meant for something else, such as a file or a key. */
const SHOWN_MAX = 40;

/** Returns a text as an error message shows it: not all of a long one, and a URL without its user and password. */
export function shown(text: unknown): string {
  const open = String(text).replaceAll(/\/\/\S*@/g, '//…@');
  return `"${open.length > SHOWN_MAX ? `${open.slice(0, SHOWN_MAX)}…` : open}"`;
}

export function text(form: string): z.ZodType<string, string> {
  return z.string().describe(form);
}

/**
 * Accepts the texts that `check` accepts. The error message never repeats the text, which may be a secret.
 * @param check throws an Error that says what is wrong
 */
export function checked(form: string, check: (text: string) => unknown): z.ZodType<string, string> {
  return z
    .string()
    .superRefine((value, context) => {
      try {
        check(value);
      } catch (error) {
        context.addIssue((error as Error).message);
      }
    })
    .describe(form);
}

export function oneOf<const T extends string>(values: readonly T[]): z.ZodType<T, string> {
  return z
    .string()
    .pipe(z.enum(values, { error: ({ input }) => `it must be one of ${values.join(', ')}, and is ${shown(input)}` }))
    .describe(either(values));
}

export const flag = mapped(oneOf(['true', 'false']), (value) => value === 'true');

/** Accepts the same texts as `type` and maps its values. */
export function mapped<T, U>(type: z.ZodType<T, string>, map: (value: T) => U): z.ZodType<U, string> {
  // zod does not copy the description to a transformed type.
  return type.transform(map).describe(type.description ?? '');
}

export function listOf<T>(items: string, item: z.ZodType<T, string>): z.ZodType<readonly T[], string> {
  return z
    .string()
    .transform((value) => value.split(',').map((entry) => entry.trim()))
    .pipe(z.array(item))
    .describe(`${items}, separated by commas`);
}

/** Reads a number as people write it. `Number` alone takes a blank for 0, and `0x10` and `1e3` for numbers that nobody may have meant. */
function decimal(text: string): number {
  return /^-?(\d+|\d*\.\d+)$/.test(text) ? Number(text) : NaN;
}

function numberThat(form: string, must: string, accepts: (value: number) => boolean): z.ZodType<number, string> {
  return z
    .string()
    .refine((value) => accepts(decimal(value)), { error: ({ input }) => `it must be ${must}, and is ${shown(input)}` })
    .transform(decimal)
    .describe(form);
}

export function wholeNumber(unit: string, low: number, high: number): z.ZodType<number, string> {
  return numberThat(
    `${unit}, ${low} to ${high}`,
    `a whole number from ${low} to ${high}`,
    (value) => Number.isInteger(value) && value >= low && value <= high,
  );
}

export function numberAboveZero(unit: string, high = Number.MAX_VALUE): z.ZodType<number, string> {
  const most = high === Number.MAX_VALUE ? '' : ` and at most ${high}`;
  return numberThat(`${unit}, above 0${most}`, `a number above 0${most}`, (value) => value > 0 && value <= high);
}

export const share = numberThat('share, 0 to 1', 'a number from 0 to 1', (value) => value >= 0 && value <= 1);

/** Accepts a list of numbers of seconds, each from 0 to `high`. */
export function seconds(high: number): z.ZodType<readonly number[], string> {
  const numbers = (value: string): number[] => value.split(',').map((part) => decimal(part.trim()));
  return z
    .string()
    .refine((value) => numbers(value).every((wait) => wait >= 0 && wait <= high), {
      error: ({ input }) => `it must be numbers of seconds from 0 to ${high}, separated by commas, and is ${shown(input)}`,
    })
    .transform(numbers)
    .describe(`seconds, 0 to ${high}, separated by commas`);
}

/** Accepts an IP address or a host name to listen on. Whether it is one of this machine shows when the service listens. */
export const listenAddress = z
  .string()
  .refine((value) => isIP(value) !== 0 || (HOST_NAME.test(value) && !NUMBER_LAST.test(value)), {
    error: ({ input }) => `it must be an IP address or a host name, without scheme, port or brackets, and is ${shown(input)}`,
  })
  .describe('address');

/**
 * Accepts a URL. The error message does not repeat the text, because a URL may contain a password.
 * @param parses whether the program that uses the URL can parse it
 */
export function url(
  protocols: readonly string[],
  parses: (text: string) => boolean = (text) => URL.canParse(text),
): z.ZodType<string, string> {
  const beginnings = protocols.map((protocol) => `${protocol}//`);
  return z
    .string()
    .refine((value) => beginnings.some((beginning) => value.startsWith(beginning)), {
      error: `it must begin with ${beginnings.join(' or ')}`,
      abort: true,
    })
    .refine(parses, {
      error: 'it is not a valid URL. Check host and port, and encode special characters of a user or password as %XX',
    })
    .describe(`${either(beginnings)} URL`);
}

export function either(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), ...values.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** The parts of the service that a process can run. By default it runs all of them. */
export const ROLES = ['api', 'projector', 'webhooks', 'console'] as const;
export type Role = (typeof ROLES)[number];

/** Addresses and CIDRs, each in its canonical form. */
export function networks() {
  return listOf(
    'addresses and CIDRs',
    z.string().transform((entry, context) => {
      const network = canonicalNetwork(entry);
      if (network !== undefined) return network;
      context.addIssue(`${shown(entry)} is neither an address nor a CIDR`);
      return z.NEVER;
    }),
  );
}
