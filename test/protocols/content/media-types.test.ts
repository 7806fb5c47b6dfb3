/** The media types of attachments, as clients name them. Source: `docs/protocols.md`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, type World } from '../world.ts'

const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const data = Buffer.from('Some text').toString('base64')
const text = '/say read'
const a2a = (file: object) =>
  [
    `/a2a/${assistant}`,
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { parts: [{ text }, file] } } },
  ] as const
const agUi = (file: object) =>
  [
    `/ag-ui/${assistant}`,
    {
      threadId: crypto.randomUUID(),
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: [{ type: 'text', text }, file] }],
    },
  ] as const
const openai = (file: object) =>
  [
    '/openai/v1/chat/completions',
    {
      model: assistant,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'file', file },
          ],
        },
      ],
    },
  ] as const

async function send([path, body]: readonly [string, object]) {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { runId: answer.headers.get('x-troupe-run'), said: await answer.text() }
}

test.each([
  ['A2A', a2a({ raw: data, mediaType: 'text/plain; charset=utf-8' })],
  ['A2A: in capitals', a2a({ raw: data, mediaType: 'TEXT/PLAIN' })],
  ['AG-UI', agUi({ type: 'document', source: { type: 'data', value: data, mimeType: 'text/plain; charset=utf-8' } })],
  ['AG-UI: of its earlier versions', agUi({ type: 'binary', data, mimeType: 'text/plain;charset=utf-8' })],
  ['AG-UI: a data URL', agUi({ type: 'document', source: { type: 'data', value: `data:text/plain;base64,${data}` } })],
  ['OpenAI', openai({ file_data: `data:text/plain; charset="utf-8";base64,${data}`, filename: 'a.txt' })],
])('%s: may have parameters', async (_, asked) => {
  const { runId, said } = await send(asked)
  expect(said).toContain('read')
  const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', runId)
  expect(JSON.parse(stored!.body).contents).toMatchObject([{ type: 'file', mediaType: 'text/plain', data }])
})

const part = '/body/params/message/parts/1'
const content = '/body/messages/0/content/1'
test.each([
  ['A2A', a2a({ raw: data }), `${part}/mediaType`],
  ['A2A: no type and subtype', a2a({ raw: data, mediaType: 'text' }), `${part}/mediaType`],
  ['A2A: no text', a2a({ raw: data, mediaType: 5 }), `${part}/mediaType`],
  ['AG-UI', agUi({ type: 'image', source: { type: 'data', value: data } }), `${content}/source/mimeType`],
  ['AG-UI: of its earlier versions', agUi({ type: 'binary', data }), `${content}/mimeType`],
])('%s: without one an attachment is refused', async (_, asked, path) => {
  const { runId, said } = await send(asked)
  expect([runId, said]).toEqual([
    null,
    expect.stringContaining(`${path}: Must be the media type of the data, such as image/png.`),
  ])
})
