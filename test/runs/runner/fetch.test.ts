/** The builtin tool `fetch`, in a run of the real server and alone. Source: contract 11, "fetch". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { markdownOf } from '../../../src/runs/runner/tools/markdown.ts'
import { openWorld, type World } from '../project/world.ts'

let world: World
let agentId: string
let place: Awaited<ReturnType<World['place']>>
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  const pin = await world.agent(place, { tools: [{ kind: 'builtin', name: 'fetch' }] })
  agentId = pin.agentId
  await world.serve(place, [pin])
})
afterAll(() => world?.stop())

const page = (html: string) => new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })

/** The result of the tool for a path of the service. */
async function fetched(path: string, answer: (path: string) => Response, more: object = {}) {
  world.shop.answer = (asked) => answer(asked.path)
  const input = { url: path.startsWith('http') ? path : world.shop.url + path, ...more }
  const run = await world.run(place, agentId, `/call fetch ${JSON.stringify(input)}\n/say Done`)
  expect(run.state).toBe('completed')
  return world.called(run.id)
}

test('a page is converted to Markdown', async () => {
  const { output } = await fetched('/shop/index.html', () =>
    page('<title>Shop &amp; more</title><h1>Lamps</h1><p>All <b>lamps</b>, see <a href="list?a=1">the list</a>.</p>'),
  )
  expect(output).toEqual({
    url: `${world.shop.url}/shop/index.html`,
    status: 200,
    title: 'Shop & more',
    text: `# Lamps\n\nAll **lamps**, see [the list](${world.shop.url}/shop/list?a=1).`,
  })
})

test('a text is returned as it is, up to the requested length', async () => {
  const { output } = await fetched('/a', () => Response.json({ a: 'b'.repeat(100) }), { maxCharacters: 5 })
  expect(output).toMatchObject({ text: '{"a":', truncated: true })
})

test('redirects are checked by the guard', async () => {
  const { output } = await fetched('/old', (path) =>
    path === '/old'
      ? Response.redirect('/new', 302)
      : new Response('Here', { headers: { 'content-type': 'text/plain' } }),
  )
  expect(output).toMatchObject({ url: `${world.shop.url}/new`, text: 'Here' })
  const { error } = await fetched('/out', () => Response.redirect('http://169.254.169.254/latest/meta-data', 302))
  expect(error?.message).toContain('not public')
})

test.each<[string, string, () => Response, string]>([
  ['an endless redirect', '/loop', () => Response.redirect('/loop', 302), 'more than 5 times'],
  ['an image', '/x.png', () => new Response('x', { headers: { 'content-type': 'image/png' } }), 'image/png'],
  ['an invalid address', 'https://', () => new Response(), 'could not be read'],
  ['a local file', 'http://[fd00:ec2::254]/', () => new Response(), 'could not be read'],
])('%s is an error that the model gets', async (_, path, answer, expected) => {
  expect((await fetched(path, answer)).error?.message).toContain(expected)
})

test('a page of any length is truncated', async () => {
  const { output } = await fetched('/long', () => page(`<p>${'word '.repeat(400_000)}</p>`))
  expect(output).toMatchObject({ truncated: true })
  expect((output as { text: string }).text).toHaveLength(20_000)
})

describe('Markdown', () => {
  test.each([
    ['<ul><li>a<li>b</ul>', '- a\n- b'],
    ['<pre>a\n  b</pre>', '```\na\n  b\n```'],
    ['<script>alert(1)</script><style>a{}</style>Text', 'Text'],
    ['<table><tr><td>a<td>b</table>', '| a | b'],
    ['a&lt;b&#33;&#x21;&nbsp;&unknown;', 'a<b!! &unknown;'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<img src=x alt="A cat">', '![A cat]'],
    ['', ''],
    [`<p>${'&lt;'.repeat(10_000)}`, '<'.repeat(10_000)],
    [`<pre>${' '.repeat(100_000)}x`, `\`\`\`\n${' '.repeat(100_000)}x`],
  ])('of %s', async (html, expected) => {
    expect((await markdownOf(html, 'https://example.com/')).text).toBe(expected)
  })
})
