import { htmlPage, pageHeaders } from '../../../http/pages/page.js';
import { type ProfileTier } from '../domain/profile-tier.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2a1e; --soft: #4d5b50; --paper: #f5f6f1; --card: #ffffff; --line: #d9ded6; --tier: #8a4b12; }
@media (prefers-color-scheme: dark) { :root { --ink: #eef2ec; --soft: #b4c0b6; --paper: #121713; --card: #1c231e; --line: #36403a; --tier: #e9a464; } }
.silver { --tier: #4f5b66; } .gold { --tier: #7a5a00; }
@media (prefers-color-scheme: dark) { .silver { --tier: #c3ced9; } .gold { --tier: #f0c64a; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.55 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 2.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
h1 { margin: 0; font-size: 1.125rem; font-weight: 600; color: var(--soft); }
.id { margin: .25rem 0 1.75rem; font: 600 1.5rem/1.3 ui-monospace, monospace; overflow-wrap: anywhere; }
dl { margin: 0; display: grid; gap: 1.25rem; }
dt { font-size: .9375rem; color: var(--soft); }
dd { margin: 0; }
.tier { display: inline-block; margin-top: .25rem; padding: .2rem .9rem; border: 2px solid var(--tier); border-radius: 2rem; color: var(--tier); font-weight: 700; text-transform: capitalize; }
progress { display: block; width: 100%; height: .75rem; margin-top: .4rem; accent-color: var(--tier); }
.number { font-size: 1.5rem; font-weight: 700; }
p { margin: 1.75rem 0 0; color: var(--soft); font-size: .9375rem; }
`;

export const PAGE_HEADERS = pageHeaders(STYLE);

/** Returns a page with the tier and completeness, and no personal data (decisions, "Sections"). */
export function profilePage(rupaId: string, { profile_tier, profile_completeness }: ProfileTier): string {
  return htmlPage(
    `Rupa profile ${rupaId}`,
    STYLE,
    `<main class="${profile_tier}">
<h1>Rupa farmer profile</h1>
<div class="id">${rupaId}</div>
<dl>
<div><dt>Profile tier</dt><dd><span class="tier">${profile_tier}</span></dd></div>
<div><dt id="completeness">Profile completeness</dt><dd><span class="number">${profile_completeness} %</span>
<progress max="100" value="${profile_completeness}" aria-labelledby="completeness">${profile_completeness} %</progress></dd></div>
</dl>
<p>The tier shows how much of this farmer’s record is verified: bronze below 50&nbsp;%, silver from 50&nbsp;%, gold from 80&nbsp;%. This page shows no personal data. A partner can see the record only after the farmer has shared this Rupa&nbsp;ID with that partner.</p>
</main>`,
  );
}

export function unknownProfilePage(): string {
  return htmlPage(
    'No such Rupa profile',
    STYLE,
    `<main>
<h1>Rupa farmer profile</h1>
<div class="id">Not found</div>
<p>There is no farmer with this Rupa&nbsp;ID. Please check the link: an ID looks like rp-spvyqbds. If the farmer gave it to you, ask them to share it again.</p>
</main>`,
  );
}
