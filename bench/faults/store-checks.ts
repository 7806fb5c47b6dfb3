/** What holds for a store after all faults, as its API says. */
import type { Server } from '../server.ts'
import { metric, runsPath } from '../troupe.ts'
import type { Bank } from './bank.ts'
import { type Place, subscribed } from './place.ts'
import { askedPatiently } from './requests.ts'
import { allOf, type Ended, endedRun, problemOf } from './run-checks.ts'
import type { Acknowledged, Work } from './work.ts'

interface Run {
  id: string
  state: string
  agentJobId: string | null
  environmentId: string | null
}
interface Event {
  id: string
  sequence: number
  type: string
  subject: { id: string }
}
interface WorkflowRun {
  workflowRunId: string
  parentWorkflowRunId?: string | null
  state: string
}

const hasEnded = ({ state }: { state: string }) => ['completed', 'failed', 'canceled', 'expired'].includes(state)
/** A workflow whose charge was lost stays until somebody says what came of it. */
const isSettled = (run: WorkflowRun) => hasEnded(run) || run.state === 'unknown'

const listRuns = (server: Server) => allOf<Run>(server, runsPath, 'agentRuns')
const listWorkflows = (server: Server, { path }: Place) => allOf<WorkflowRun>(server, `${path}/workflows`)
const listEvents = (server: Server, { path }: Place) => allOf<Event>(server, `${path}/events`, 'events')

/** What has not ended, or not been delivered. */
export async function unsettled(server: Server, place: Place, bank: Bank): Promise<string[]> {
  const runs = (await listRuns(server)).filter((run) => !hasEnded(run))
  const workflows = (await listWorkflows(server, place)).filter((run) => !isSettled(run))
  const events = (await listEvents(server, place)).filter(
    ({ id, type }) => subscribed.includes(type) && !bank.deliveries.has(id),
  )
  return [
    ...runs.map(({ id, state }) => `${id} ${state}`),
    ...workflows.map(({ workflowRunId, state }) => `${workflowRunId} ${state}`),
    ...events.map(({ id, type }) => `${id} ${type}`),
  ]
}

/** All errors, one line each. */
export async function problemsOf(servers: readonly Server[], place: Place, work: Work, bank: Bank): Promise<string[]> {
  const [server] = servers as [Server]
  const runs = await listRuns(server)
  const workflows = await listWorkflows(server, place)
  const completions = new Map<string, number>()
  return [
    ...identityProblems(runs, work),
    ...(await problemsOfRuns(servers, runs, work, bank, completions)),
    ...(await problemsOfWorkflows(server, workflows, work, bank)),
    ...(await problemsOfJob(server, place, runs, work)),
    ...(await problemsOfEvents(server, place, runs, completions)),
    ...(await problemsOfCounts(servers, runs)),
    ...(await problemsOfUsage(server, runs, completions)),
  ]
}

/** Every acknowledged run exists once, and no other does. */
function identityProblems(runs: readonly Run[], work: Work): string[] {
  const listed = runs.filter(({ agentJobId }) => agentJobId === null).map(({ id }) => id)
  const acknowledged = [...work.runs.map(({ id }) => id), ...work.turns.keys()]
  const difference = (some: string[], others: string[]) => [...new Set(some).difference(new Set(others))]
  return [
    ...(new Set(listed).size === listed.length ? [] : ['The list of runs has one twice.']),
    ...(new Set(acknowledged).size === acknowledged.length ? [] : ['Two keys stand for one run.']),
    ...difference(listed, acknowledged).map((id) => `${id} exists without an acknowledgement`),
    ...difference(acknowledged, listed).map((id) => `${id} was acknowledged, and does not exist`),
  ]
}

async function verified(server: Server, kind: string, id: string): Promise<string[]> {
  const { data } = await askedPatiently<{ data: { valid: boolean; problem: string } }>(
    server,
    `/api/v1/actors/${kind}/${id}/verify`,
  )
  return data.valid ? [] : [`${id}: its journal is not valid: ${data.problem}`]
}

