import { type BenchService } from './service-process.js';

/** A browser without scripts, signed in to the console. */
export class ConsoleClient {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  /** @throws Error if the console refuses the token */
  static async signIn({ url, adminToken }: Pick<BenchService, 'url' | 'adminToken'>): Promise<ConsoleClient> {
    const response = await fetch(`${url}/console/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams({ token: adminToken }).toString(),
      redirect: 'manual',
    });
    const cookie = response.headers
      .getSetCookie()
      .map((set) => set.split(';', 1)[0] ?? '')
      .join('; ');
    if (response.status !== 303 || cookie === '') throw new Error(`The sign-in to the console got status ${response.status}.`);
    return new ConsoleClient(url, cookie);
  }

  /** Returns the milliseconds until the whole page has arrived. @throws Error for a status other than 200 */
  async visit(path: string): Promise<number> {
    const began = performance.now();
    const response = await fetch(`${this.url}${path}`, { headers: { Cookie: this.cookie }, redirect: 'manual' });
    await response.arrayBuffer();
    const ms = performance.now() - began;
    if (response.status !== 200) throw new Error(`GET ${path} got status ${response.status}.`);
    return ms;
  }
}
