/** Style sheet of the console. Colors are custom properties, so that light and dark differ in one place. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: #1c2a1e; --soft: #4d5b50; --line: #d5dbd2; --band: #f1f4ee; --paper: #fff; --link: #17663a; --button-ink: #fff; --gone: #646a65;
  --good: #17663a; --good-band: #e2f2e6; --bad: #a3211f; --bad-band: #fbe7e5; --warn: #7a5200; --warn-band: #fcf0d6;
  --line-1: #17663a; --line-2: #a3211f; --line-3: #2b5ea8; --line-4: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4eae3; --soft: #a5b1a6; --line: #37413a; --band: #1f2722; --paper: #151b17; --link: #7fd19b; --button-ink: #10150f; --gone: #949c95;
    --good: #7fd19b; --good-band: #1b3324; --bad: #ff9c94; --bad-band: #3d1e1c; --warn: #f0c368; --warn-band: #3a2d12;
    --line-1: #7fd19b; --line-2: #ff9c94; --line-3: #8fb8f5; --line-4: #f0c368;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .25rem .75rem; background: var(--paper); z-index: 3; }

.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; padding: .6rem 1.25rem; border-bottom: 1px solid var(--line); }
.bar .brand { color: inherit; font-size: 1.125rem; font-weight: 700; text-decoration: none; }
.bar .search { flex: 1 1 12rem; max-width: 32rem; }
.bar .search input { width: 100%; }
.bar .person { display: flex; align-items: center; gap: .75rem; margin-left: auto; font-size: .9375rem; color: var(--soft); }
.bar nav { display: flex; flex-basis: 100%; gap: 0 1.25rem; overflow-x: auto; scrollbar-width: thin; }
.bar nav a { flex: none; padding: .25rem 0; color: var(--soft); text-decoration: none; font-size: .9375rem; border-bottom: 2px solid transparent; }
.bar nav a:hover { color: var(--link); }
.bar nav [aria-current] { color: var(--link); font-weight: 600; border-color: var(--link); }

main { max-width: 84rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
main:focus { outline: none; }
h1 { margin: .25rem 0 1rem; font-size: clamp(1.4rem, 4vw, 1.8rem); line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 .5rem; font-size: 1rem; }
p { margin: .6rem 0; max-width: 46rem; }
code { font: .875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--band); }
.unbroken, .unbroken code { overflow-wrap: normal; white-space: nowrap; }
.prose { display: block; min-width: 12rem; max-width: 30rem; overflow-wrap: anywhere; }
.soft, small { color: var(--soft); }
.money, .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }

.badge { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; background: var(--band); color: var(--soft); }
.badge.good { background: var(--good-band); color: var(--good); }
.badge.bad { background: var(--bad-band); color: var(--bad); }
.badge.warn { background: var(--warn-band); color: var(--warn); }
.notice { margin: .75rem 0; padding: .7rem 1rem; border-left: 4px solid var(--soft); border-radius: .25rem; background: var(--band); overflow-wrap: anywhere; }
.notice > p { margin: .25rem 0; }
.notice.good { border-color: var(--good); background: var(--good-band); }
.notice.bad { border-color: var(--bad); background: var(--bad-band); }
.notice.warn { border-color: var(--warn); background: var(--warn-band); }
.event { margin: 1rem 0; padding-top: .25rem; border-top: 1px solid var(--line); }
.event h2 { margin: .75rem 0 .25rem; overflow-wrap: anywhere; }
.json { max-height: 30rem; overflow: auto; }
.term code { color: var(--soft); }
.empty { padding: 1.25rem; border: 1px dashed var(--line); border-radius: .5rem; color: var(--soft); max-width: none; }
.notice ul { margin: .35rem 0 0; padding-left: 1.25rem; }
.connection { position: sticky; top: 0; z-index: 2; }
.unheard main > :not(.connection) {
  --ink: var(--gone); --soft: var(--gone); --link: var(--gone);
  --good: var(--gone); --good-band: var(--band); --bad: var(--gone); --bad-band: var(--band); --warn: var(--gone); --warn-band: var(--band);
  color: var(--gone);
}
.unheard .uplot { filter: grayscale(1); }
.unheard canvas { opacity: .6; }

.table { position: relative; max-height: 75vh; overflow: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .45rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: var(--band); }
thead th { position: sticky; top: 0; z-index: 1; background: var(--band); color: var(--soft); font-weight: 600; white-space: nowrap; }
.numeric { text-align: right; }
h4 { margin: .75rem 0 .35rem; font-size: .9375rem; }
.record { max-width: 46rem; }
.record th { width: 45%; font-weight: 400; color: var(--soft); }
.record tr:last-child th { border-bottom: 0; }
.pages { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: .75rem 1.5rem; margin: 1rem 0; }
.facts div { min-width: 0; }
.facts dt { color: var(--soft); font-size: .875rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); gap: .75rem; margin: 1rem 0; }
.card { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.card strong { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.card .since { font-size: .875rem; font-weight: 400; white-space: nowrap; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2rem; }

input, select, textarea, button, .button { font: inherit; color: inherit; }
input, select, textarea { padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: .375rem; background: var(--paper); max-width: 100%; }
input[type='checkbox'] { accent-color: var(--link); }
textarea { width: 100%; font-family: ui-monospace, monospace; font-size: .875rem; }
button, .button { display: inline-block; padding: .4rem .9rem; border: 1px solid var(--link); border-radius: .375rem; background: var(--link); color: var(--button-ink); font-weight: 600; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.08); }
button.quiet { border-color: var(--line); background: none; color: inherit; font-weight: 400; }
.button.quiet { border-color: var(--line); background: none; color: inherit; font-weight: 400; }
button.dangerous { border-color: var(--bad); background: var(--bad); }
button.asks { border-color: var(--bad); background: none; color: var(--bad); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.secret { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
.table + .act.inline { margin-top: .75rem; }
.act.inline button { white-space: nowrap; }
.field, .field > label { display: flex; flex-direction: column; gap: .2rem; }
.field span { font-size: .875rem; color: var(--soft); }
.act { display: flex; flex-direction: column; align-items: flex-start; gap: .75rem; margin: .75rem 0; max-width: 30rem; }
.act:has(textarea) { max-width: 44rem; }
.act .field { width: 100%; }
.act.inline { flex-direction: row; flex-wrap: wrap; align-items: end; margin: 0; max-width: none; }
.act.inline .field { width: auto; }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: .75rem 0 1rem; }
.checks { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; margin: 0; padding: 0; border: 0; }
.checks label { display: flex; gap: .4rem; align-items: center; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--link); }
.sign-in { max-width: 26rem; }
progress { width: 100%; height: 1rem; accent-color: var(--link); }

.chart { margin: 1rem 0; min-width: 0; }
.chart figcaption { font-weight: 600; margin-bottom: .25rem; }
.chart > [data-chart] { min-height: 230px; min-width: 0; }
.chart .values { max-height: 20rem; }
.chart summary { font-size: .875rem; }
.pages [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
.uplot { font: inherit; max-width: 100%; }
.u-legend { font-size: .8125rem; }
.u-legend th, .u-legend td { padding: .1rem .3rem; border: 0; }
.uplot tbody tr:hover { background: none; }

@media (max-width: 40rem) {
  main { padding: 1rem 1rem 3rem; }
  .bar { padding: .6rem 1rem; }
  .bar .search { order: 1; flex-basis: 100%; max-width: none; }
  .bar nav { order: 2; flex-wrap: wrap; overflow: visible; }
}
@media (max-width: 37.5rem) {
  .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .card { padding: .6rem .7rem; }
  .card strong { font-size: 1.15rem; }
  .card .money { white-space: normal; }
  .table { max-height: none; overflow: visible; border: 0; border-radius: 0; }
  .rows table, .rows tbody { display: block; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; margin-bottom: .6rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem; }
  .rows td { display: flex; justify-content: space-between; gap: .25rem 1rem; grid-column: 1 / -1; padding: .15rem 0; border: 0; text-align: right; min-width: 0; overflow-wrap: anywhere; }
  .rows td::before { content: attr(data-head); flex: none; max-width: 45%; color: var(--soft); text-align: left; }
  .rows td > * { min-width: 0; }
  .rows td:empty { display: none; }
  .rows td.leads { display: block; grid-column: auto; order: -1; text-align: left; font-weight: 600; }
  .rows td.leads + td.leads, .rows td.numeric.leads { text-align: right; }
  .rows td.leads:first-child { text-align: left; }
  .rows td.leads::before { content: none; }
  .unbroken, .unbroken code { overflow-wrap: anywhere; white-space: normal; }
  .prose { min-width: 0; }
}
.acts { display: flex; flex-wrap: wrap; gap: .35rem; }
@page { size: A4; margin: 15mm 12mm; }
@media print {
  :root {
    color-scheme: light;
    --ink: #000; --soft: #333; --line: #999; --band: #f1f1f1; --paper: #fff; --link: #000;
    --good: #17663a; --good-band: #e2f2e6; --bad: #a3211f; --bad-band: #fbe7e5; --warn: #7a5200; --warn-band: #fcf0d6;
  }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .bar, .act, .filters, .pages, .acts, .skip, .unprinted, form, button, .button, h2:has(+ form) { display: none; }
  a { color: inherit; text-decoration: none; }
  .table { max-height: none; overflow: visible; border-radius: 0; }
  table { font-size: 8.5pt; }
  th, td { padding: .2rem .35rem; }
  thead { display: table-header-group; }
  thead th { position: static; white-space: normal; }
  tr, .facts div, .notice, .chart { break-inside: avoid; }
  h1, h2, h3, h4 { break-after: avoid; }
  .unbroken, .unbroken code { white-space: normal; overflow-wrap: anywhere; }
}
`;
