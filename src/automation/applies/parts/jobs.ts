/** Jobs of a manifest, for the Environment. */

import { digestOf } from '../../../platform/http/digest.ts'
import { assertSound, newFields } from '../../agent-jobs/fields.ts'
import { pointer } from '../manifest.ts'
import { differing, type Planning, sectionPath, validating } from '../step.ts'
import { agentIssues } from './connections.ts'

export async function planJobs(planning: Planning): Promise<void> {
  const { section, standing, steps, issues, kind: environment } = planning
  for (const [name, wanted] of Object.entries(section.jobs ?? {})) {
    const at = `${sectionPath(planning)}/jobs${pointer(name)}`
    const { agent, enabled = true, ...given } = wanted
    issues.push(...agentIssues(planning, agent, `${at}/agent`))
    const fields = await validating(planning, { '/body': at }, () => {
      const made = newFields({ ...given, name, agentId: '' })
      assertSound(made)
      return made
    })
    if (!fields) continue
    const change = { kind: 'job', name, environment } as const
    const [found, ...others] = standing.jobs.filter((job) => job.name === name)
    const agentId = standing.agents.get(agent)?.row.id
    if (others.length > 0) {
      issues.push({
        path: at,
        message: `${others.length + 1} jobs of ${environment} are called ${name}; rename the others.`,
      })
    } else if (!found) {
      steps.push({
        change: { ...change, action: 'create', differences: [] },
        permissions: ['agent-jobs:create'],
        stamp: digestOf({ agent, enabled, fields }),
        write: (writer) => writer.createJob(agent, { ...given, name, enabled }),
      })
    } else if (found.agent_id !== agentId) {
      const message =
        'The job of this name is of another Agent, which never changes. Choose another name, or delete it.'
      issues.push({ path: `${at}/agent`, message })
    } else {
      const differences = [
        ...differing('/schedule/cron', found.cron, fields.cron),
        ...differing('/schedule/timezone', found.timezone, fields.timezone),
        ...differing('/query', found.query, fields.query),
        ...differing('/overlap', found.overlap, fields.overlap),
        ...differing('/enabled', found.enabled === 1, enabled),
      ]
      const { cron, timezone, query, overlap } = fields
      steps.push({
        change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
        ...(differences.length > 0 && {
          permissions: ['agent-jobs:create'] as const,
          stamp: digestOf({ enabled, fields }),
          write: (writer) => writer.changeJob(found.id, { schedule: { cron, timezone }, query, overlap, enabled }),
        }),
      })
    }
  }
}
