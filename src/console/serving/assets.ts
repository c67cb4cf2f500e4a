import { type FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { REVALIDATED, staticResponse } from '../../http/pages/static-response.js';
import { STYLE } from '../console-style.js';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
/** The modules of src/console/browser, each of them one file. */
const MODULES = [
  'every-page',
  'charts',
  'notice',
  'partner-field',
  'pasted-notes',
  'reconcile-page',
  'service-connection',
  'verify-page',
  'verify-worker',
  'wallet-chain',
  'wallet-checkpoint',
  'audit-page',
  'audit-worker',
] as const;

/** Serves the style sheet and the scripts of the pages, also to people who are not signed in. They contain nothing that is not public. */
export function serveAssets(scope: FastifyInstance): void {
  const serve = (name: string, type: string, make: () => string | Buffer): void => {
    scope.get(`/assets/${name}`, staticResponse(type, REVALIDATED, make));
  };
  serve('console.css', CSS, () => STYLE);
  serve('uplot.css', CSS, () => packaged('uplot/dist/uPlot.min.css'));
  serve('uplot.js', SCRIPT, () => packaged('uplot/dist/uPlot.esm.js'));
  serve('audit.mjs', SCRIPT, () => readFileSync(new URL('../../../docs/audit/audit.mjs', import.meta.url)));
  for (const name of MODULES) serve(`${name}.js`, SCRIPT, () => readFileSync(new URL(`../browser/${name}.js`, import.meta.url)));
}

function packaged(path: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(path));
}
