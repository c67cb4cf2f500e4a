import { describe } from '@jest/globals';
import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Application } from './service.js';

const PATHS = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];
const executable = PATHS.find((path) => path && isExecutable(path));

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (!executable)
  process.stderr.write(
    'No Chromium is installed, so the tests in a browser are skipped. Debian: apt install chromium, or set CHROMIUM to its path.\n',
  );

/** Describes tests that need a browser. They are skipped, with a printed reason, where none is installed. */
export const describeInBrowser: typeof describe | typeof describe.skip = executable ? describe : describe.skip;

export async function launchBrowser(): Promise<Browser> {
  if (!executable) throw new Error('No Chromium is installed.');
  // Chromium's own sandbox needs a user that is not root.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return await chromium.launch({ executablePath: executable, args, timeout: PATIENCE_MS });
}

/** Opens a browser context of its own, in which every wait is as long as a busy machine needs. */
export async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Milliseconds after which a wait for a page fails. The library's own limit of 30 s fails tests that a busy machine only makes slow. */
const PATIENCE_MS = 300_000 * Number(process.env.TEST_PATIENCE ?? 1);

/** A page of a person who is signed in, with everything that the browser complained about. */
export interface SignedIn {
  readonly page: Page;
  readonly complaints: string[];
  close(this: void): Promise<void>;
}

/** Signs in with a token in a browser context of its own. */
export async function signedIn(
  browser: Browser,
  { url }: Application,
  token: string,
  options: BrowserContextOptions = {},
): Promise<SignedIn> {
  const context = await newContext(browser, { baseURL: url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${String(error)}`));
  await page.goto('/console/sign-in');
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console$/);
  return { page, complaints, close: () => context.close() };
}
