/** Refusals of the runner protocol: credentials, foreign attempts and steps, bodies. Source: contract 5, contract 0. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import type { Client, Reply } from '../../support/client.ts'
import { endAll, Site } from '../../support/process.ts'
import { expectWhole, start, stepsOf } from '../../support/run-records.ts'
import {
  askForWork,
  completed,
  conversation,
  type HeldAttempt,
  lease,
  textDelta,
} from '../../support/simulated-runner.ts'
import { invalidReports } from './support/invalid-reports.ts'

let site: Site
let client: Client
/** Two running attempts, each with a step. */
let ours: HeldAttempt
let theirs: HeldAttempt
let ourStep: number
let theirStep: number
beforeAll(async () => {
  site = await Site.create({ TROUPE_RUNNER: 'none' })
  client = (await site.start()).client
  const running = async () => {
    await start(client, '/say hi')
    const attempt = await lease(client, site.runnerToken)
    await attempt.boot()
    return attempt
  }
  ours = await running()
  theirs = await running()
  ourStep = await ours.begin({ kind: 'model', name: 'sandbox' })
  theirStep = await theirs.begin({ kind: 'model', name: 'sandbox' })
})
afterAll(async () => {
  await endAll()
  await site?.remove()
})

const codeOf = ({ status, body }: Reply) => ({ status, code: body?.error?.code })
const unauthorized = { status: 401, code: 'invalid_attempt_token' }

/** Runs the calls, and checks that they have not changed the run. */
async function withoutEffect(attempt: HeldAttempt, work: () => Promise<void>) {
  const look = async () => [
    await stepsOf(client, attempt.runId),
    (await expectWhole(client, attempt.runId)).transitions,
  ]
  const before = await look()
  await work()
  expect(await look()).toEqual(before)
}

