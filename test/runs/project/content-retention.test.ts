/**
 * The content of runs of a Deployment, with the inputs and outputs of delegates and operations, on a server that is
 * restarted: removed after its retention. Source: requirement 2, "Agent Run": content retention; contract 9,
 * "Configuration".
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openFile, traces } from '../../tenancy/deletions/rows.ts'
import { openWorld, type World } from './world.ts'

const clock = new HandClock()
const [minute, day] = [60_000, 86_400_000]
/** A word in all content. */
const marker = 'Rumpelstilzchen'
const runs = '/api/v1/agent-runs'

let folder: string
let world: World
const open = () => openWorld({ clock, folder, environment: { TROUPE_CONTENT_RETENTION_DAYS: '1.5' } })
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-content-'))
  world = await open()
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

const marks = () => {
  const database = openFile(world.file)
  try {
    return Object.keys(traces(database, [marker])).sort()
  } finally {
    database.close()
  }
}
/** Maintenance runs every ten minutes. */
const inTime = (what: string, until: () => boolean) =>
  eventually(what, () => {
    clock.advance(10 * minute)
    return until()
  })
/** Calls of operations are separate records, with their own retention. */
const ofInvocations = ['operation_invocations.input', 'operation_invocations.output']

test('it is removed from every text of the store, also of runs that ended before a restart', async () => {
  const place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const echo = { kind: 'operation', name: 'echo', operation: 'shop.echo' }
  const researcher = await world.agent(place, { tools: [echo, ask] }, ['shop.echo'])
  const delegate = { name: 'researcher', description: 'Finds out.', agentId: researcher.agentId }
  const lead = await world.agent(place, { delegates: [delegate] })
  const definition = await world.operations(place, 'shop', [echoOperation('echo')])
  await world.connection(place, researcher.agentId)
  await world.serve(place, [lead, researcher], [definition])

  const handed = [`/call echo {"word": "${marker}"}`, `/call ask {"word": "${marker}"}`, `/say Found ${marker}`]
  const query = `/call researcher ${JSON.stringify({ query: handed.join('\n') })}\n/say ${marker}`
  const contents = [{ type: 'text', text: marker }]
  const { id, contentRetention } = await world.run(place, lead.agentId, query, { contents })
  expect(contentRetention).toEqual({ policy: 'standard', expiresAt: new Date(clock.now() + 1.5 * day).toISOString() })
  await data(world.owner.post(`${runs}/${id}/continue`, { query: JSON.stringify(marker) }))
  expect((await world.ended(id, ['completed', 'failed'])).state).toBe('completed')
  const failed = await world.run(place, lead.agentId, `/fail ${marker}`)
  expect(failed.state).toBe('failed')
  const waiting = await world.run(place, lead.agentId, query)
  expect(waiting.state).toBe('awaitingToolResult')
  const before = await world.steps(id)
  expect(before.filter(({ agent }) => agent.agentId === researcher.agentId).length).toBeGreaterThan(2)

  await world.stop()
  clock.advance(1.5 * day)
  world = await open()
  const ended = () => {
    const sql = 'select id from runs where content_removed_at is not null order by id'
    return world.rows<{ id: string }>(sql).map((row) => row.id)
  }
  await inTime('a removal', () => ended().length === 2)
  expect(ended()).toEqual([id, failed.id].sort())

  const shapeOf = ({ kind, name, status, agent, execution }: (typeof before)[number]) => ({
    ...{ kind, name, status, agent, execution },
  })
  const after = await world.steps(id)
  expect(after.map(shapeOf)).toEqual(before.map(shapeOf))
  for (const { input, output } of after) expect([input, output]).toEqual([null, null])
  for (const run of [id, failed.id]) {
    expect((await world.owner.get(`/api/v1/actors/run/${run}/verify`)).body.data).toMatchObject({ valid: true })
    const tried = await world.owner.post(`/api/v1/actors/run/${run}/preview`, { event: 'continue' })
    expect(tried.body.data.accepted).toBe(false)
    expect((await world.owner.post(`${runs}/${run}/continue`, { query: 'more' })).status).toBe(409)
  }
  expect((await world.owner.get(`${runs}/${waiting.id}/checkpoints/latest`)).status).toBe(200)

  await data(world.owner.post(`${runs}/${waiting.id}/cancel`))
  await inTime('the content of the run that has waited', () => ended().length === 3)
  expect(marks()).toEqual(ofInvocations)
  expect(world.lines).toEqual([])
})
