import { escapeHtml } from '../../http/pages/page.js';
import { AUDIT_GUIDE, PARTNER_GUIDES } from './guides.js';
import { page } from './layout.js';

/** Returns the first page: the purpose of the service, a call to try, and links to everything else. @param publicUrl base URL of the service */
export function homePage(publicUrl: string): string {
  const guides = PARTNER_GUIDES.map(
    ({ name, title, purpose }) => `<li><a href="./docs/guides/${name}">${title}</a><span>${purpose}</span></li>`,
  );
  return page({
    title: 'Farmer data sharing',
    root: './',
    current: '',
    body: `<main class="page home">
<h1>Farmer data, shared with consent</h1>
<p class="lead">Banks, insurers and agtech companies look farmers up by their Rupa ID, pay for each lookup from a prepaid wallet in naira, and report what they learn. Every charge, consent and change is recorded, and can be checked.</p>
<h2>Try it</h2>
<div class="code"><pre tabindex="0"><code>export RUPA_URL=${escapeHtml(publicUrl)} RUPA_API_KEY=rupa_key_…
curl -s $RUPA_URL/v1/rupa/me -H "X-API-KEY: $RUPA_API_KEY"
</code></pre></div>
<p>Your contact issues the key. <a href="./docs/guides/getting-started">Getting started</a> continues with a lookup and a report.</p>
<h2>Guides</h2>
<ul class="cards">
${guides.join('\n')}
</ul>
<h2>Reference</h2>
<ul class="cards">
<li><a href="./docs">Partners’ calls</a><span>every call, field and error, to try out with your key</span></li>
<li><a href="./docs/collection.json" download="rupa.postman_collection.json">Collection</a><span>the same calls for Postman, Bruno or Insomnia: import the file, and set <code>apiKey</code></span></li>
<li><a href="./docs/partner-json">OpenAPI 3.1</a><span>generates a client for your language</span></li>
<li><a href="./docs/guides/${AUDIT_GUIDE.name}">${AUDIT_GUIDE.title}</a><span>${AUDIT_GUIDE.purpose}</span></li>
<li><a href="./docs/sdk/rupa-client.tgz">SDK</a><span>the package <code>@rupa/client</code> for Node, Deno and Bun: <code>npm install ${escapeHtml(publicUrl)}/docs/sdk/rupa-client.tgz</code></span></li>
<li><a href="./docs/admin">Administrators’ calls</a><span>partners, keys, farmers, prices, books; also <a href="./docs/admin-json">as OpenAPI</a>, and <a href="./docs-json">all calls</a> in one document</span></li>
<li><a href="./health">Status</a><span>whether the service works at this moment</span></li>
</ul>
</main>`,
  });
}
