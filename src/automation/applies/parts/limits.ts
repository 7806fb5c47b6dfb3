/** The limits of an Environment and of the plan, which an Apply would reach after a part of its changes. */
import { countAgents, countProjects } from '../../../../storage/tenancy/quotas.ts'
import { connectionsMax } from '../../../delivery/connections/service.ts'
import { variablesMax } from '../../../delivery/variables/service.ts'
import { webhooksMax } from '../../../events/webhooks/service.ts'
import { quotaExceeded } from '../../../platform/http/answers/errors.ts'
import { jobsMax } from '../../agent-jobs/actor.ts'
import { type PlanChange, type Planning, sectionPath } from '../step.ts'

export async function planLimits(planning: Planning): Promise<void> {
  limitsOfEnvironment(planning)
  await limitsOfPlan(planning)
}

const created = ({ steps }: Planning, kind: PlanChange['kind']): number =>
  steps.filter(({ change }) => change.kind === kind && change.action === 'create').length

function limitsOfEnvironment(planning: Planning): void {
  const { standing, issues } = planning
  const { variables, boundVariables, connections, jobs, webhooks } = standing
  const families = [
    { kind: 'variable', part: 'variables', has: variables.size + boundVariables.length, max: variablesMax },
    { kind: 'connection', part: 'connections', has: connections.length, max: connectionsMax },
    { kind: 'job', part: 'jobs', has: jobs.length, max: jobsMax },
    { kind: 'webhook', part: 'webhooks', has: webhooks.length, max: webhooksMax },
  ] as const
  for (const { kind, part, has, max } of families) {
    const added = created(planning, kind)
    if (added === 0 || has + added <= max) continue
    // what is pruned is removed last
    const message = `An Environment has at most ${max} ${part}: it has ${has}, and the manifest adds ${added}; delete some first.`
    issues.push({ path: `${sectionPath(planning)}/${part}`, message })
  }
}

/** Counts only what the manifest adds to. */
async function limitsOfPlan(planning: Planning): Promise<void> {
  const { organizationId, issues } = planning
  const { store, billing } = planning.parts
  const limits = await billing.terms.limits(organizationId)
  const families = [
    { kind: 'project', name: 'projects', path: '/project', count: countProjects },
    { kind: 'agent', name: 'agents', path: '/agents', count: countAgents },
  ] as const
  for (const { kind, name, path, count } of families) {
    const added = created(planning, kind)
    const limit = limits[name]
    if (added === 0 || limit === null) continue
    const has = Number((await store.first(count(store, { organizationId })))?.count ?? 0)
    if (has + added > limit) issues.push({ path, message: quotaExceeded(name, limit).message })
  }
}
