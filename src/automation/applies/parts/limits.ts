/** The limits of an Environment, which an Apply would reach after a part of its changes. */
import { connectionsMax } from '../../../delivery/connections/service.ts'
import { variablesMax } from '../../../delivery/variables/service.ts'
import { webhooksMax } from '../../../events/webhooks/service.ts'
import { jobsMax } from '../../agent-jobs/actor.ts'
import { type Planning, sectionPath } from '../step.ts'

export function planLimits(planning: Planning): void {
  const { standing, steps, issues } = planning
  const { variables, boundVariables, connections, jobs, webhooks } = standing
  const families = [
    { kind: 'variable', part: 'variables', has: variables.size + boundVariables.length, max: variablesMax },
    { kind: 'connection', part: 'connections', has: connections.length, max: connectionsMax },
    { kind: 'job', part: 'jobs', has: jobs.length, max: jobsMax },
    { kind: 'webhook', part: 'webhooks', has: webhooks.length, max: webhooksMax },
  ] as const
  for (const { kind, part, has, max } of families) {
    const added = steps.filter(({ change }) => change.kind === kind && change.action === 'create').length
    if (added === 0 || has + added <= max) continue
    // what is pruned is removed last
    const message = `An Environment has at most ${max} ${part}: it has ${has}, and the manifest adds ${added}; delete some first.`
    issues.push({ path: `${sectionPath(planning)}/${part}`, message })
  }
}
