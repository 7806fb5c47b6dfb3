import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, agentNotDeployed } from '../../../src/platform/http/answers/errors.ts'
import { planting, raw } from '../../events/history/feed-world.ts'
import { assistant, callers, environment, openWorld, organizations, project, users, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

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
  test('returns 200 with a queued run of fixed identity', async () => {
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
      threadKey: null,
      queuedInputs: [],
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

  test("keeps the request's model settings", async () => {
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

  test('is in the journal and the stream', async () => {
    const runId = await world.start()
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    expect(body.data.items).toMatchObject([
      { sequence: 1, from: null, to: 'queued', actor: callers.owner.principal, attempt: 0, reason: null },
    ])
  })

  test.each(Object.entries(samples))('accepts %s inline', async (mediaType, sample) => {
    const item = mediaType.startsWith('image/') ? image(mediaType, base64(sample)) : file(mediaType, base64(sample))
    expect((await world.owner.post(path, { agentId: assistant, contents: [item] })).status).toBe(200)
  })

  test.each(Object.entries(samples))('accepts %s as a file of a form', async (mediaType, sample) => {
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

  test('is possible with a session', async () => {
    const { status, body } = await world.session.post(path, { agentId: assistant, query: 'Hello' })
    expect([status, body.data.createdBy]).toEqual([200, { type: 'user', id: users.owner }])
  })

  test('accepts a member as its subject', async () => {
    const { status, body } = await world.owner.post(path, {
      agentId: assistant,
      query: 'Hello',
      subjectUserId: users.colleague,
    })
    expect([status, body.data.subjectUserId]).toEqual([200, users.colleague])
  })
})

describe('a start on another server', () => {
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
        reserve: () => {
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
            throw agentNotDeployed()
          },
        }),
      },
      {},
      409,
      'agent_not_deployed',
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
      const place = { organizationId: organizations.ours, projectId: project, environmentId: environment }
      const [, ...parts] = planting(place)
      await other.store.commit([...parts, raw(`update environments set active_deployment_id = 'dep_1'`)])
      const { body } = await other.bound.post(path, { agentId: 'agt_1', environmentId: environment, query: 'x' })
      expect(body.data).toMatchObject({ projectId: project, environmentId: environment, deploymentId: 'dep_1' })
      expect((await other.bound.get(`${path}/${body.data.id}`)).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})
