import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { assistant, environment, openWorld, users, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const mebibyte = 1024 * 1024
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string, 'latin1').toString('base64')
const png = '\x89PNG\r\n\x1a\nrest'
const image = (mediaType: string, data: string) => ({ type: 'image', mediaType, data })
const file = (mediaType: string, data: string) => ({ type: 'file', mediaType, filename: 'a.txt', data })
const text = (words: string) => ({ type: 'text', text: words })

const tooLarge = base64(`%PDF-${'x'.repeat(5 * mebibyte)}`)
const large = base64(`%PDF-${'x'.repeat(3.6 * mebibyte)}`)
const refusals: [string, number, string, object][] = [
  ['no agent', 422, 'validation_failed', { agentId: undefined, query: 'x' }],
  ['an agent of the wrong type', 422, 'validation_failed', { agentId: 7, query: 'x' }],
  ['an unknown agent', 404, 'not_found', { agentId: 'agt_system_nobody', query: 'x' }],
  ['a System Agent in an Environment', 422, 'validation_failed', { query: 'x', environmentId: environment }],
  ['an unknown field', 422, 'validation_failed', { query: 'x', colour: 'red' }],
  ['a query that is not a string', 422, 'validation_failed', { query: 1 }],
  ['neither query nor contents', 400, 'empty_input', {}],
  ['an empty query', 400, 'empty_input', { query: '' }],
  ['a blank query and no contents', 400, 'empty_input', { query: ' \n', contents: [] }],
  ['an unknown vendor', 422, 'validation_failed', { query: 'x', provider: 'acme' }],
  ['the sandbox as a provider', 422, 'validation_failed', { query: 'x', provider: 'sandbox' }],
  ['a vendor without a credential', 400, 'provider_unconfigured', { query: 'x', provider: 'openai' }],
  ['a model that the provider lacks', 400, 'invalid_model', { query: 'x', model: 'gpt-5.5' }],
  ['an excessive thinking budget', 422, 'validation_failed', { query: 'x', reasoningBudget: 100_001 }],
  ['an unknown level of the thinking budget', 422, 'validation_failed', { query: 'x', reasoningBudget: 'extreme' }],
  ['too many retries', 422, 'validation_failed', { query: 'x', maxRetries: 11 }],
  ['a fractional number of retries', 422, 'validation_failed', { query: 'x', maxRetries: 1.5 }],
  ['retries as a string', 422, 'validation_failed', { query: 'x', maxRetries: '1' }],
  ['a subject who is not a member', 400, 'invalid_subject', { query: 'x', subjectUserId: users.foreigner }],
  ['contents of an unknown kind', 422, 'validation_failed', { contents: [{ type: 'video', data: '' }] }],
  ['contents with an unknown field', 422, 'validation_failed', { contents: [{ type: 'text', text: 'x', size: 1 }] }],
  ['files in JSON', 422, 'validation_failed', { query: 'x', files: [] }],
  ['bad base64', 422, 'validation_failed', { contents: [image('image/png', 'not base64!')] }],
  ['base64 of a wrong length', 422, 'validation_failed', { contents: [image('image/png', 'abc')] }],
  ['an unsupported image', 400, 'unsupported_attachment', { contents: [image('image/bmp', base64('BM'))] }],
  ['a file that is an image', 400, 'unsupported_attachment', { contents: [file('image/png', base64(png))] }],
  ['an invalid image', 400, 'unsupported_attachment', { contents: [image('image/png', base64('GIF89a'))] }],
  ['an invalid PDF', 400, 'unsupported_attachment', { contents: [file('application/pdf', base64('hello'))] }],
  ['an archive', 400, 'unsupported_attachment', { contents: [file('application/zip', base64('PK'))] }],
  [
    "a type with the name of a property of Object's prototype",
    400,
    'unsupported_attachment',
    { contents: [file('constructor', base64('PK'))] },
  ],
  ['text outside of ASCII', 400, 'unsupported_attachment', { contents: [file('text/plain', base64('gr\xfc\xdfe'))] }],
  ['an empty file', 400, 'unsupported_attachment', { contents: [file('text/plain', '')] }],
  ['an attachment over 5 MiB', 400, 'attachment_too_large', { contents: [file('application/pdf', tooLarge)] }],
  [
    'attachments over 10 MiB together',
    400,
    'attachment_too_large',
    { contents: [large, large, large].map((data) => file('application/pdf', data)) },
  ],
  ['a text over 5 MiB', 400, 'attachment_too_large', { contents: [text('ü'.repeat(2.5 * mebibyte + 1))] }],
  [
    'texts and attachments over 10 MiB together',
    400,
    'attachment_too_large',
    { contents: [text('x'.repeat(4 * mebibyte)), ...[large, large].map((data) => file('application/pdf', data))] },
  ],
  ['blank texts alone', 400, 'empty_input', { query: ' ', contents: [text(' '), text('\n')] }],
]

