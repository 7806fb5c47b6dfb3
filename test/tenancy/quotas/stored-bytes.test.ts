/** The stored bytes of an organization's runs: counted with the runs, limited by the plan, and reduced by removals. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

const storedBytes = 200_000
const kilobyte = 'x'.repeat(1_024)
const day = 86_400_000

/** The stored bytes of runs, summed by the database. */
const summedUp = `select
  (select coalesce(sum(octet_length(body)), 0) from run_inputs)
  + (select coalesce(sum(octet_length(frames)), 0) from run_events)
  + (select coalesce(sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0)
      + coalesce(octet_length(error), 0)), 0) from agent_steps)
  + (select coalesce(sum(octet_length(messages) + octet_length(remainder)), 0) from checkpoints)
  + (select coalesce(sum(octet_length(outcome)), 0) from call_results) as bytes`

let folder: string
let world: World
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-stored-'))
  world = await openWorld({ storedBytes }, { folder, environment: { TROUPE_RUNNER: 'embedded' } })
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

const used = async () => (await world.limits()).storedBytes!.used
const stored = () => world.rows<{ bytes: number }>(summedUp)[0]!.bytes
const run = async (query: string) => world.ended(await world.startedRun(query))

const indexesOf0035 = `select name from sqlite_schema where type = 'index' and (name like 'runs\\_of\\_%' escape '\\'
  or name like 'workflow\\_runs\\_of\\_actor%' escape '\\' or name like 'operation\\_approvals\\_by\\_agent%' escape '\\'
  or name in ('runs_by_agent', 'invitations_by_inviter', 'operation_invocations_of_run', 'operation_invocations_by_operation_and_state',
    'operation_invocations_by_agent', 'operation_invocations_by_agent_and_state',
    'operation_invocations_by_agent_and_operation', 'operation_invocations_by_all'))`

const partsOf0038 = `select type, name, tbl_name as tableName from sqlite_schema where name like '%\\_to\\_place' escape '\\'
  or name like '%\\_in\\_place' escape '\\' or name like '%\\_leave\\_place' escape '\\' or name like '%\\_forget\\_places' escape '\\'
  or name like '%\\_by\\_time\\_in\\_state' escape '\\'`

/** Turns the store into one of a program that did not count. */
function asBefore() {
  const database = new Database(join(folder, 'troupe.db'))
  for (const by of ['', '_by_state', '_by_agent', '_by_agent_and_state'])
    database.run(`drop index workflow_runs_first_of_actor${by}`)
  const ofWorkflowRuns = ['of_call', 'of_calls_live', 'by_job', 'live_of_job']
  for (const index of ofWorkflowRuns) database.run(`drop index workflow_runs_${index}`)
  for (const column of ['run_chain', 'tool_call_id', 'agent_run_id', 'agent_job_id'])
    database.run(`alter table workflow_runs drop column ${column}`)
  for (const column of ['params', 'workflow']) database.run(`alter table agent_jobs drop column ${column}`)
  database.run('drop index workflow_runs_of_step')
  for (const column of ['parent_run_id', 'parent_step_id', 'parent_attempt', 'depth']) {
    database.run(`alter table workflow_runs drop column ${column}`)
  }
  for (const table of ['workflow_waits', 'workflow_events', 'bulk_action_marks', 'bulk_action_pieces', 'bulk_actions'])
    database.run(`drop table ${table}`)
  database.run('drop index runs_by_source')
  for (const column of ['forked_from', 'forked_at_checkpoint']) database.run(`alter table runs drop column ${column}`)
  for (const table of ['alert_incidents', 'alert_rules']) database.run(`drop table ${table}`)
  for (const columns of ['operation', 'operation_and_status', 'agent_and_operation', 'all']) {
    database.run(`drop index operation_approvals_by_${columns}`)
  }
  database.run('alter table operation_approvals drop column operation')
  database.run('alter table transitions drop column earlier')
  const counted = new Set<string>()
  for (const part of database.query<{ type: string; name: string; tableName: string }, []>(partsOf0038).all()) {
    database.run(`drop ${part.type} ${part.name}`)
    if (/_come_to_place$/.test(part.name)) counted.add(part.tableName)
  }
  for (const table of ['waiting_runs', 'device_authorizations']) database.run(`drop table ${table}`)
  for (const index of [
    'operation_invocations_unresolved',
    'webhooks_in_trouble',
    'provider_credentials_ending',
    'connections_disabled',
  ])
    database.run(`drop index ${index}`)
  for (const table of ['cost_tallies', 'cost_shares', 'organization_run_limits']) database.run(`drop table ${table}`)
  database.run('alter table agent_steps drop column sequence')
  database.run('alter table agent_steps drop column cost')
  for (const table of counted) database.run(`alter table ${table} drop column state_since`)
  for (const table of ['actor_counts', 'state_stays']) database.run(`drop table ${table}`)
  database.run('drop table worker_calls')
  database.run('drop table workers')
  for (const table of ['applied_resources', 'apply_manifests', 'applies']) database.run(`drop table ${table}`)
  database.run('alter table effects drop column holder')
  database.run('drop table run_counts')
  database.run('drop index runs_uncounted')
  database.run('drop index runs_due')
  database.run("insert into timers select 'run', id, due_timer, due_at from runs where due_at is not null")
  for (const column of ['due_timer', 'due_at']) database.run(`alter table runs drop column ${column}`)
  database.run('alter table runs drop column progress_at')
  database.run('alter table runs drop column counted_bytes')
  // later migrations must be applied again
  database.run('drop table runner_tokens')
  database.run('drop table runner_pools')
  database.run('drop table text_pieces')
  database.run('drop table loose_texts')
  for (const way of ['come', 'go', 'are_removed']) database.run(`drop trigger entities_that_${way}`)
  database.run('drop table entity_counts')
  database.run('drop table readiness')
  database.run('drop table deployment_credentials')
  database.run('alter table deployments drop column credentials')
  database.run('drop table revoked_credential_versions')
  database.run('drop index provider_settings_of_credential')
  for (const table of ['webhook_failures', 'webhook_pauses', 'webhook_recoveries']) database.run(`drop table ${table}`)
  for (const columns of ['by_state', 'by_type', 'by_state_and_type', 'of_event']) {
    database.run(`drop index deliveries_${columns}`)
  }
  database.run('alter table webhooks drop column capture_responses')
  for (const column of ['runs_counted', 'counted_to', 'runs_removed', 'records_removed']) {
    database.run(`alter table deletions drop column ${column}`)
  }
  database.run('drop index runs_ended')
  database.run('drop table usage_shares')
  for (const column of ['period_end', 'told_percent']) database.run(`alter table usage_counters drop column ${column}`)
  database.run('alter table announcements drop column organization_id')
  for (const table of ['notice_mails', 'notices']) database.run(`drop table ${table}`)
  database.run('drop index managers_of_organization')
  for (const table of ['definitions', 'variables', 'connections', 'organization_variables'])
    database.run(`drop index ${table}_deleted`)
  for (const table of ['runs', 'deliveries', 'operation_invocations']) {
    for (const way of ['come', 'move', 'go']) database.run(`drop trigger ${table}_that_${way}`)
  }
  database.run('drop table state_counts')
  for (const index of database.query<{ name: string }, []>(indexesOf0035).all())
    database.run(`drop index ${index.name}`)
  database.run('create index runs_by_agent on runs (organization_id, agent_id, id)')
  database.run('create index data_keys_of_master_key on data_keys (master_key_id)')
  database.run('create index deployments_of_release on deployments (release_id)')
  database.run('create index workflow_runs_of_project on workflow_runs (project_id, id)')
  for (const column of ['digest', 'bytes']) database.run(`alter table run_inputs drop column artifact_${column}`)
  database.run('drop index runs_by_thread')
  for (const column of ['thread_key', 'query']) database.run(`alter table runs drop column ${column}`)
  for (const table of ['runs', 'workflow_runs', 'operation_invocations', 'environment_events', 'deliveries'])
    database.run(`alter table ${table} drop column trace`)
  database.run('drop table trace_spans')
  for (const table of ['run_threads', 'run_contexts', 'queued_inputs']) database.run(`drop table ${table}`)
  database.run(`delete from kysely_migration where name >= '0025'`)
  database.close()
}

