/** A conversation has a limit, which a message, a fork and unread turns meet before they cost anything. Source: contract 5. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { endAll, Site } from '../../support/process.ts'
import { lease } from '../../support/simulated-runner.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'

const path = '/api/v1/agent-runs'
const mebibyte = 1024 * 1024
const text = (bytes: number) => ({ type: 'text', text: `${' '.repeat(bytes - 1)}.` })
const small = { agentId: 'agt_system_assistant', query: '/say small' }
/** A message of more than half the limit. */
const large = {
  agentId: 'agt_system_assistant',
  query: `${' '.repeat(4.2 * mebibyte)}\n/say large`,
  contents: [text(5 * mebibyte), text(5 * mebibyte)],
}

describe('after a large message', () => {
  let troupe: Troupe
  let runId: string
  beforeAll(async () => {
    troupe = await openTroupe()
    const { id, state } = (await send(large)).body.data
    expect(state).toBe('completed')
    runId = id
  })
  afterAll(() => troupe?.stop())

  const send = (message: object) =>
    troupe.owner.post(path, { threadKey: 'large', ...message }, { query: { waitSeconds: 60 } })
  const fork = (request: object) => troupe.owner.post(`${path}/${runId}/fork`, request)

  test('another one is refused, and so is a fork with it', async () => {
    const { checkpoint } = (await troupe.owner.get(`${path}/${runId}/checkpoints/latest`)).body.data
    const { query, contents } = large
    for (const refused of [send(large), fork({ checkpointId: checkpoint.checkpointId, query, contents })]) {
      const { status, body } = await refused
      expect([status, body.error.code]).toEqual([422, 'limit_exceeded'])
      expect(body.error.message).toContain('28 MiB')
    }
    expect((await troupe.owner.get(`${path}/${runId}`)).body.data).toMatchObject({ state: 'completed', turn: 1 })
  })

  test('a small one, and a fork before it, go on', async () => {
    expect((await send(small)).body.data).toMatchObject({ id: runId, state: 'completed', turn: 2 })
    expect((await fork({ query: small.query })).status).toBe(200)
  })

  test('a query has at most 5 MiB', async () => {
    const { status, body } = await troupe.owner.post(path, { ...small, query: 'é'.repeat(2.5 * mebibyte + 1) })
    expect([status, body.error.code, body.error.details]).toEqual([
      422,
      'validation_failed',
      { issues: [{ path: '/body/query', message: expect.stringContaining('5 MiB') }] },
    ])
  })
})

describe('turns that no attempt has read', () => {
  let site: Site
  beforeAll(async () => {
    site = await Site.create({ TROUPE_RUNNER: 'none' })
  })
  afterAll(async () => {
    await endAll()
    await site?.remove()
  })

  test('are read up to the limit', async () => {
    const { client } = await site.start()
    for (const message of [large, large, large]) {
      const { id } = (await client.post(path, { ...message, threadKey: 'unread' })).body.data
      expect((await client.post(`${path}/${id}/cancel`)).body.data.state).toBe('canceled')
    }
    expect((await client.post(path, { ...small, threadKey: 'unread' })).body.data.turn).toBe(4)
    const { assignment } = await lease(client, site.runnerToken)
    expect(assignment.input.query).toBe(small.query)
    expect(assignment.resume?.messages).toHaveLength(2)
  })
})
