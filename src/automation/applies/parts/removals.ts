/** Removals of an Apply with `prune`: resources that Applies have created and the manifest no longer names. */
import { listEnabledJobsOfAgent } from '../../../../storage/automation/agent-jobs.ts'
import type { Store } from '../../../../storage/store.ts'
import type { EnvironmentRow } from '../../../../storage/tables.ts'
import { listEnvironments } from '../../../../storage/tenancy/environments.ts'
import { toApiError } from '../../../platform/http/answers/failure.ts'
import { pointer } from '../../../platform/json.ts'
import { isPruned } from '../kept.ts'
import { type Authored, pageMax, readServing } from '../standing.ts'
import type { PlanChange, Planning, Step } from '../step.ts'
import type { Writer } from '../writer.ts'
import { placedIn } from './connections.ts'

const removal = { action: 'remove' as const, differences: [] }

export async function planRemovals(planning: Planning): Promise<void> {
  const { section, standing, steps, prune, kind } = planning
  const { project, environment } = standing
  if (!prune || !project || !environment) return
  const elsewhere = await servedElsewhere(planning.parts.store, environment)
  await planAgentRemovals(planning, elsewhere)
  planDefinitionRemovals(planning, elsewhere)
  const named = new Set(placedIn(planning).map(({ name }) => name))
  for (const { id, name, status } of standing.connections) {
    if (named.has(name) || status !== 'active' || !isPruned(planning, id)) continue
    steps.push({
      change: { ...removal, kind: 'connection', name, environment: kind },
      permissions: ['connections:delete'],
      stamp: id,
      remove: (writer) => writer.removeConnection(id),
    })
  }
  for (const [name, { id }] of standing.variables) {
    if (Object.hasOwn(section.variables ?? {}, name) || !isPruned(planning, id)) continue
    steps.push({
      change: { ...removal, kind: 'variable', name, environment: kind },
      permissions: ['env:variables:delete'],
      stamp: id,
      remove: (writer) => writer.removeVariable(id),
    })
  }
}

/** The Agents and Definitions that the active Deployments of the Project's other Environments pin. */
async function servedElsewhere(store: Store, environment: EnvironmentRow): Promise<Set<string>> {
  const { organization_id: organizationId, project_id: projectId, id } = environment
  const environments = await store.all<EnvironmentRow>(
    listEnvironments(store, { organizationId, projectId, after: '', limit: pageMax }),
  )
  const served = new Set<string>()
  for (const other of environments) {
    const serving = other.id === id ? null : await readServing(store, other)
    for (const { agentId } of serving?.agents ?? []) served.add(agentId)
    for (const { definitionId } of serving?.definitions ?? []) served.add(definitionId)
  }
  return served
}

async function planAgentRemovals(planning: Planning, elsewhere: ReadonlySet<string>): Promise<void> {
  const { manifest, standing, steps, issues, kind, parts, organizationId } = planning
  for (const [name, found] of standing.agents) {
    const { row } = found
    if (row.status !== 'active' || Object.hasOwn(manifest.agents ?? {}, name) || !isPruned(planning, row.id)) continue
    const jobs = standing.jobs.filter(({ agent_id, enabled }) => agent_id === row.id && enabled === 1)
    for (const job of jobs) {
      const message =
        `Would be removed, and its job ${job.name} is enabled in ${kind}: disable or delete the job, or name the Agent ` +
        'in the manifest.'
      issues.push({ path: `/agents${pointer(name)}`, message })
    }
    const enabled = await parts.store.all(
      listEnabledJobsOfAgent(parts.store, { organizationId, agentId: row.id, limit: jobs.length + 1 }),
    )
    // one more is of another Environment
    if (elsewhere.has(row.id) || enabled.length > jobs.length) steps.push(...leaving(planning, 'agent', name, found))
    else {
      steps.push({
        change: { ...removal, kind: 'agent', name, environment: null },
        permissions: ['agents:delete'],
        remove: (writer) => writer.removeAgent(row.id),
      })
    }
  }
}

function planDefinitionRemovals(planning: Planning, elsewhere: ReadonlySet<string>): void {
  const { manifest, standing, steps } = planning
  for (const [name, found] of standing.definitions) {
    const { row } = found
    if (Object.hasOwn(manifest.definitions ?? {}, name) || !isPruned(planning, row.id)) continue
    if (elsewhere.has(row.id)) steps.push(...leaving(planning, 'definition', name, found))
    else {
      steps.push({
        change: { ...removal, kind: 'definition', name, environment: null },
        permissions: ['definitions:delete'],
        remove: (writer) => writer.removeDefinition(row.id),
      })
    }
  }
}

/**
 * What another Environment still uses remains in the Project; only the Release of this Environment no longer has it. The
 * last Environment to leave it removes it.
 */
const leaving = (
  { kind: environment }: Planning,
  kind: 'agent' | 'definition',
  name: string,
  { serving }: Authored<unknown, unknown>,
): Step[] => (serving === null ? [] : [{ change: { ...removal, kind, name, environment } }])

/**
 * Removes what the plan of the Apply removes, for which the caller's permissions were checked. A resource that something
 * has come to use since then stays, and a later Apply removes it.
 */
export async function removePruned(steps: readonly Step[], planned: readonly PlanChange[], writer: Writer) {
  const keyOf = ({ action, kind, name, environment }: PlanChange) => JSON.stringify([action, kind, name, environment])
  const known = new Set(planned.map(keyOf))
  for (const { change, remove } of steps) {
    if (!remove || !known.has(keyOf(change))) continue
    try {
      await remove(writer)
    } catch (thrown) {
      if (toApiError(thrown).status !== 409) throw thrown
    }
  }
}
