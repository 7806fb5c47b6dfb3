/** Runs in all states and places, and the list of them, followed to its end. */
import { expect } from 'bun:test'
import { insertRun } from '../../../storage/runs/runs.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { insertEnvironment } from '../../../storage/tenancy/environments.ts'
import { insertProject } from '../../../storage/tenancy/projects.ts'
import { systemRun } from '../../support/system-run.ts'
import { id } from '../tenants.ts'
import { callers, environment, openWorld, organizations, project, type World } from '../world.ts'

const path = '/api/v1/agent-runs'

const states = ['queued', 'running', 'completed', 'failed', 'awaitingToolResult', 'expired', 'canceling']
const total = 240
const preview = id('env', '2')
const agents = {
  ours: ['1', '2', '3'].map((digit) => id('agt', digit)),
  other: ['4', '5', '6'].map((digit) => id('agt', digit)),
  system: ['agt_system_0', 'agt_system_1', 'agt_system_2'],
}
export const [anAgent, anotherAgent] = agents.ours as [string, string]
export const aJob = id('job', '1')
/** The places of runs, in turn: in two Environments of one Project, in that of another, and in none. */
const places = [
  { project_id: project, environment_id: environment, agents: 'ours' },
  { project_id: null, environment_id: null, agents: 'system' },
  { project_id: project, environment_id: preview, agents: 'ours' },
  { project_id: id('prj', '2'), environment_id: id('env', '3'), agents: 'other' },
] as const
export const runId = (index: number) => `run_${String(index).padStart(26, '0')}`

const context = JSON.stringify({
  awaiting: [],
  cause: null,
  stopReason: null,
  attempt: 0,
  startedAt: null,
  endedAt: null,
})
export const row = (index: number, changes: Partial<RunRow> = {}): RunRow => ({
  ...systemRun(runId(index), organizations.ours, 1_000 + index),
  project_id: places[index % 4]!.project_id,
  environment_id: places[index % 4]!.environment_id,
  agent_id: agents[places[index % 4]!.agents][index % 3] as string,
  agent_job_id: index % 12 === 0 ? aJob : null,
  created_by_id: index % 5 === 0 ? 'key_other' : callers.owner.principal.id,
  thread_key: index % 9 === 0 ? 'ninth' : null,
  state: states[index % states.length] as string,
  version: 1,
  machine_version: '1',
  context,
  content_removed_at: null,
  available_at: 1,
  reserved_ms: 0,
  reserved_in: null,
  counted_bytes: 0,
  last_activity_kind: 'start',
  last_activity_at: 1,
  forked_from: index % 8 === 1 ? runId(index % 16) : null,
  // many runs share an instant, and the order is not that of creation
  updated_at: 5_000 + ((index * 7) % 50),
  ...changes,
})

/** Projects and Environments, as far as a list uses them. */
const tree = ({ store }: World) => [
  ...[project, id('prj', '2')].map((projectId) =>
    insertProject(store, {
      id: projectId,
      organization_id: organizations.ours,
      slug: projectId,
      name: 'Project',
      template_id: null,
      status: 'active',
      created_at: 1,
      updated_at: 1,
    }),
  ),
  ...[
    [environment, project, 'production'] as const,
    [preview, project, 'preview'] as const,
    [id('env', '3'), id('prj', '2'), 'production'] as const,
  ].map(([environmentId, projectId, kind]) =>
    insertEnvironment(store, {
      id: environmentId,
      organization_id: organizations.ours,
      project_id: projectId,
      kind,
      name: kind,
      state: 'active',
      version: 1,
      machine_version: '1',
      context: '{}',
      generation: 0,
      head_revision_id: 'cfr_1',
      head_number: 0,
      active_deployment_id: null,
      created_at: 1,
      updated_at: 1,
    }),
  ),
]

export async function openListedRuns() {
  const world = await openWorld()
  const ours = Array.from({ length: total }, (_, index) => row(index))
  const foreign = Array.from({ length: 20 }, (_, index) =>
    row(1_000 + index, {
      organization_id: organizations.foreign,
      project_id: id('prj', '8'),
      environment_id: id('env', '8'),
      agent_job_id: null,
    }),
  )
  await world.store.commit([...tree(world), ...[...ours, ...foreign].map((each) => insertRun(world.store, each))])

  /** Follows the cursors to the end. */
  async function all(
    query: Record<string, string | readonly string[]>,
    limit: number,
    client = world.owner,
  ): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { status, body } = await client.get(path, { query: { ...query, limit, cursor } })
      if (status !== 200) throw new Error(JSON.stringify(body))
      ids.push(...body.agentRuns.map(({ id }: { id: string }) => id))
      if (!body.pagination.hasMore) return ids
      expect(body.agentRuns).toHaveLength(limit)
      cursor = body.pagination.nextCursor
    }
  }

  return {
    ...world,
    /** All runs of our organization, oldest first. */
    ours,
    all,
  }
}
export type ListedRuns = Awaited<ReturnType<typeof openListedRuns>>
