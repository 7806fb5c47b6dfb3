/** Jobs of a manifest, for the Environment. */

import { invalid } from '../../../platform/http/answers/errors.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import type { JobFields } from '../../agent-jobs/actor.ts'
import { assertParams, assertSound, newFields } from '../../agent-jobs/fields.ts'
import { isPruned } from '../kept.ts'
import { differing, type Planning, sectionPath, validating } from '../step.ts'
import { agentIssues } from './connections.ts'
import { unsoundParts } from './unsound.ts'

export async function planJobs(planning: Planning): Promise<void> {
  const { section, standing, steps, issues, kind: environment } = planning
  for (const [name, wanted] of Object.entries(section.jobs ?? {})) {
    const at = `${sectionPath(planning)}/jobs${pointer(name)}`
    const { agent, enabled = true, ...given } = wanted
    issues.push(...agentIssues(planning, agent, `${at}/agent`))
    const fields = await validating(planning, { '/body': at }, async () => {
      const made = newFields({ ...given, name })
      assertSound(made)
      if (made.workflow !== null) await assertStartable(planning, made.workflow, made.params)
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
        ...differing('/query', found.query || undefined, fields.query || undefined),
        ...differing('/workflow', found.workflow ?? undefined, fields.workflow ?? undefined),
        ...differing('/params', readParams(found), readParams(fields)),
        ...differing('/overlap', found.overlap, fields.overlap),
        ...differing('/enabled', found.enabled === 1, enabled),
      ]
      const { cron, timezone, overlap } = fields
      const changes = { schedule: { cron, timezone }, ...workOf(fields), overlap, enabled }
      steps.push({
        change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
        ...(differences.length > 0 && {
          permissions: ['agent-jobs:create'] as const,
          stamp: digestOf({ enabled, fields }),
          write: (writer) => writer.changeJob(found.id, changes),
        }),
      })
    }
  }
}

const readParams = ({ params }: Pick<JobFields, 'params'>): unknown =>
  params === null ? undefined : JSON.parse(params)

/** A query, or a workflow with its params, as a request names them. */
export const workOf = ({ query, workflow, params }: Pick<JobFields, 'query' | 'workflow' | 'params'>) =>
  workflow === null ? { query } : { workflow, params: JSON.parse(params ?? '{}') as Record<string, unknown> }

/** Throws 422 unless the workflow will be there, and takes these params. */
async function assertStartable(planning: Planning, workflow: string, params: string | null): Promise<void> {
  const { manifest, standing, organizationId } = planning
  // a source that is not valid has its own issues
  if (unsoundParts(planning).definitions.has(workflow)) return
  const wanted = Object.hasOwn(manifest.definitions ?? {}, workflow) ? manifest.definitions?.[workflow] : undefined
  const found = standing.definitions.get(workflow)
  const refuse = (message: string) => invalid([{ path: '/body/workflow', message }])
  const kind = wanted?.kind ?? found?.row.kind
  if (kind === undefined) throw refuse(`Neither the manifest nor the Project has a workflow ${workflow}.`)
  if (kind !== 'workflow') throw refuse(`The Definition ${workflow} is no workflow.`)
  if (!wanted && (!found?.serving || isPruned(planning, found.row.id)))
    throw refuse(`The workflow ${workflow} will not be deployed: name it as a Definition of the manifest.`)
  const source = wanted?.source ?? (JSON.parse(found?.serving?.source ?? '{}') as object)
  const { params: schema } = source as { params?: Record<string, unknown> }
  if (schema) await assertParams(schema, params, organizationId)
}
