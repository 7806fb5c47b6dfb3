import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { runsById } from '../../../storage/runs/run-lists.ts'
import { insertRun } from '../../../storage/runs/runs.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { insertProject } from '../../../storage/tenancy/projects.ts'
import { openWorld, organizations, project, type World } from '../world.ts'
import { EventReader } from './event-stream.ts'

const path = '/api/v1/agent-runs/changes'
let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.store.commit([
    insertProject(world.store, {
      id: project,
      organization_id: organizations.ours,
      slug: 'ours',
      name: 'Ours',
      template_id: null,
      status: 'active',
      created_at: 1,
      updated_at: 1,
    }),
  ])
})
afterAll(() => world?.close())
afterEach(() => {
  const left = world.runs.changes.statistics
  world.runs.changes.close()
  expect(left).toEqual({ readers: 0 })
})

const follow = async (query: Record<string, string> = {}) => {
  const answer = await world.owner.raw('GET', path, undefined, { query })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  return begun(answer)
}
/** A reader of later changes. */
async function begun(answer: Response) {
  const reader = new EventReader(answer)
  expect((await reader.take(1)).splice(0)).toMatchObject([
    { event: 'runs.changed', data: { agentRunIds: [], gap: true } },
  ])
  return reader
}
/** The next message, after the time in which changes are collected. */
const next = async (reader: EventReader) => {
  world.clock.advance(250)
  const known = reader.events.length
  return (await reader.take(known + 1))[known]
}

/** A run in a Project, as stored by an earlier process. */
async function inProject(runId: string) {
  const values = { organizationId: organizations.ours, ids: JSON.stringify([runId]) }
  const [row] = await world.store.all<RunRow>(runsById(world.store, values))
  const id = `${runId.slice(0, -4)}zzzz`
  await world.store.commit([insertRun(world.store, { ...(row as RunRow), id, project_id: project })])
  return id
}

test('readers learn which runs have changed, each once, without their contents', async () => {
  const reader = await follow()
  const runId = await world.start({ query: 'A secret' })
  const other = await world.start()
  await world.runner.begin(runId)
  const frame = await next(reader)
  expect(frame).toMatchObject({ event: 'runs.changed', data: { gap: false } })
  expect(frame?.data.agentRunIds.sort()).toEqual([runId, other].sort())
  expect(JSON.stringify(reader.events)).not.toContain('secret')

  // nothing has happened, and then something has
  await world.runner.complete(runId)
  expect((await next(reader))?.data).toEqual({ agentRunIds: [runId], gap: false })
  await reader.cancel()
})

test('streamed text does not count as a change, the end of a step does', async () => {
  const runId = await world.start()
  const root = await world.runner.begin(runId)
  const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
  const reader = await follow()
  await world.runner.deltas(runId, model, 'Hello')
  world.clock.advance(1_000)
  const ended = await world.start()
  expect((await next(reader))?.data.agentRunIds).toEqual([ended])
  await world.runner.complete(runId)
  expect((await next(reader))?.data.agentRunIds).toEqual([runId])
  await reader.cancel()
})

test.each([
  ['another Project', { projectId: 'prj_01h455vb4pex5vsknk084sn02q' }],
  ['another Agent', { agentId: 'agt_system_summarizer' }],
  ['another Environment', { environmentId: 'env_01h455vb4pex5vsknk084sn02q' }],
])('readers of %s are not notified', async (_, query) => {
  const [narrow, wide] = [await follow(query as never), await follow()]
  await world.start()
  await next(wide)
  expect(narrow.events).toEqual([])
  await narrow.cancel()
  await wide.cancel()
})

test('readers of another organization, and bound keys, get only their own changes', async () => {
  const bound = await begun(await world.bound.raw('GET', path))
  const foreign = await begun(await world.foreigner.raw('GET', path))
  const granted = await begun(await world.granted.raw('GET', path))
  const all = await follow()
  const runId = await world.start()
  await next(all)
  const there = await inProject(runId)
  await world.runner.lead(there, 'running')
  expect((await next(all))?.data.agentRunIds).toEqual([there])
  expect((await bound.take(1))[0]?.data.agentRunIds).toEqual([there])
  expect((await granted.take(1))[0]?.data.agentRunIds).toEqual([there])
  expect(foreign.events).toEqual([])
  for (const reader of [bound, foreign, granted, all]) await reader.cancel()
})

test('a slow reader is told once that it has missed changes', async () => {
  const reader = await follow()
  for (let count = 0; count <= 200; count += 1) await world.start()
  expect((await next(reader))?.data).toEqual({ agentRunIds: [], gap: true })
  const runId = await world.start()
  expect((await next(reader))?.data).toEqual({ agentRunIds: [runId], gap: false })
  await reader.cancel()
})

test('readers get a sign of life every five seconds, and leave no timer behind', async () => {
  const before = world.clock.waiting
  const reader = await follow()
  world.clock.advance(5_000)
  await reader.untilOther(': keep-alive')
  await world.start()
  await reader.cancel()
  expect(world.clock.waiting).toBe(before)
})

test('the streams end when the server stops', async () => {
  const reader = await follow()
  world.runs.changes.close()
  expect(await reader.all()).toEqual([])
})

test('without the permission it is 403', async () => {
  expect((await world.powerless.get(path)).status).toBe(403)
})