describe('credentials', () => {
  test('work requires the registration token', async () => {
    for (const token of [null, 'wrong-token-of-a-runner', `${site.runnerToken}x`, site.key, ours.token, '']) {
      const body = { machineId: 'm', waitSeconds: 0 }
      expect(codeOf(await client.post('/api/v1/runner/leases', body, { key: token }))).toEqual(unauthorized)
    }
    const headers = { authorization: site.runnerToken }
    const bare = await client.post('/api/v1/runner/leases', { machineId: 'm', waitSeconds: 0 }, { key: null, headers })
    expect(codeOf(bare)).toEqual(unauthorized)
  })
  test('an unauthenticated caller gets 401, whatever the body', async () => {
    expect(codeOf(await client.post('/api/v1/runner/leases', { nonsense: true }, { key: null }))).toEqual(unauthorized)
    expect(codeOf(await ours.call('POST', '/complete', { nonsense: true }, { key: null }))).toEqual(unauthorized)
  })

  const claims = () => JSON.parse(Buffer.from(ours.token.split('.')[1] as string, 'base64url').toString())
  const signed = (payload: object, key: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) =>
    new SignJWT(payload as never).setProtectedHeader({ alg: 'HS256', typ: 'attempt+jwt' }).sign(key)
  const unsigned = (payload: object) =>
    `${[{ alg: 'none', typ: 'attempt+jwt' }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
  const forgeries: Record<string, () => Promise<string> | string> = {
    'signed with another key': () => signed(claims()),
    'signed with the registration token': () => signed(claims(), Buffer.from(site.runnerToken)),
    'not signed': () => unsigned(claims()),
    'with another fencing token': () => {
      const [header, , signature] = ours.token.split('.')
      const changed = { ...claims(), fencingToken: claims().fencingToken + 1 }
      return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
    },
    'with a broken signature': () => `${ours.token.slice(0, -4)}AAAA`,
    'that is an API key': () => site.key,
    'that is the registration token': () => site.runnerToken,
    'that is nonsense': () => 'a.b.c',
  }
  test.each(Object.keys(forgeries))('an attempt token %s is refused by every call', async (name) => {
    const token = await (forgeries[name] as () => Promise<string> | string)()
    const real = ours.token
    await withoutEffect(ours, async () => {
      ours.token = token
      try {
        for (const [call, report] of Object.entries(ours.everyCall(ourStep))) {
          expect({ call, ...codeOf(await report()) }).toEqual({ call, ...unauthorized })
        }
      } finally {
        ours.token = real
      }
    })
  })
  test('an attempt token of another run gets 404', async () => {
    const real = ours.token
    await withoutEffect(ours, async () => {
      ours.token = theirs.token
      try {
        for (const [call, report] of Object.entries(ours.everyCall(ourStep))) {
          expect({ call, ...codeOf(await report()) }).toEqual({ call, status: 404, code: 'not_found' })
        }
      } finally {
        ours.token = real
      }
    })
  })
  test('an attempt token of another run gets 404, whatever is wrong with the report', async () => {
    const paths: [string, string][] = [
      ['POST', '/boot'],
      ['POST', '/heartbeat'],
      ['POST', '/events'],
      ['POST', '/operations'],
      ['POST', '/steps'],
      ['POST', '/complete'],
      ['PATCH', `/steps/${ourStep}`],
      ['POST', `/steps/${ourStep}/checkpoints`],
    ]
    await withoutEffect(ours, async () => {
      for (const [method, path] of paths) {
        for (const at of [path, `${path}?unknown=1`]) {
          const foreign = await ours.call(method, at, { noSuchField: 1 }, { key: theirs.token })
          expect({ at, ...codeOf(foreign) }).toEqual({ at, status: 404, code: 'not_found' })
          expect({ at, status: (await ours.call(method, at, { noSuchField: 1 })).status }).toEqual({ at, status: 422 })
        }
      }
    })
  })
  test('an attempt token opens nothing else', async () => {
    for (const path of ['/api/v1/agent-runs', `/api/v1/agent-runs/${ours.runId}`]) {
      expect((await client.get(path, { key: ours.token })).status).toBe(401)
    }
  })
  test('an API key reports nothing', async () => {
    expect(codeOf(await ours.call('POST', '/heartbeat', { lastStepSequence: 0 }, { key: site.key }))).toEqual(
      unauthorized,
    )
  })
})

describe('steps', () => {
  const unknown = 4_000_000
  test.each([
    ['of another run', () => theirStep],
    ['that do not exist', () => unknown],
  ])('%s are 404', async (_, step) => {
    const missing = { status: 404, code: 'not_found' }
    await withoutEffect(theirs, async () => {
      expect(codeOf(await ours.endStep(step(), { status: 'completed' }))).toEqual(missing)
      expect(codeOf(await ours.checkpoint(step(), conversation([])))).toEqual(missing)
      expect(codeOf(await ours.call('PATCH', `/steps/${step()}`, { noSuchField: 1 }))).toEqual(missing)
    })
  })
  test.each([
    ['of another run', () => theirStep],
    ['that do not exist', () => unknown],
  ])('%s accept neither steps below them nor text', async (_, step) => {
    await withoutEffect(ours, async () => {
      const below = await ours.startStep({ kind: 'tool', name: 'echo', parentAgentStepId: step() })
      expect({ ...codeOf(below), issues: below.body.error.details.issues }).toEqual({
        status: 422,
        code: 'validation_failed',
        issues: [{ path: '/body/parentAgentStepId', message: expect.any(String) }],
      })
      const text = await ours.report([textDelta(ourStep, 'fine'), textDelta(step(), 'not fine')])
      expect({ ...codeOf(text), issues: text.body.error.details.issues }).toEqual({
        status: 422,
        code: 'validation_failed',
        issues: [{ path: '/body/events/1/agentStepId', message: expect.any(String) }],
      })
    })
  })
  test('cannot be further roots of the attempt, and can be nested', async () => {
    const [root] = await stepsOf(client, ours.runId)
    const orphan = await ours.startStep({ kind: 'agent', name: 'second root', parentAgentStepId: null })
    expect(orphan.body.data.parentAgentStepId).toBe(root.agentStepId)
    const below = await ours.startStep({ kind: 'tool', name: 'echo', parentAgentStepId: orphan.body.data.agentStepId })
    expect(below.body.data.parentAgentStepId).toBe(orphan.body.data.agentStepId)
  })
})

describe('invalid bodies are reported with their paths, and change nothing', () => {
  test.each(invalidReports)('%s %s %s', async (method, path, _, body, place) => {
    await withoutEffect(ours, async () => {
      const reply = await ours.call(method, path.replace(':step', String(ourStep)), body)
      expect(codeOf(reply)).toEqual({ status: 422, code: 'validation_failed' })
      expect(reply.body.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(place)
    })
  })
  const requests: [string, object][] = [
    ['without a machine', { waitSeconds: 0 }],
    ['of a machine without a name', { machineId: '', waitSeconds: 0 }],
    ['of a machine with a space', { machineId: 'a b', waitSeconds: 0 }],
    ['that waits too long', { machineId: 'm', waitSeconds: 26 }],
    ['with a negative wait', { machineId: 'm', waitSeconds: -1 }],
    ['without slots', { machineId: 'm', waitSeconds: 0, slots: 0 }],
    ['for too many slots', { machineId: 'm', waitSeconds: 0, slots: 5000 }],
  ]
  test.each(requests)('a request for work %s', async (_, body) => {
    const reply = await client.post('/api/v1/runner/leases', body, { key: site.runnerToken })
    expect(codeOf(reply)).toEqual({ status: 422, code: 'validation_failed' })
  })
  const mebibyte = 1024 * 1024
  test.each([
    ['PATCH', '/steps/:step', { status: 'completed' }, 8],
    ['POST', '/complete', { outcome: 'completed', stopReason: 'end_turn' }, 8],
    ['POST', '/steps', { kind: 'tool', name: 'x' }, 1],
  ])('%s %s: an excess is 413', async (method, path, report, mebibytes) => {
    await withoutEffect(ours, async () => {
      const kept = method === 'POST' && path === '/steps' ? 'input' : 'output'
      const body = { ...report, [kept]: 'x'.repeat(mebibytes * mebibyte) }
      const reply = await ours.call(method, path.replace(':step', String(ourStep)), body)
      expect(codeOf(reply)).toEqual({ status: 413, code: 'payload_too_large' })
    })
  })
  test('a value just below the limit is stored', async () => {
    const step = await theirs.begin({ kind: 'tool', name: 'x', input: 'x'.repeat(mebibyte - 1_000) })
    const reply = await theirs.endStep(step, { status: 'completed', output: 'x'.repeat(8 * mebibyte - 1_000) })
    expect(reply.status).toBe(200)
    expect(reply.body.data.output).toHaveLength(8 * mebibyte - 1_000)
  })
  test('broken JSON is malformed', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(codeOf(await ours.call('POST', '/complete', '{"outcome":', { headers }))).toEqual({
      status: 400,
      code: 'malformed_request',
    })
  })
})

test('after all these the attempts still work', async () => {
  expect((await askForWork(client, site.runnerToken, { waitSeconds: 0 })).status).toBe(204)
  for (const attempt of [ours, theirs]) {
    expect((await attempt.beat()).status).toBe(200)
    expect((await attempt.complete(completed('fine'))).body.data).toMatchObject({ state: 'completed', attempt: 1 })
    await expectWhole(client, attempt.runId)
  }
})
