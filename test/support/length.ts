/** How many rounds a test makes: few in `npm test`, many in `npm run test:slow`, any other number where an environment variable names it. */
export function rounds(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (process.env.TEST_LENGTH === 'long' ? long : short));
}
