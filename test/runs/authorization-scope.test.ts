import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const unknownRun = 'run_01h455vb4pex5vsknk084sn02q'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe("another organization's run, one outside the key's scope and an unknown one are the same 404", () => {
  test.each([
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/continue', { query: 'x' }],
    ['POST', '/delegate-results', { toolCallId: 'x', result: 1 }],
    ['GET', '/transitions'],
    ['GET', '/steps'],
    ['GET', '/steps/1'],
    ['GET', '/steps/1/checkpoints/1'],
    ['GET', '/checkpoints'],
    ['GET', '/checkpoints/latest'],
    ['GET', '/stream'],
  ] as [string, string, object | undefined][])('%s %s', async (method, below, ...[body]) => {
    const runId = await world.startIn('completed')
    const answers = [
      await world.foreigner.call(method, `${path}/${runId}${below}`, body),
      await world.bound.call(method, `${path}/${runId}${below}`, body),
      await world.owner.call(method, `${path}/${unknownRun}${below}`, body),
      await world.owner.call(method, `${path}/run_x${below}`, body),
    ]
    const texts = answers.map(({ status, body: answer }) =>
      JSON.stringify([status, { ...answer.error, requestId: '' }]),
    )
    expect(new Set(texts).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
  })

  test.each([
    ['GET', '', 'agent-runs:get'],
    ['POST', '/cancel', 'agent-runs:cancel'],
    ['POST', '/delegate-results', 'agent-runs:update'],
    ['GET', '/transitions', 'agent-runs:get'],
    ['GET', '/steps', 'agent-runs:steps:list'],
    ['GET', '/steps/1', 'agent-runs:steps:get'],
    ['GET', '/steps/1/checkpoints/1', 'agent-runs:steps:checkpoints:get'],
    ['GET', '/checkpoints', 'agent-runs:checkpoints:list'],
    ['GET', '/checkpoints/latest', 'agent-runs:steps:checkpoints:get'],
    ['GET', '/stream', 'agent-runs:stream'],
  ])('without the permission %s %s is 403 %s', async (method, below, permission) => {
    const { status, body } = await world.powerless.call(method, `${path}/${await world.start()}${below}`)
    expect([status, body.error.details]).toEqual([403, { permission }])
  })
})