test('inputs and outputs of runs are counted, to the byte once they have ended', async () => {
  expect(await used()).toBe(0)
  await run(`/say ${kilobyte}`)
  await run('/tokens 500')
  await run('/call clock {}')
  await run('/fail Out of order: ÄÖÜ')
  expect(await used()).toBe(stored())
  expect(await used()).toBeGreaterThan(2 * 1_024)
})

test('a continued run counts its additions', async () => {
  const { id } = await run('/say Hello')
  await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: `/say ${kilobyte}` }))
  await world.ended(id as string)
  expect(await used()).toBe(stored())
})

test('nothing starts beyond the limit, and started runs continue to their ends', async () => {
  const before = await used()
  const big = await world.start(`/say ${'y'.repeat(storedBytes)}`)
  expect(big).toMatchObject({
    status: 422,
    body: { error: { code: 'limit_exceeded', details: { name: 'storedBytes', limit: storedBytes } } },
  })
  expect(await used()).toBe(before)
  const { state } = await run(`/say ${'z'.repeat(storedBytes / 2)}`)
  expect(state).toBe('completed')
  expect(await used()).toBeGreaterThan(storedBytes)
  expect((await world.start()).status).toBe(422)
  expect((await world.start()).body.error.details.name).toBe('storedBytes')
})

test('the removal of content makes room', async () => {
  world.clock.advance(31 * day)
  await eventually('the end of content', async () => {
    world.clock.advance(600_000)
    return (await used()) === 0
  })
  await run('/say Hello')
  expect(await used()).toBeGreaterThan(0)
})

test('the removal of a Project makes room', async () => {
  const place = await world.served()
  const before = await used()
  await world.run(place, place.agentId, `/say ${kilobyte}`)
  expect(await used()).toBeGreaterThan(before + 1_024)
  await data(world.owner.delete(place.project))
  await eventually('the end of a Project', async () => {
    world.clock.advance(1_000)
    return (await world.owner.get(place.project)).status === 404
  })
  expect(await used()).toBe(before)
})

test('an earlier store is counted: live runs at once, sizes soon after the start', async () => {
  const kept = await used()
  await world.stop()
  asBefore()

  world = await openWorld({ storedBytes, liveRuns: 2 }, { folder, clock: world.clock })
  await eventually('the sizes of earlier runs', async () => {
    world.clock.advance(60_000)
    return (await used()) === kept
  })
  // the rest of runs without content is not counted
  const remains = stored() - kept
  await world.startedRun()
  await world.startedRun()
  await world.stop()
  asBefore()

  world = await openWorld({ storedBytes, liveRuns: 2 }, { folder, clock: world.clock })
  expect((await world.limits()).liveRuns).toEqual({ used: 2, limit: 2 })
  expect((await world.start()).body.error.details).toMatchObject({ name: 'liveRuns', limit: 2 })
  // runs that were live during the upgrade are counted completely once they have ended
  const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { states: 'queued' } })).body
  for (const { id } of agentRuns as { id: string }[]) await world.cancel(id)
  await eventually('the sizes of earlier runs', async () => {
    world.clock.advance(60_000)
    return (await used()) === stored() - remains
  })
  expect((await world.limits()).liveRuns!.used).toBe(0)
})