/** Checks every run; `completions` gets how often each has completed. */
async function problemsOfRuns(
  servers: readonly Server[],
  runs: readonly Run[],
  work: Work,
  bank: Bank,
  completions: Map<string, number>,
): Promise<string[]> {
  const problems: string[] = []
  const acknowledged = new Map(work.runs.map((run) => [run.id, run]))
  const queue = runs.entries()
  const checker = async () => {
    for (const [at, { id }] of queue) {
      const server = servers[at % servers.length] as Server
      const ended = await endedRun(server, id)
      completions.set(id, ended.moves.filter(({ to }) => to === 'completed').length)
      const run = acknowledged.get(id)
      const found = [
        problemOf(ended, run?.seen) ?? [],
        run ? problemsOfAcknowledged(run, ended, bank) : [],
        work.turns.has(id) ? problemsOfConversation(ended, work.turns.get(id) as number) : [],
      ].flat()
      problems.push(...(await verified(server, 'run', id)), ...found.map((wrong) => `${id}: ${wrong}`))
    }
  }
  await Promise.all(servers.map(checker))
  return problems
}

function problemsOfAcknowledged(run: Acknowledged, { moves, steps, state, stateReason }: Ended, bank: Bank): string[] {
  const problems: string[] = []
  if (!hasEnded({ state })) problems.push(`it is ${state}`)
  if (state === 'failed') problems.push(`it has failed: ${JSON.stringify(stateReason)}`)
  if (state === 'canceled' && run.cancels === 0) problems.push('it is canceled, and no cancel was accepted')
  const continues = moves.filter(({ event }) => event === 'continue').length
  if (continues !== run.continues) problems.push(`${run.continues} continues were accepted, and ${continues} made`)
  if (!run.charges) return problems
  const calls = bank.charges.get(run.number) ?? 0
  if (calls > 1) problems.push(`its operation was called ${calls} times`)
  const isCharged = steps.some(
    ({ kind, name, status }) => kind === 'tool' && name === 'charge' && status === 'completed',
  )
  if (isCharged && calls === 0) problems.push('its operation has completed without a call')
  return problems
}

/** Every accepted message has had its turn. */
function problemsOfConversation({ state, turn }: Ended, accepted: number): string[] {
  return [
    ...(state === 'completed' ? [] : [`the conversation is ${state}`]),
    ...(turn === accepted ? [] : [`${accepted} messages were accepted, and ${turn} had a turn`]),
  ]
}

async function problemsOfWorkflows(
  server: Server,
  workflows: readonly WorkflowRun[],
  work: Work,
  bank: Bank,
): Promise<string[]> {
  const problems: string[] = []
  const own = workflows.filter(({ parentWorkflowRunId }) => !parentWorkflowRunId)
  if (own.length !== work.workflows.size)
    problems.push(`${own.length} workflow runs exist, ${work.workflows.size} were acknowledged`)
  for (const run of workflows) {
    const { workflowRunId: id, state } = run
    const started = work.workflows.get(id)
    if (!started && !run.parentWorkflowRunId) problems.push(`${id} exists without an acknowledgement`)
    if (!isSettled(run) || state === 'canceled') problems.push(`${id} is ${state}`)
    problems.push(...(await verified(server, 'workflow-run', id)))
    const calls = bank.charges.get(started?.number ?? 0) ?? 0
    if (calls > 1) problems.push(`${id}: its operation was called ${calls} times`)
    if (started && state === 'completed' && calls !== 1) problems.push(`${id} is completed after ${calls} calls`)
  }
  return problems
}

