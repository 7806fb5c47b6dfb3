/** The scope of a key. Source: contract 1, "Keys and organizations". */

import { deletionInProgress, notFound } from '../../platform/http/answers/errors.ts'
import type { Scope } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'

/** Throws `notFound` or `deletionInProgress` unless the parts exist, belong together and are not being deleted. */
export async function assertPlace(
  tree: Tree,
  organizationId: string,
  { projectId, environmentId, agentId }: Scope,
): Promise<void> {
  if (projectId === null) return
  const parts = [
    await tree.project(organizationId, projectId),
    ...(environmentId === null ? [] : [await tree.environment(projectId, environmentId)]),
    ...(agentId === null ? [] : [await tree.agent(projectId, agentId)]),
  ]
  if (parts.some((part) => part === undefined)) throw notFound()
  if (parts.some((part) => part?.deleting)) throw deletionInProgress()
}
