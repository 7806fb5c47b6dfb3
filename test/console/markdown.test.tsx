/** The output of models is shown as Markdown; it contains no HTML, loads nothing and runs nothing. */
import { expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import { isQuicklyDrawn } from '../../src/console/ui/text/markdown.tsx'
import MarkdownView from '../../src/console/ui/text/markdown-view.tsx'

const html = (text: string) =>
  renderToStaticMarkup(<MarkdownView text={text} />).replace(/^<div class="markdown">(.*)<\/div>$/s, '$1')

test.each([
  ['**42**', '<p><strong>42</strong></p>'],
  ['`a < b`', '<p><code>a &lt; b</code></p>'],
  ['~~no~~', '<p><del>no</del></p>'],
  ['- [x] done', '☑ done'],
  ['| a |\n| - |\n| 1 |', '<td>1</td>'],
  ['```ts\nlet x = 1\n```', '<code class="language-ts">let x = 1\n</code>'],
  [
    '[docs](https://example.com/a)',
    '<a href="https://example.com/a" target="_blank" rel="noreferrer nofollow">docs</a>',
  ],
  ['https://example.com', '<a href="https://example.com" target="_blank" rel="noreferrer nofollow">'],
])('%j is rendered as intended', (text, shown) => {
  expect(html(text)).toContain(shown)
})

test.each([
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['a <b>bold</b> word', 'a &lt;b&gt;bold&lt;/b&gt; word'],
  ['[look](javascript:alert(1))', '<p>look</p>'],
  ['[look](data:text/html,x)', '<p>look</p>'],
  ['[look](//example.com)', '<p>look</p>'],
  ['[look](/o/default/settings)', '<p>look</p>'],
  ['![alt](javascript:alert(1))', '<p>alt</p>'],
])('%j is harmless', (text, shown) => {
  expect(html(text)).toContain(shown)
  expect(html(text)).not.toMatch(/<(?:img|script|b)\b|href="(?!https?:)/)
})

test('an image is a link to its address, and is not loaded', () => {
  const shown = html('![a cat](https://example.com/cat.png)')
  expect(shown).toContain('<a href="https://example.com/cat.png" target="_blank" rel="noreferrer nofollow">a cat</a>')
  expect(shown).not.toContain('<img')
})

test.each([
  ['unclosed marks', '*['.repeat(2_000)],
  ['nested quotations', '> '.repeat(1_000)],
  ['nested lists', Array.from({ length: 30 }, (_, depth) => `${'- '.repeat(depth)}x`).join('\n')],
  ['brackets', '['.repeat(4_000)],
  ['a book', 'word '.repeat(11_000)],
])('%s are shown as text, since rendering them could take very long', (_, text) => {
  expect(isQuicklyDrawn(text)).toBe(false)
})

test('a long answer with headings, lists, a table and code is rendered', () => {
  const part = '## Part\n\n1. **One** of `a`\n   - two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nf(x)\n```\n\n'
  expect(isQuicklyDrawn(part.repeat(40))).toBe(true)
  expect(html(part.repeat(40))).toContain('<h2>Part</h2>')
})