/** Every tick has at most one run, and every run of the job a tick or a request. */
async function problemsOfJob(server: Server, place: Place, runs: readonly Run[], work: Work): Promise<string[]> {
  interface Job {
    lastFirings: { scheduledFor: string; outcome: string; agentRunId: string | null }[]
  }
  const { data } = await askedPatiently<{ data: Job }>(server, `${place.path}/agent-jobs/${place.jobId}`)
  const { lastFirings } = data
  const own = new Set(runs.flatMap(({ id, agentJobId }) => (agentJobId === null ? [] : [id])))
  const ofTicks = lastFirings.flatMap(({ agentRunId }) => agentRunId ?? [])
  const times = lastFirings.map(({ scheduledFor }) => scheduledFor)
  const problems = await verified(server, 'agent-job', place.jobId)
  if (new Set(times).size !== times.length) problems.push(`A tick fired twice: ${times}`)
  if (new Set(ofTicks).size !== ofTicks.length) problems.push('Two ticks have one run.')
  for (const id of [...ofTicks, ...work.runNow])
    if (!own.has(id)) problems.push(`${id}, a run of the job, does not exist`)
  return problems
}

/** The history has no gap and no event twice, and tells of every run's beginning and end. */
async function problemsOfEvents(
  server: Server,
  place: Place,
  runs: readonly Run[],
  completions: ReadonlyMap<string, number>,
): Promise<string[]> {
  const events = await listEvents(server, place)
  const problems: string[] = []
  if (events.some(({ sequence }, at) => sequence !== (events[0] as Event).sequence + at))
    problems.push('The history has a gap.')
  if (new Set(events.map(({ id }) => id)).size !== events.length) problems.push('The history has an event twice.')
  const of = (type: string) =>
    Map.groupBy(
      events.filter((event) => event.type === type),
      ({ subject }) => subject.id,
    )
  const [created, completed] = [of('run.created'), of('run.completed')]
  const own = runs.filter(({ environmentId }) => environmentId === place.environmentId)
  for (const { id } of own) {
    const [births, ends] = [created.get(id)?.length ?? 0, completed.get(id)?.length ?? 0]
    if (births !== 1) problems.push(`${id} has ${births} events of its creation`)
    if (ends !== completions.get(id)) problems.push(`${id} has ${ends} events of ${completions.get(id)} completions`)
  }
  if (created.size !== own.length) problems.push(`${created.size} runs were created, ${own.length} exist`)
  const deliveries = await metricOr(server, 'troupe_webhook_deliveries{state="dead-letter"}')
  if (deliveries > 0) problems.push(`${deliveries} deliveries are dead letters`)
  return problems
}

const metricOr = (server: Server, name: string) => metric(server, name).catch(() => 0)

/** What servers count is what they list. */
async function problemsOfCounts(servers: readonly Server[], runs: readonly Run[]): Promise<string[]> {
  const problems: string[] = []
  const listed = Map.groupBy(runs, ({ state }) => state)
  for (const server of servers) {
    for (const state of ['queued', 'starting', 'running', 'completed', 'failed', 'canceled']) {
      const count = await metricOr(server, `troupe_runs{state="${state}"}`)
      const expected = listed.get(state)?.length ?? 0
      if (count !== expected) problems.push(`Metrics count ${count} ${state} runs, the list has ${expected}.`)
    }
    const { data } = await askedPatiently<{ data: { current: Record<string, number | null> } }>(
      server,
      `${runsPath}/statistics`,
    )
    for (const [state, count] of Object.entries(data.current))
      if (count) problems.push(`Statistics count ${count} ${state} runs, and all have ended.`)
  }
  return problems
}

async function problemsOfUsage(
  server: Server,
  runs: readonly Run[],
  completions: ReadonlyMap<string, number>,
): Promise<string[]> {
  interface Usage {
    minutes: { reserved: number }
    runs: { started: number; completed: number; failed: number }
    limits: { liveRuns: { used: number } }
  }
  const [organization] = await allOf<{ id: string }>(server, '/api/v1/organizations')
  const { data } = await askedPatiently<{ data: Usage }>(
    server,
    `/api/v1/organizations/${organization!.id}/billing/usage`,
  )
  const counted = { ...data.runs, reserved: data.minutes.reserved, live: data.limits.liveRuns.used }
  const completed = [...completions.values()].reduce((sum, count) => sum + count, 0)
  const expected = { started: runs.length, completed, failed: 0, reserved: 0, live: 0 }
  if (Bun.deepEquals(counted, expected)) return []
  return [`Usage is ${JSON.stringify(counted)}, and the runs are ${JSON.stringify(expected)}.`]
}
