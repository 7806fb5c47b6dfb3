/** The events of a run in the history of its Environment. Source: contract 7, "Who emits what". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createRunMachine, defaultRunLimits } from '../../../machines/run.ts'
import { runKind } from '../../../src/runs/actor.ts'
import { type RunRecord, runAddress } from '../../../src/runs/record.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { newId } from '../../../storage/ids.ts'
import { admission } from '../../machines/run/runs.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { openWorld, type Place, type World } from './feed-world.ts'

let world: World
let actors: Actors
const clock = new HandClock()
const nobody = {
  offerToRunners() {},
  signalWorker() {},
  releaseMachine() {},
  async lookForDecisions() {},
  withdrawApprovals() {},
  breakOffCalls() {},
  startNextInput() {},
}
beforeAll(async () => {
  world = await openWorld()
  actors = new Actors({ store: world.store, clock, kinds: [runKind(createRunMachine(), nobody)] })
  await actors.start()
})
afterAll(async () => {
  await actors?.stop()
  await world?.store.close()
})

const digest = `sha256:${'0'.repeat(64)}`

/** A new run; without a place if it is outside of Environments. */
async function start(place: Place | undefined): Promise<string> {
  const id = newId('run')
  const row = {
    id,
    organization_id: place?.organizationId ?? newId('org'),
    project_id: place?.projectId ?? null,
    environment_id: place?.environmentId ?? null,
    deployment_id: null,
    agent_id: 'agt_1',
    agent_revision_id: 'agr_1',
    agent_job_id: null,
    created_by_type: 'user' as const,
    created_by_id: 'usr_1',
    subject_user_id: null,
    binding: '{}',
    input_digest: digest,
    output_digest: null,
    runtime_version: '1',
    retention_expires_at: 0,
    created_at: clock.now(),
  }
  const input = { query: 'Hunter2', contents: [] }
  await actors.create<RunRecord>(
    runAddress(id),
    { input: { maxRetries: 2, at: clock.now() }, seed: { row, input }, named: 'start', facts: admission },
    { by: { type: 'user', id: 'usr_1' } },
  )
  return id
}

const fenced = { fencingToken: 7 }
const final = { ...fenced, reportDigest: digest }
const failure = { code: 'provider_error', message: 'Hunter2.' }
const pending = [{ kind: 'tool', toolName: 'ask', toolCallId: 'call', input: 'Hunter2' }]
/** The possible events of a run, each as one word. */
const events: Record<string, { type: string; [field: string]: unknown }[]> = {
  run: [
    { type: 'leaseRequested', attemptId: 'att_1', machine: 'm' },
    { type: 'leased', attemptId: 'att_1', ...fenced },
    { type: 'booted', ...fenced },
  ],
  lose: [{ type: 'attemptLost', ...fenced, cause: failure }],
  complete: [{ type: 'completed', ...final, stopReason: 'end_turn' }],
  fail: [{ type: 'failed', ...final, cause: failure }],
  ask: [{ type: 'toolResultNeeded', ...final, awaiting: pending }],
  delegate: [{ type: 'delegateResultNeeded', ...final, awaiting: [{ ...pending[0], kind: 'delegate' }] }],
  delegated: [{ type: 'delegateResult', toolCallId: 'call', result: 'Hunter2' }],
  continue: [{ type: 'continue', ...admission, input: { query: 'Hunter2', contents: [] }, answered: ['call'] }],
  cancel: [{ type: 'cancel' }],
  stopped: [{ type: 'reported', ...final }],
}

const eventsOf = async (place: Place) => (await world.read(place, 100)).events

const rows: [string, string[]][] = [
  ['', ['created']],
  ['run', ['created', 'started']],
  ['run complete', ['created', 'started', 'completed']],
  ['run fail', ['created', 'started', 'failed']],
  ['run lose', ['created', 'started']],
  ['run lose run complete', ['created', 'started', 'completed']],
  ['run lose run lose run lose', ['created', 'started', 'failed']],
  ['cancel', ['created', 'canceled']],
  ['cancel cancel', ['created', 'canceled']],
  ['run cancel', ['created', 'started']],
  ['run cancel cancel stopped', ['created', 'started', 'canceled']],
  ['run ask', ['created', 'started']],
  ['run ask continue', ['created', 'started']],
  ['run ask continue run', ['created', 'started', 'started']],
  ['run ask continue run lose run complete', ['created', 'started', 'started', 'completed']],
  ['run delegate delegated run complete', ['created', 'started', 'completed']],
  ['run complete continue', ['created', 'started', 'completed']],
  ['run complete continue run fail', ['created', 'started', 'completed', 'started', 'failed']],
  ['run complete continue cancel', ['created', 'started', 'completed', 'canceled']],
  ['cancel continue run complete', ['created', 'canceled', 'started', 'completed']],
]

for (const forgetful of [false, true]) {
  test.each(rows)(
    `"%s"${forgetful ? ', by a server that has to look everything up' : ''}: %j`,
    async (story, kinds) => {
      const place = await world.plant()
      const id = await start(place)
      for (const word of story.split(' ').filter(Boolean)) {
        for (const event of events[word] ?? []) {
          if (forgetful) actors.forget(runAddress(id))
          await actors.send(runAddress(id), event, { by: { type: 'runner', id: 'm' } })
        }
      }
      expect((await eventsOf(place)).map(({ type }): string => type)).toEqual(kinds.map((kind) => `run.${kind}`))
    },
  )
}

test('a run that no runner takes expires', async () => {
  const place = await world.plant()
  await start(place)
  clock.advance(defaultRunLimits.queueTtlMs)
  await eventually('the end of the run', async () => (await eventsOf(place)).length === 2)
  expect((await eventsOf(place)).map(({ type, actor }) => [type, actor.type])).toEqual([
    ['run.created', 'user'],
    ['run.expired', 'system'],
  ])
})

test('an event names the actor, the resource and the states, and contains no input or output of the Agent', async () => {
  const place = await world.plant()
  const id = await start(place)
  for (const word of ['run', 'ask', 'continue', 'run', 'fail']) {
    for (const event of events[word] ?? []) {
      await actors.send(runAddress(id), event, { by: { type: 'runner', id: 'm' } })
    }
  }
  const history = await eventsOf(place)
  const data = { agentRunId: id, agentId: 'agt_1', agentRevisionId: 'agr_1', deploymentId: null }
  expect(history.map((event) => event.data)).toEqual([
    { ...data, from: null, to: 'queued' },
    { ...data, from: 'starting', to: 'running' },
    { ...data, from: 'starting', to: 'running' },
    { ...data, from: 'running', to: 'failed' },
  ])
  for (const event of history) expect(event).toMatchObject({ ...place, subject: { type: 'agentRun', id } })
  expect(history.map(({ actor }) => actor)).toEqual([
    { type: 'user', id: 'usr_1' },
    ...Array.from({ length: 3 }, () => ({ type: 'runner' as const, id: 'm' })),
  ])
  expect(JSON.stringify(history)).not.toContain('Hunter2')
})

test('a run outside of Environments has no events', async () => {
  const count = async () =>
    (await world.store.first<{ n: number }>({ sql: 'select count(*) as n from environment_events', parameters: [] }))?.n
  const before = await count()
  const id = await start(undefined)
  for (const event of [...(events.run ?? []), ...(events.complete ?? [])]) await actors.send(runAddress(id), event)
  expect(await count()).toBe(before)
})
