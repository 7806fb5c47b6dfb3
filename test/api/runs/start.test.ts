import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, conflict } from '../../../src/http/errors.ts'
import { assistant, callers, environment, openWorld, organizations, project, users, type World } from './world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const mebibyte = 1024 * 1024
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string, 'latin1').toString('base64')
const png = '\x89PNG\r\n\x1a\nrest'
const samples = {
  'image/png': png,
  'image/jpeg': '\xff\xd8\xff\xe0rest',
  'image/gif': 'GIF89arest',
  'image/webp': 'RIFF1234WEBPrest',
  'application/pdf': '%PDF-1.7\nrest',
  'text/plain': 'plain text',
}
const image = (mediaType: string, data: string) => ({ type: 'image', mediaType, data })
const file = (mediaType: string, data: string) => ({ type: 'file', mediaType, filename: 'a.txt', data })

describe('a start', () => {
  test('answers 200 with a queued run whose identity is fixed', async () => {
    const { status, body } = await world.owner.post(path, { agentId: assistant, query: 'Hello' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      organizationId: organizations.ours,
      projectId: null,
      environmentId: null,
      agentId: assistant,
      createdBy: callers.owner.principal,
      state: 'queued',
      attempt: 0,
      runtimeVersion: '9.8.7',
      subjectUserId: null,
      outputDigest: null,
      startedAt: null,
      endedAt: null,
    })
    expect(body.data.id).toStartWith('run_')
    expect(body.data.agentRevisionId).toStartWith('agr_')
    expect(Date.parse(body.data.contentRetention.expiresAt) - Date.parse(body.data.createdAt)).toBe(30 * 86_400_000)
    expect((await world.owner.get(`${path}/${body.data.id}`)).body).toEqual(body)
  })

  test('has the digest of the canonical input', async () => {
    const digest = (text: string) => `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`
    const plain = await world.owner.post(path, { agentId: assistant, query: 'Grüße "€"\n' })
    expect(plain.body.data.inputDigest).toBe(digest('{"contents":[],"query":"Grüße \\"€\\"\\n"}'))
    const rich = await world.owner.post(path, { agentId: assistant, contents: [{ type: 'text', text: 'Hello' }] })
    expect(rich.body.data.inputDigest).toBe(digest('{"contents":[{"text":"Hello","type":"text"}],"query":null}'))
  })

  test('keeps what the request says about the model', async () => {
    const runId = await world.start({ model: 'sandbox', reasoningBudget: 'high', maxRetries: 0 })
    const actor = await world.actors.read<{ row: { binding: string } }>({ kind: 'run', id: runId })
    expect(JSON.parse(actor?.row.row.binding ?? '')).toEqual({
      provider: 'sandbox',
      model: 'sandbox',
      reasoningBudget: 'high',
      credential: 'platform',
    })
    expect(actor?.context).toMatchObject({ maxRetries: 0, retriesLeft: 0 })
  })

  test('is told in the journal and the stream', async () => {
    const runId = await world.start()
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    expect(body.data.items).toMatchObject([
      { sequence: 1, from: null, to: 'queued', actor: callers.owner.principal, attempt: 0, reason: null },
    ])
  })

  test.each(Object.entries(samples))('takes %s inline', async (mediaType, sample) => {
    const item = mediaType.startsWith('image/') ? image(mediaType, base64(sample)) : file(mediaType, base64(sample))
    expect((await world.owner.post(path, { agentId: assistant, contents: [item] })).status).toBe(200)
  })

  test.each(Object.entries(samples))('takes %s as a file of a form', async (mediaType, sample) => {
    const form = new FormData()
    form.set('agentId', assistant)
    form.set('maxRetries', '3')
    form.set('reasoningBudget', '100')
    const bytes = Buffer.from(sample, 'latin1')
    form.append('files', new File([bytes], `one.${mediaType.split('/')[1]?.replace('plain', 'txt')}`))
    form.append('files', new File([bytes], 'two'))
    const { status, body } = await world.owner.call('POST', path, form)
    expect(status).toBe(200)
    const input = await world.store.first<{ body: string }>({
      sql: 'select body from run_inputs where run_id = ?',
      parameters: [body.data.id],
    })
    const data = bytes.toString('base64')
    const part = (filename: string) =>
      mediaType.startsWith('image/') ? image(mediaType, data) : { ...file(mediaType, data), filename }
    expect(JSON.parse(input?.body ?? '')).toEqual({
      query: null,
      contents: [part(`one.${mediaType.split('/')[1]?.replace('plain', 'txt')}`), part('two')],
    })
  })

  test('takes a session', async () => {
    const { status, body } = await world.session.post(path, { agentId: assistant, query: 'Hello' })
    expect([status, body.data.createdBy]).toEqual([200, { type: 'user', id: users.owner }])
  })

  test('takes a subject that is a member', async () => {
    const { status, body } = await world.owner.post(path, {
      agentId: assistant,
      query: 'Hello',
      subjectUserId: users.colleague,
    })
    expect([status, body.data.subjectUserId]).toEqual([200, users.colleague])
  })
})

