/** Style sheet of the first page, the guides and the menu of the reference. The last part adapts Swagger UI to narrow screens. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2a1e; --soft: #4d5b50; --line: #d5dbd2; --band: #f1f4ee; --paper: #fff; --link: #17663a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4eae3; --soft: #a5b1a6; --line: #37413a; --band: #1f2722; --paper: #151b17; --link: #7fd19b; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
.bar { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.5rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); }
.bar a { color: inherit; text-decoration: none; padding: .25rem 0; }
.bar nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.bar nav a { color: var(--soft); }
.bar a:hover, .bar [aria-current] { color: var(--link); }
.bar [aria-current] { font-weight: 600; }
.brand { font-size: 1.125rem; font-weight: 700; letter-spacing: .01em; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 72rem; margin: 0 auto; }
.guides { padding: 1.5rem 1.25rem; font-size: .9375rem; }
.guides a { display: block; padding: .2rem .6rem; border-left: 2px solid transparent; color: var(--soft); text-decoration: none; }
.guides a:hover { color: var(--link); }
.guides [aria-current] { border-color: var(--link); color: var(--link); font-weight: 600; }
.parts { margin: .1rem 0 .4rem .75rem; font-size: .875rem; }
.page { min-width: 0; padding: 1.5rem 1.25rem 4rem; }
.home { max-width: 60rem; margin: 0 auto; }
.page a { color: var(--link); }
.page h1 { margin: 0 0 1rem; font-size: clamp(1.6rem, 5vw, 2.1rem); line-height: 1.2; text-wrap: balance; }
.page h2 { margin: 2.5rem 0 .75rem; font-size: 1.3rem; line-height: 1.3; }
.page h3 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
.page h1, .page h2, .page h3, .page tr { scroll-margin-top: 1rem; }
.page p, .page ul, .page ol { margin: .75rem 0; max-width: 46rem; }
.page ul, .page ol { padding-left: 1.4rem; }
.page li { margin: .35rem 0; }
.lead { font-size: 1.1rem; color: var(--soft); }
.anchor { margin-left: .4rem; color: var(--soft) !important; font-weight: 400; text-decoration: none; opacity: 0; }
h2:hover .anchor, h3:hover .anchor, .anchor:focus-visible { opacity: 1; }
.page code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.page :not(pre) > code { padding: .1em .3em; border-radius: .25rem; background: var(--band); }
.page pre { margin: 1rem 0; padding: .9rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--band); }
.page pre code { font-size: .8125rem; overflow-wrap: normal; }
.code { position: relative; margin: 1rem 0; }
.page .code pre { margin: 0; }
.code button { position: absolute; top: .4rem; right: .4rem; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--paper); color: var(--soft); font: .8125rem/1.5 system-ui, sans-serif; cursor: pointer; }
.code button:hover { color: var(--link); }
.tabs { margin: 1rem 0; }
.tabs input { position: absolute; opacity: 0; }
.tabs label { display: inline-block; margin-right: .25rem; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .5rem; color: var(--soft); font-size: .875rem; cursor: pointer; }
.tabs input:checked + label { border-color: var(--link); color: var(--link); font-weight: 600; }
.tabs input:focus-visible + label { outline: 2px solid var(--link); outline-offset: 2px; }
.tabs .code { display: none; margin: .5rem 0 0; }
${[1, 2, 3, 4, 5, 6].map((tab) => `.tabs input:nth-of-type(${tab}):checked ~ .code:nth-of-type(${tab})`).join(', ')} { display: block; }
.search { margin-left: auto; }
.search input { width: 14rem; max-width: 100%; padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--paper); color: inherit; font: inherit; font-size: .9375rem; }
.page mark { background: none; color: inherit; font-weight: 700; }
.page .found { grid-template-columns: 1fr; }
.page tr:target { background: var(--band); }
.wide { margin: 1rem 0; overflow-x: auto; }
.page table { width: 100%; min-width: 34rem; border-collapse: collapse; font-size: .9375rem; }
.page th, .page td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.page th { color: var(--soft); font-weight: 600; }
.page td code { overflow-wrap: break-word; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: .75rem; max-width: none !important; padding: 0 !important; list-style: none; }
.cards li { margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.cards li > a { display: block; font-weight: 600; }
.cards span { color: var(--soft); font-size: .9375rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 50rem) {
  .columns { display: block; }
  .guides { display: flex; gap: .5rem; padding: .75rem 1.25rem; overflow-x: auto; border-bottom: 1px solid var(--line); }
  .bar { gap: .25rem 1rem; font-size: .9375rem; }
  .bar nav { gap: 0 .9rem; }
  .guides a { flex: none; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 1rem; }
  .guides [aria-current] { order: -1; border-color: var(--link); }
  .parts { display: none; }
  .search, .search input { width: 100%; }
  .code:has(button) pre { padding-top: 2.6rem; }
  .page table { min-width: 0; }
  .page thead { display: none; }
  .page :is(table, tbody, tr, td) { display: block; }
  .page tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .page td { padding: .15rem 0; border: 0; }
  .page td:empty { display: none; }
  .page td::before { content: attr(data-column); display: block; color: var(--soft); font-size: .8125rem; font-weight: 600; }
  .page td[data-column='']::before { content: none; }
}
@media print { .bar, .guides { display: none; } .columns { display: block; } }

.swagger-ui { overflow-wrap: break-word; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .response-col_links { display: none; }
@media (max-width: 50rem) {
  .swagger-ui .wrapper { padding: 0 .75rem; }
  .swagger-ui .wrapper .wrapper, .swagger-ui .block.col-12 { padding: 0; }
  .swagger-ui .info .title { font-size: 1.6rem; }
  .swagger-ui .scheme-container { padding: 1rem .75rem; }
  .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 4.5rem; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: 0 .6rem .3rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: .6rem 0; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0; }
  .swagger-ui .opblock .table-container, .swagger-ui .responses-inner { padding: .75rem; }
  .swagger-ui .table-container, .swagger-ui .model-box, .swagger-ui .headers-wrapper { max-width: 100%; overflow-x: auto; }
  .swagger-ui :is(.parameters, .responses-table), .swagger-ui :is(.parameters, .responses-table) > tbody, .swagger-ui :is(.parameters, .responses-table) > tbody > tr, .swagger-ui :is(.parameters, .responses-table) > tbody > tr > td { display: block; width: 100%; min-width: 0; }
  .swagger-ui :is(.parameters, .responses-table) > thead { display: none; }
  .swagger-ui :is(.parameters, .responses-table) > tbody > tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .swagger-ui :is(.parameters, .responses-table) > tbody > tr > td { padding: .2rem 0 !important; border: 0; }
  .swagger-ui .parameters-col_description { margin: 0; }
  .swagger-ui .parameters-col_description :is(input, select, textarea) { width: 100%; max-width: none; }
  .swagger-ui .response-col_status { font-weight: 700; }
  .swagger-ui .dialog-ux .modal-ux { width: auto; min-width: 0; max-width: calc(100vw - 1.5rem); }
}
`;
