/** Returns how many rounds a test runs: `short` in `npm test`, `long` in `npm run test:slow`, or the number in the environment variable. */
export function rounds(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (process.env.TEST_LENGTH === 'long' ? long : short));
}
