/** The scope of a key. Source: contract 1, "Keys and organizations". */

import { type ApiError, deletionInProgress } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import type { Scope } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'

/** Throws `missing` or `deletionInProgress` unless the parts exist, belong together and are not being deleted. */
export async function assertPlace(
  tree: Tree,
  organizationId: string,
  { projectId, environmentId, agentId }: Scope,
  missing: (what: string, at: string) => ApiError = noSuch,
): Promise<void> {
  if (projectId === null) return
  const project = await tree.project(organizationId, projectId)
  if (!project) throw missing('Project', '/body/projectId')
  const environment = environmentId === null ? undefined : await tree.environment(projectId, environmentId)
  if (environmentId !== null && !environment) throw missing('Environment in this Project', '/body/environmentId')
  const agent = agentId === null ? undefined : await tree.agent(projectId, agentId)
  if (agentId !== null && !agent) throw missing('Agent in this Project', '/body/agentId')
  if ([project, environment, agent].some((part) => part?.deleting)) throw deletionInProgress()
}