const tooLarge = base64(`%PDF-${'x'.repeat(5 * mebibyte)}`)
const large = base64(`%PDF-${'x'.repeat(3.6 * mebibyte)}`)
const refusals: [string, number, string, object][] = [
  ['no agent', 422, 'validation_failed', { agentId: undefined, query: 'x' }],
  ['an agent of the wrong type', 422, 'validation_failed', { agentId: 7, query: 'x' }],
  ['an unknown agent', 404, 'not_found', { agentId: 'agt_system_nobody', query: 'x' }],
  ['a System Agent in an Environment', 422, 'validation_failed', { query: 'x', environmentId: environment }],
  ['an unknown field', 422, 'validation_failed', { query: 'x', colour: 'red' }],
  ['a query that is no text', 422, 'validation_failed', { query: 1 }],
  ['neither query nor contents', 400, 'empty_input', {}],
  ['an empty query', 400, 'empty_input', { query: '' }],
  ['a blank query and no contents', 400, 'empty_input', { query: ' \n', contents: [] }],
  ['an unknown vendor', 422, 'validation_failed', { query: 'x', provider: 'acme' }],
  ['the sandbox as a provider', 422, 'validation_failed', { query: 'x', provider: 'sandbox' }],
  ['a vendor without a credential', 400, 'provider_unconfigured', { query: 'x', provider: 'openai' }],
  ['a model that the provider lacks', 400, 'invalid_model', { query: 'x', model: 'gpt-5.5' }],
  ['a budget beyond bounds', 422, 'validation_failed', { query: 'x', reasoningBudget: 100_001 }],
  ['a budget of no level', 422, 'validation_failed', { query: 'x', reasoningBudget: 'extreme' }],
  ['too many retries', 422, 'validation_failed', { query: 'x', maxRetries: 11 }],
  ['half a retry', 422, 'validation_failed', { query: 'x', maxRetries: 1.5 }],
  ['retries as text', 422, 'validation_failed', { query: 'x', maxRetries: '1' }],
  ['a subject that is no member', 400, 'invalid_subject', { query: 'x', subjectUserId: users.foreigner }],
  ['contents of an unknown kind', 422, 'validation_failed', { contents: [{ type: 'video', data: '' }] }],
  ['contents with an unknown field', 422, 'validation_failed', { contents: [{ type: 'text', text: 'x', size: 1 }] }],
  ['files in JSON', 422, 'validation_failed', { query: 'x', files: [] }],
  ['bad base64', 422, 'validation_failed', { contents: [image('image/png', 'not base64!')] }],
  ['base64 of a wrong length', 422, 'validation_failed', { contents: [image('image/png', 'abc')] }],
  ['an unsupported image', 400, 'unsupported_attachment', { contents: [image('image/bmp', base64('BM'))] }],
  ['a file that is an image', 400, 'unsupported_attachment', { contents: [file('image/png', base64(png))] }],
  ['an image that is none', 400, 'unsupported_attachment', { contents: [image('image/png', base64('GIF89a'))] }],
  ['a PDF that is none', 400, 'unsupported_attachment', { contents: [file('application/pdf', base64('hello'))] }],
  ['an archive', 400, 'unsupported_attachment', { contents: [file('application/zip', base64('PK'))] }],
  [
    'a type named like a property of objects',
    400,
    'unsupported_attachment',
    { contents: [file('constructor', base64('PK'))] },
  ],
  ['text beyond ASCII', 400, 'unsupported_attachment', { contents: [file('text/plain', base64('gr\xfc\xdfe'))] }],
  ['an empty file', 400, 'unsupported_attachment', { contents: [file('text/plain', '')] }],
  ['an attachment over 5 MiB', 400, 'attachment_too_large', { contents: [file('application/pdf', tooLarge)] }],
  [
    'attachments over 10 MiB together',
    400,
    'attachment_too_large',
    { contents: [large, large, large].map((data) => file('application/pdf', data)) },
  ],
]