describe('a start is refused', () => {
  test.each(refusals)('with %s: %i %s', async (_what, status, code, body) => {
    const answer = await world.owner.post(path, { agentId: assistant, ...body })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test.each([
    [{ model: 'gpt-5.5' }, 'sandbox has no model "gpt-5.5"; its only model is sandbox.'],
    [{ provider: 'openai' }, 'The organization has no active credential for openai: store one (POST …/provider-cred'],
  ])('with %p, and says what there is', async (asked, message) => {
    const { body } = await world.owner.post(path, { agentId: assistant, query: 'x', ...asked })
    expect(body.error.message).toStartWith(message)
  })

  test('with malformed JSON: 400', async () => {
    const answer = await world.owner.call('POST', path, '{"agentId":', {
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'malformed_request'])
  })

  test('with another content type: 400', async () => {
    const answer = await world.owner.call('POST', path, 'agentId=x', { headers: { 'content-type': 'text/plain' } })
    expect(answer.status).toBe(400)
  })

  test('with a JSON body over 15 MiB: 413', async () => {
    const answer = await world.owner.post(path, { agentId: assistant, query: 'x'.repeat(15 * mebibyte) })
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large'])
  })

  test.each([
    ['text outside of ASCII', 'a.txt', Buffer.from('grüße'), 'unsupported_attachment'],
    ['an archive', 'a.zip', Buffer.from('PK'), 'unsupported_attachment'],
    ['a vector image', 'a.svg', Buffer.from('<svg/>'), 'unsupported_attachment'],
    ['an invalid image', 'a.png', Buffer.from('hello'), 'unsupported_attachment'],
    ['bytes of an unknown kind', 'a', Buffer.from([0, 255, 1]), 'unsupported_attachment'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'unsupported_attachment'],
    ['a file over 5 MiB', 'a.txt', Buffer.alloc(5 * mebibyte + 1, 'x'), 'attachment_too_large'],
  ] as [string, string, Buffer, string][])('with a form that holds %s: 400', async (_what, name, bytes, code) => {
    const form = new FormData()
    form.set('agentId', assistant)
    form.append('files', new File([new Uint8Array(bytes)], name))
    const answer = await world.owner.call('POST', path, form)
    expect([answer.status, answer.body.error.code]).toEqual([400, code])
  })

  test('with a form that holds text in place of a file: 422, which says what a file is', async () => {
    const form = new FormData()
    form.set('agentId', assistant)
    form.set('files', 'hello')
    const { status, body } = await world.owner.call('POST', path, form)
    const issues = [{ path: '/body/files', message: 'Must be a file: a part of the form with a filename.' }]
    expect([status, body.error.details]).toEqual([422, { issues }])
  })

  test('with text outside of ASCII, which belongs into the query: 400', async () => {
    const contents = [file('text/plain', base64('gr\xfc\xdfe'))]
    const { body } = await world.owner.post(path, { agentId: assistant, contents })
    expect(body.error.message).toBe('The attachment 1 is not ASCII text; put other text into the query.')
  })

  test.each([
    ['an unknown field', { colour: 'red' }, 422],
    ['contents', { contents: '[]' }, 422],
    ['retries that are not a number', { maxRetries: 'many' }, 422],
    ['limits that are not JSON', { query: 'x', limits: 'none' }, 422],
    ['limits that are a list', { query: 'x', limits: '[]' }, 422],
    ['truncated limits', { query: 'x', limits: '{"maxTokens":' }, 422],
    ['limits with an unknown field', { query: 'x', limits: '{"maxSteps":1}' }, 422],
    ['limits with a repeated field', { query: 'x', limits: '{"maxTokens":1,"maxTokens":2}' }, 400],
    ['limits that are too long', { query: 'x', limits: `{"maxTokens":1${' '.repeat(20_000)}}` }, 422],
    ['nothing to do', {}, 400],
  ] as [string, Record<string, string>, number][])('with a form that holds %s', async (_what, fields, status) => {
    const form = new FormData()
    form.set('agentId', assistant)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    expect((await world.owner.call('POST', path, form)).status).toBe(status)
  })

  test('without a credential, with an unknown one, without the permission', async () => {
    const body = { agentId: assistant, query: 'x' }
    expect((await world.stranger.post(path, { nonsense: 1 })).status).toBe(401)
    expect((await world.stranger.post(path, body, { key: 'nobody' })).status).toBe(401)
    const { status, body: answer } = await world.powerless.post(path, body)
    expect([status, answer.error.details]).toEqual([403, { permission: 'agent-runs:create' }])
  })

  test('for a subject without an API key: 400, without the permission: 403', async () => {
    const body = { agentId: assistant, query: 'x', subjectUserId: users.colleague }
    expect((await world.session.post(path, body)).body.error.code).toBe('invalid_subject')
    const { status, body: answer } = await world.impersonal.post(path, body)
    expect([status, answer.error.details]).toEqual([403, { permission: 'agent-runs:personalize' }])
  })

  test('by a key that is bound to a Project: a System Agent is outside', async () => {
    const bound = await world.bound.post(path, { agentId: assistant, query: 'x' })
    const unknown = await world.bound.post(path, { agentId: 'agt_system_nobody', query: 'x' })
    expect(bound.status).toBe(404)
    expect({ ...bound.body.error, requestId: '' }).toEqual({ ...unknown.body.error, requestId: '' })
  })
})
