import { type Audience } from '../openapi/audiences.js';
import { page } from './layout.js';

/** The reference runs scripts of this service only. Swagger UI sets inline styles and uses images in data URLs. */
export const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Returns the reference of the calls of partners or of administrators. It has no inline scripts, because its Content-Security-Policy forbids
 * them.
 * @param root relative path of the first page
 */
export function referencePage(audience: Audience, root: string): string {
  return page({
    title: audience === 'partner' ? 'Reference' : 'Reference for administrators',
    root,
    current: audience === 'partner' ? 'docs' : 'docs/admin',
    head: `<link rel="stylesheet" href="${root}docs/swagger-ui.css">\n`,
    body: `<div id="swagger-ui"></div>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/start.js" data-document="${audience}-json"></script>`,
  });
}

/**
 * Starts Swagger UI. Its requests go to the host and path prefix from which the browser loaded this script, whatever PUBLIC_URL says:
 * neither CORS nor the Content-Security-Policy would let them go anywhere else. Swagger UI fills fields with examples, so optional parameters
 * get none: it would send filters that the reader did not choose, and the same `Idempotency-Key` with every body. Without `validatorUrl: null` it would have an
 * external service validate the document.
 */
export const START_SCRIPT = `const { src, dataset } = document.currentScript;
const dark = matchMedia('(prefers-color-scheme: dark)');
const followColors = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followColors();
dark.addEventListener('change', followColors);
fetch(new URL(dataset.document, src)).then(async (response) => {
  const spec = await response.json();
  spec.servers = [{ url: new URL('..', src).href.replace(/\\/$/, '') }];
  const inPaths = Object.values(spec.paths).flatMap((methods) => Object.values(methods)).flatMap(({ parameters = [] }) => parameters);
  for (const parameter of [...Object.values(spec.components.parameters ?? {}), ...inPaths]) if (!parameter.required) delete parameter.example;
  SwaggerUIBundle({ spec, dom_id: '#swagger-ui', deepLinking: true, defaultModelsExpandDepth: 0, validatorUrl: null });
});
`;
