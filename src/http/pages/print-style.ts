/** Colors of printed pages. */
export const COLORS = { ink: '#1c2a1e', soft: '#4d5b50', line: '#c9d1c6', band: '#f1f4ee', mark: '#a15c00' } as const;

/** Style sheet of pages with tables, for the screen and for A4 paper. */
export const PRINT_STYLE = `
:root { color-scheme: light; ${Object.entries(COLORS)
  .map(([name, color]) => `--${name}: ${color};`)
  .join(' ')} }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1.25rem; background: #fff; color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; break-after: avoid; }
p { margin: .35rem 0; color: var(--soft); overflow-wrap: anywhere; }
.whose { margin-top: .75rem; color: var(--ink); font-weight: 600; }
.note { margin: 1rem 0 0; padding: .6rem .9rem; border: 1px solid var(--line); border-left: .35rem solid var(--mark); color: var(--ink); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375em; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
thead th, tfoot th, tfoot td, .balance th, .balance td { font-weight: 700; }
thead th { background: var(--band); overflow-wrap: normal; }
.number { width: 8.5em; text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums lining-nums; }
.amount, .count { text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums lining-nums; }
.code { font: .8125em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.time { white-space: nowrap; font-variant-numeric: tabular-nums lining-nums; }
@media screen and (max-width: 40rem) {
  .number { width: auto; }
  .time { white-space: normal; }
  .movements thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .movements tr { display: grid; grid-template-columns: 1fr auto; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .movements th, .movements td { grid-column: 1 / -1; padding: .1rem .6rem; border: 0; }
  .movements .time, .movements tfoot th { grid-column: 1; white-space: nowrap; }
  .movements .number { grid-area: 1 / 2; }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .stacked th, .stacked td { display: flex; gap: 1rem; justify-content: space-between; padding: .1rem .6rem; border: 0; text-align: right; }
  .stacked th { font-weight: 600; text-align: left; }
  .stacked td::before { content: attr(data-head); color: var(--soft); white-space: nowrap; text-align: left; }
  .stacked tfoot tr { display: flex; justify-content: space-between; }
}
@page { size: A4; margin: 18mm 16mm; }
@media print {
  body { padding: 0; font-size: 10pt; }
  main { max-width: none; }
  .wide { overflow: visible; }
  thead { display: table-header-group; }
  tfoot { display: table-row-group; }
  tr, .short { break-inside: avoid; }
  tbody tr:first-child { break-before: avoid; }
  thead th { print-color-adjust: exact; }
}
`;
