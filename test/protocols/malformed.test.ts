/** Requests that no client of these protocols sends: each is refused with its fault, and none fails in the server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, type World } from './world.ts'

const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

/** An object that cannot be converted to a text. */
const untextual = { toString: 1, valueOf: 1 }

const a2a = (method: string, params: object) =>
  [`/a2a/${assistant}`, { jsonrpc: '2.0', id: 1, method, params }] as const
const agUi = (content: unknown) =>
  [`/ag-ui/${assistant}`, { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content }] }] as const
const chat = (more: object, content: unknown = 'Hi') =>
  ['/openai/v1/chat/completions', { model: assistant, messages: [{ role: 'user', content }], ...more }] as const
const responses = (...input: object[]) => ['/openai/v1/responses', { model: assistant, input }] as const

const image = 'data:image/png;base64,'
const file = { raw: '@@@', mediaType: 'image/png' }
const part = '/body/params/message/parts/0'
const rows: [string, readonly [string, object], number, string][] = [
  ['A2A: a part that is null', a2a('SendMessage', { message: { parts: [null] } }), 200, part],
  ['A2A: a part that is a number', a2a('SendStreamingMessage', { message: { parts: [5] } }), 200, part],
  ['A2A: a task without an id', a2a('GetTask', { id: untextual }), 200, 'There is no such task.'],
  [
    'A2A: an answer to a task without an id',
    a2a('SendMessage', { message: { parts: [{ text: 'Yes' }], taskId: untextual } }),
    200,
    'There is no such task.',
  ],
  ['AG-UI: a part that is null', agUi([null]), 422, '/body/messages/0/content/0'],
  [
    'OpenAI: a data URL with thousands of parameters',
    chat({}, [{ type: 'image_url', image_url: { url: `data:image/png${';a=b'.repeat(1_000)};base64,AAAA` } }]),
    400,
    'Must be a data URL',
  ],
  [
    'OpenAI: an image that is not base64',
    chat({}, [{ type: 'image_url', image_url: { url: `${image}@@@` } }]),
    400,
    '/body/messages/0/content/0/image_url/url: Must be base64.',
  ],
  [
    'AI SDK: an image that is not base64',
    [
      `/ai-sdk/chat/${assistant}`,
      { id: 'a', messages: [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: `${image}@@@` }] }] },
    ],
    422,
    '/body/messages/0/parts/0/url: Must be base64.',
  ],
  ['A2A: a file that is not base64', a2a('SendMessage', { message: { parts: [file] } }), 200, `${part}/raw`],
  [
    'OpenAI: metadata that is too large',
    chat({ metadata: { note: 'x'.repeat(20_000) } }),
    400,
    '/body/metadata: Must have at most 16 KiB as JSON.',
  ],
  [
    'AG-UI: a context that is too large',
    [agUi('Hi')[0], { ...agUi('Hi')[1], forwardedProps: { context: { note: 'x'.repeat(20_000) } } }],
    422,
    '/body/forwardedProps/context: Must have at most 16 KiB as JSON.',
  ],
  ['OpenAI: a part without a type', chat({}, [{ type: untextual }]), 400, 'A part without a type is not taken.'],
  ['OpenAI: an item without a type', responses({ type: untextual }), 400, 'An item without a type is not taken.'],
  [
    'OpenAI: a part of a response without a type',
    responses({ role: 'user', content: [{ type: untextual }] }),
    400,
    'A part without a type is not taken.',
  ],
  ...['__proto__', '__defineGetter__', 'constructor', 'hasOwnProperty', 'toString'].map(
    (name): [string, readonly [string, object], number, string] => [
      `OpenAI: the parameter ${name}`,
      chat(Object.fromEntries([[name, 5]])),
      400,
      `An Agent does not take \`${name}\`.`,
    ],
  ),
]

test.each(rows)('%s', async (_, [path, body], status, fault) => {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect([answer.status, text]).toEqual([status, expect.stringContaining(fault)])
})