describe('a start is refused', () => {
  test.each(refusals)('with %s: %i %s', async (_what, status, code, body) => {
    const answer = await world.owner.post(path, { agentId: assistant, ...body })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
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
    ['text beyond ASCII', 'a.txt', Buffer.from('grüße'), 'unsupported_attachment'],
    ['an archive', 'a.zip', Buffer.from('PK'), 'unsupported_attachment'],
    ['a vector image', 'a.svg', Buffer.from('<svg/>'), 'unsupported_attachment'],
    ['an image that is none', 'a.png', Buffer.from('hello'), 'unsupported_attachment'],
    ['bytes of no known kind', 'a', Buffer.from([0, 255, 1]), 'unsupported_attachment'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'unsupported_attachment'],
    ['a file over 5 MiB', 'a.txt', Buffer.alloc(5 * mebibyte + 1, 'x'), 'attachment_too_large'],
  ] as [string, string, Buffer, string][])('with a form that holds %s: 400', async (_what, name, bytes, code) => {
    const form = new FormData()
    form.set('agentId', assistant)
    form.append('files', new File([new Uint8Array(bytes)], name))
    const answer = await world.owner.call('POST', path, form)
    expect([answer.status, answer.body.error.code]).toEqual([400, code])
  })

  test.each([
    ['an unknown field', { colour: 'red' }, 422],
    ['contents', { contents: '[]' }, 422],
    ['retries that are no number', { maxRetries: 'many' }, 422],
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

describe('a start in another deployment', () => {
  const budgetError = new ApiError(402, 'budget_exhausted', 'The budget is used up.')

  test.each([
    ['without a platform default: 400', { platform: null }, {}, 400, 'provider_unconfigured'],
    [
      'without a platform default, with a credential: 200',
      { platform: null, credentials: ['openai'] },
      { provider: 'openai' },
      200,
      undefined,
    ],
    [
      "with a credential, another vendor's model: 400",
      { credentials: ['openai'] },
      { provider: 'openai', model: 'claude-x' },
      400,
      'invalid_model',
    ],
    [
      'without budget: 402',
      {
        assertBudget: () => {
          throw budgetError
        },
      },
      {},
      402,
      'budget_exhausted',
    ],
    [
      'of an agent that is not deployed: 409',
      {
        agents: () => ({
          resolve: () => {
            throw conflict('not deployed')
          },
        }),
      },
      {},
      409,
      'invalid_transition',
    ],
  ] as const)('%s', async (_what, options, body, status, code) => {
    const other = await openWorld(options as never)
    try {
      const answer = await other.owner.post(path, { agentId: assistant, query: 'x', ...body })
      expect([answer.status, answer.body.error?.code]).toEqual([status, code])
    } finally {
      await other.close()
    }
  })

  test('of a Project Agent pins its Project, Environment and Deployment', async () => {
    const other = await openWorld({
      agents: () => ({
        resolve: (_caller, agentId, environmentId = '') => ({
          agentId,
          agentRevisionId: 'agr_1',
          name: 'Agent',
          content: { instructions: 'Help.', model: { reasoningBudget: 'low' } },
          projectId: project,
          environmentId,
          deploymentId: 'dep_1',
        }),
      }),
    })
    try {
      const { body } = await other.bound.post(path, { agentId: 'agt_1', environmentId: environment, query: 'x' })
      expect(body.data).toMatchObject({ projectId: project, environmentId: environment, deploymentId: 'dep_1' })
      expect((await other.bound.get(`${path}/${body.data.id}`)).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})
