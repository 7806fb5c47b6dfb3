/**
 * Weeks of a server with all retentions, killed within each of them: what has expired is gone from every table, what has
 * not is whole, and all counts are those of the rows. Source: contract 9, "Decided since"; 2, "Deletion".
 */

import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { populationsOf } from '../../support/fleet.ts'
import { overdueAt } from '../../support/overdue.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { openFile, traces } from '../../tenancy/deletions/rows.ts'
import { openWeek, type Week, type World, weekMs, wordOf } from './world.ts'

const [minute, day] = [60_000, 86_400_000]
const count = 2

let folder: string
let world: World | undefined
let database: Database
const clock = new HandClock()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-weeks-'))
})
afterAll(async () => {
  database?.close()
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A week in a process that is killed once its hours pass. */
async function liveThrough(week: number): Promise<Week> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'week.ts'), folder, String(week)], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, TMPDIR: folder },
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  // at a different moment in each week
  await Bun.sleep(30 + 150 * week)
  child.kill('SIGKILL')
  await child.exited
  return JSON.parse(text)
}

const get = <Data>(path: string, at = world as World) => data<Data>(at.owner.get(path))
/** Everything of a run that its readers get, and the proof of its journal. */
const wholeRun = async (id: string) => {
  const run = `/api/v1/agent-runs/${id}`
  const paths = [run, `${run}/steps`, `${run}/checkpoints`, `/api/v1/actors/run/${id}/verify`]
  return Promise.all(paths.map((path) => get(path)))
}
const rows = <Row>(sql: string) => database.query<Row, []>(sql).all()
const number = (sql: string) => rows<{ n: number }>(sql)[0]?.n

/** Lets maintenance run until nothing is overdue. */
const sweptUp = () =>
  eventually('the end of all removals', async () => {
    clock.advance(minute)
    // the effect that ended a deletion is removed after it
    const open = number(
      "select (select count(*) from deletions where state <> 'deleted') + (select count(*) from effects) as n",
    )
    return open === 0 && Object.values(await overdueAt(world?.url ?? '')).every((seconds) => seconds === 0)
  })

/** Rows that belong to something that is gone. */
const orphans = {
  runs: `select count(*) as n from (
    select run_id from run_inputs union all select run_id from run_events union all select run_id from agent_steps
    union all select run_id from checkpoints union all select run_id from call_results)
    where run_id not in (select id from runs)`,
  journals: `select count(*) as n from transitions where kind = 'run' and actor_id not in (select id from runs)
    or kind = 'delivery' and actor_id not in (select id from deliveries)
    or kind = 'workflow-run' and actor_id not in (select id from workflow_runs)
    or kind = 'operation-invocation' and actor_id not in (select id from operation_invocations)`,
}

/** Of runs without long texts, which are in pieces. */
const storedBytes = `select
  (select coalesce(sum(octet_length(body)), 0) from run_inputs)
  + (select coalesce(sum(octet_length(frames)), 0) from run_events)
  + (select coalesce(sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0)
      + coalesce(octet_length(error), 0)), 0) from agent_steps)
  + (select coalesce(sum(octet_length(messages) + octet_length(remainder)), 0) from checkpoints)
  + (select coalesce(sum(octet_length(outcome)), 0) from call_results) as n`

function expectConsistent() {
  const { found, counted } = populationsOf(database)
  expect(counted).toEqual(found)
  for (const sql of Object.values(orphans)) expect(number(sql)).toBe(0)
}

test('what expires is removed everywhere, and nothing else', async () => {
  const weeks: Week[] = []
  for (let week = 0; week < count; week += 1) weeks.push(await liveThrough(week))
  const [first, last] = weeks as [Week, Week]
  clock.step((count - 1) * weekMs + 2 * day)
  world = await openWeek(folder, clock)
  database = openFile(world.file)
  const kept = [...last.ended, first.waiting, last.waiting]
  const before = await Promise.all(kept.map(wholeRun))
  for (const [, , , proof] of before) expect(proof).toMatchObject({ valid: true })
  await sweptUp()

  // the calls of entities are kept for a month
  expect(traces(database, [wordOf(0)])).toEqual({ 'entity_calls.output': 2 })
  const { 'audit_events.resource_id': _, ...doomed } = traces(
    database,
    weeks.flatMap(({ doomed }) => doomed),
  )
  expect(doomed).toEqual({
    'deletions.id': 2,
    'deletions.project_id': 2,
    'transitions.actor_id': expect.any(Number) as unknown as number,
    'usage_shares.project_id': 2,
  })
  expect(await Promise.all(kept.map(wholeRun))).toEqual(before)
  for (const { path, invocation, workflowRun } of weeks) {
    const status = path === last.path ? 200 : 404
    for (const part of [`operation-invocations/${invocation}`, `workflows/${workflowRun}`])
      expect((await world.owner.get(`${path}/${part}`)).status).toBe(status)
  }
  for (const id of first.ended) expect((await world.owner.get(`/api/v1/agent-runs/${id}`)).status).toBe(404)
  expectConsistent()

  // ten days without maintenance
  const startedAt = Date.parse((before[0] as [{ createdAt: string }])[0].createdAt)
  clock.step(10 * day)
  const lateness = (days: number) => (clock.now() - startedAt - days * day) / 1_000
  expect(await overdueAt(world.url)).toMatchObject({
    'content of runs': lateness(3),
    deliveries: lateness(4),
    'operation invocations': lateness(5),
    'workflow runs': lateness(5),
    'ended runs': lateness(6),
  })
  await sweptUp()
  expect(traces(database, [wordOf(1)])).toEqual({ 'entity_calls.output': 2 })
  expectConsistent()
  const { limits } = await get<{ limits: Record<'storedBytes' | 'liveRuns', { used: number }> }>(
    `/api/v1/organizations/${world.ours}/billing/usage`,
  )
  expect([limits.liveRuns.used, limits.storedBytes.used]).toEqual([2, number(storedBytes) as number])
})
