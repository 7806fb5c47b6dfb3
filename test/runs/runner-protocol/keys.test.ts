/** API keys that report for another user's attempt. Source: contract 5, "Decided since". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/client.ts'
import { getRun } from '../../support/run-records.ts'
import { completed, conversation, type HeldAttempt, textDelta } from '../../support/simulated-runner.ts'
import { signIn } from '../../tenancy/sessions/browser.ts'
import { openWorld, type World } from './support/held-attempts.ts'

let world: World
let running: World['running']
beforeAll(async () => {
  world = await openWorld()
  running = world.running
})
afterAll(() => world?.stop())

const beats = 'agent-runs:attempts:heartbeat'
const steps = 'agent-runs:steps:create'
const checkpoints = 'agent-runs:steps:checkpoints:create'
const completes = 'agent-runs:attempts:complete'

/** A key with these operations. */
async function keyOf(operations: string[], more: object = {}) {
  const { status, body } = await world.client.post('/api/v1/api-keys', { name: 'reporter', operations, ...more })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { id: body.data.id ?? body.data.apiKey?.id, secret: body.data.secret as string }
}
const calling = (attempt: HeldAttempt, key: string, token = attempt.token) => {
  const options = { key, headers: { 'x-troupe-attempt': token } }
  return (method: string, path: string, body: unknown = {}): ReturnType<Client['call']> =>
    world.client.call(method, attempt.path + path, body, options)
}

/** One of every report that a key may send, with its permission. */
const reports: [string, string, (stepId: number) => [string, string, unknown], number][] = [
  ['boot', beats, () => ['POST', '/boot', {}], 200],
  ['heartbeat', beats, () => ['POST', '/heartbeat', { lastStepSequence: 0 }], 200],
  ['start of a step', steps, () => ['POST', '/steps', { kind: 'tool', name: 'clock' }], 201],
  ['events', steps, (id) => ['POST', '/events', { events: [textDelta(id, 'Hi')] }], 200],
  ['checkpoint', checkpoints, (id) => ['POST', `/steps/${id}/checkpoints`, checkpoint], 201],
  ['end of a step', steps, (id) => ['PATCH', `/steps/${id}`, { status: 'completed', output: 'Hi' }], 200],
  ['completion', completes, () => ['POST', '/complete', completed('Hi')], 200],
]
const checkpoint = { kind: 'step', runtimeCheckpoint: conversation([{ role: 'user', content: 'Hello' }]) }

test('keys report a whole attempt, each with its own permission', async () => {
  const attempt = await running('Hello')
  const keys = new Map<string, string>()
  for (const permission of [beats, steps, checkpoints, completes]) {
    keys.set(permission, (await keyOf([permission])).secret)
  }
  const stepId = await attempt.begin({ kind: 'model', name: 'sandbox' })
  for (const [what, permission, report, status] of reports) {
    for (const [other, key] of keys) {
      if (other === permission) continue
      const refused = await calling(attempt, key)(...report(stepId))
      expect({ what, other, status: refused.status, error: refused.body.error }).toMatchObject({
        status: 403,
        error: { code: 'permission_denied', details: { permission } },
      })
    }
    const taken = await calling(attempt, keys.get(permission)!)(...report(stepId))
    expect({ what, status: taken.status }).toEqual({ what, status })
  }
  expect(await getRun(world.client, attempt.runId)).toMatchObject({ state: 'completed' })
})

describe('refused without an effect:', () => {
  let attempt: HeldAttempt
  let all: string
  beforeAll(async () => {
    attempt = await running('Wait')
    all = (await keyOf(['agent-runs:*'])).secret
  })
  const expectRefused = async (
    call: ReturnType<typeof calling>,
    status: number,
    code: string,
    [method, path, body]: [string, string, unknown] = ['POST', '/complete', completed('No')],
  ) => {
    const reply = await call(method, path, body)
    expect([reply.status, reply.body.error.code]).toEqual([status, code])
    expect((await getRun(world.client, attempt.runId)).state).toBe('running')
  }

  test('an invalid key: 401', () => expectRefused(calling(attempt, `trp_${'x'.repeat(49)}`), 401, 'invalid_api_key'))

  test('a revoked key: 401', async () => {
    const key = await keyOf(['agent-runs:*'])
    expect((await world.client.post(`/api/v1/api-keys/${key.id}/revoke`)).status).toBe(200)
    await expectRefused(calling(attempt, key.secret), 401, 'invalid_api_key')
  })

  test('a session: 401', async () => {
    const { cookie, csrfToken } = await signIn(world)
    const headers = { cookie, 'x-csrf-token': csrfToken, 'x-troupe-attempt': attempt.token }
    await expectRefused(
      (method, path, body) => api(world.url).call(method, attempt.path + path, body, { headers }),
      401,
      'unauthenticated',
    )
  })

  test('an unknown attempt token: 401', () =>
    expectRefused(calling(attempt, all, 'nonsense'), 401, 'invalid_attempt_token'))

  test('a key without a token: 401', async () => {
    const { status, body } = await world.client.call('POST', `${attempt.path}/complete`, completed('No'), { key: all })
    expect([status, body.error.code]).toEqual([401, 'invalid_attempt_token'])
  })

  test('the token of another attempt: 404', async () => {
    const other = await running('Other')
    await expectRefused(calling(attempt, all, other.token), 404, 'not_found')
    expect((await other.complete(completed('Done'))).status).toBe(200)
  })

  test('a run outside the scope of the key: 404, also with an invalid body', async () => {
    const project = await world.client.post('/api/v1/projects', { slug: 'apart', name: 'Apart' })
    expect(project.status).toBe(201)
    const { secret } = await keyOf(['agent-runs:*'], { projectId: project.body.data.id })
    await expectRefused(calling(attempt, secret), 404, 'not_found')
    await expectRefused(calling(attempt, secret), 404, 'not_found', ['POST', '/complete', { outcome: 7 }])
  })

  test('calls of models and operations, which only an attempt token may make: 401', async () => {
    await expectRefused(calling(attempt, all), 401, 'invalid_attempt_token', ['POST', '/model/stream', {}])
    await expectRefused(calling(attempt, all), 401, 'invalid_attempt_token', ['POST', '/operations', {}])
  })

  test('an invalid report of the attempt: 422, and a stale attempt 409', async () => {
    await expectRefused(calling(attempt, all), 422, 'validation_failed', ['POST', '/complete', { outcome: 'maybe' }])
    const over = await running('Over')
    expect((await over.complete(completed('Done'))).status).toBe(200)
    const late = await calling(over, all)('POST', '/heartbeat', { lastStepSequence: 0 })
    expect([late.status, late.body.error.code]).toEqual([409, 'stale_attempt'])
  })
})

test('the token of an attempt requires no key', async () => {
  const attempt = await running('Hello')
  const { status } = await api(world.url).call(
    'POST',
    `${attempt.path}/heartbeat`,
    { lastStepSequence: 0 },
    { key: attempt.token },
  )
  expect(status).toBe(200)
})
