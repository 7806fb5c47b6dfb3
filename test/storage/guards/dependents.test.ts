/** What still depends on an Agent, a Project or an organization when its deletion begins or ends. Source: contract 2, "Deletion". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { agentWithoutEnabledJobs } from '../../../storage/automation/agent-jobs.ts'
import { agentWithoutLiveWorkflowRuns } from '../../../storage/automation/workflows.ts'
import { agentWithoutActiveDeployment } from '../../../storage/delivery/deployments.ts'
import { removeTarget } from '../../../storage/runtime/removal.ts'
import type { Write } from '../../../storage/store.ts'
import { type Guards, openGuards, type Tree } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

const ofAgent = ({ organization_id: organizationId, project_id: projectId, agent_id: agentId }: Tree) => ({
  organizationId,
  projectId,
  agentId,
})
/** A Deployment of the Agent. */
function deployed(at: Tree): string {
  const { id, release_id } = world.plant('deployments', { ...at, state: 'ready', context: '{}' })
  world.plant('release_pins', { release_id, resource_id: at.agent_id })
  return id
}
const workflowRun = (at: Tree, state: string) => world.plant('workflow_runs', { ...at, state, context: '{}' })

/** What keeps an Agent, and the like that does not. */
const dependents: readonly [
  what: string,
  typeof agentWithoutEnabledJobs,
  keep: (at: Tree) => void,
  (at: Tree) => void,
][] = [
  [
    'an enabled job',
    agentWithoutEnabledJobs,
    (at) => world.plant('agent_jobs', { ...at, enabled: 1 }),
    (at) => world.plant('agent_jobs', { ...at, enabled: 0 }),
  ],
  [
    'an active Deployment',
    (store, agent) => agentWithoutActiveDeployment(store, agent as ReturnType<typeof ofAgent>),
    (at) =>
      world.rows('update environments set active_deployment_id = ? where id = ?', deployed(at), at.environment_id),
    deployed,
  ],
  ...['running', 'waiting', 'unknown', 'canceling'].map((state): (typeof dependents)[number] => [
    `a workflow run that is ${state}`,
    agentWithoutLiveWorkflowRuns,
    (at) => workflowRun(at, state),
    (at) => ['completed', 'failed', 'canceled'].map((ended) => workflowRun(at, ended)),
  ]),
]

test.each(dependents)(
  'an Agent with %s at the commit of its deletion stays; others do not',
  async (_, guard, keep, keepNot) => {
    const [at, other] = [world.tree(), world.tree()]
    const sibling = { ...at, agent_id: world.plant('agents', { ...at, status: 'active' }).id }
    const isStale = (agent: Tree) => world.isStale(guard(world.store, ofAgent(agent)))
    keepNot(at)
    expect(await isStale(at)).toBe(false)
    keep(at)
    expect([await isStale(at), await isStale(sibling), await isStale(other)]).toEqual([true, false, false])
    expect(await isStale({ ...sibling, organization_id: other.organization_id })).toBe(true)
  },
)

const targets = { organization: 'organizations', project: 'projects', agent: 'agents' }
test.each(['organization', 'project', 'agent'] as const)(
  'the removal of one %s waits for its runs and its deletion, and removes nothing else',
  async (target) => {
    const [at, other] = [world.tree(), world.tree()]
    const [column, table] = [`${target}_id` as const, targets[target]]
    const { organization_id: organizationId } = at
    const [remove] = removeTarget(world.store, { target, id: at[column], organizationId })
    const isThere = ({ [column]: id }: Tree) => world.rows(`select id from ${table} where id = ?`, id).length
    const run = world.plant('runs', { ...at, state: 'completed', context: '{}' })
    expect(await world.isStale(remove as Write)).toBe(true)
    for (const { [column]: id } of [at, other]) world.rows(`update ${table} set status = 'deleting' where id = ?`, id)
    expect(await world.isStale(remove as Write)).toBe(true)
    world.rows('delete from runs where id = ?', run.id)
    world.plant('runs', { ...other, state: 'completed', context: '{}' })
    world.rows(`update ${table} set status = 'active' where id = ?`, at[column])
    expect([await world.isStale(remove as Write), isThere(at)]).toEqual([true, 1])
    world.rows(`update ${table} set status = 'deleting' where id = ?`, at[column])
    expect([await world.isStale(remove as Write), isThere(at), isThere(other)]).toEqual([false, 0, 1])
  },
)
