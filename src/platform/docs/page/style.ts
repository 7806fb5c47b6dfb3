/** The style of the page, light and dark. Sections out of view are not laid out. */
export const style = `
:root { color-scheme: light dark; --text: light-dark(#1d1a24, #e9e6ef); --quiet: light-dark(#5b5666, #aaa4b6);
  --back: light-dark(#fff, #16131c); --raised: light-dark(#f5f3f8, #211d29); --line: light-dark(#dcd7e4, #3a3445);
  --accent: light-dark(#5b2ea0, #c3a5f0); }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; display: grid; grid-template-columns: 20rem minmax(0, 1fr); color: var(--text); background: var(--back);
  font: 1rem/1.5 system-ui, sans-serif }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem }
aside { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line);
  background: var(--raised); font-size: .875rem }
aside ul { list-style: none; margin: 0; padding: 0 0 .5rem .75rem } aside li { padding: .125rem 0 }
aside summary { padding: .25rem 0; font-weight: 600; cursor: pointer }
input { width: 100%; padding: .5rem; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--quiet);
  border-radius: .375rem }
main { padding: 1rem 2rem 4rem; max-width: 64rem }
.part { content-visibility: auto; contain-intrinsic-size: auto 40rem; padding: 1rem 0; border-top: 1px solid var(--line) }
h3 a { color: inherit; text-decoration: none } h3 a:hover { text-decoration: underline }
h4 { margin: 1rem 0 .25rem }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere }
pre { overflow: auto; padding: .75rem; background: var(--raised); border: 1px solid var(--line); border-radius: .375rem }
pre code { overflow-wrap: normal }
table { width: 100%; border-collapse: collapse; margin: .25rem 0 }
th, td { padding: .375rem .5rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line) }
th { width: 14rem; font-weight: 500 } td table th { width: 10rem }
td p, td ul { margin: .25rem 0 }
small { color: var(--quiet) }
.call b { display: inline-block; min-width: 3.5rem; color: var(--accent) }
@media (max-width: 48rem) { body { display: block } aside { position: static; height: auto; max-height: 50vh } main { padding: 1rem }
  th { width: 8rem } td table th { width: 6rem } }
`
