/** Bindings in requests: an Agent and its key. Source: requirement 4.3; contract 4. */
import { findAgent } from '../../../storage/authoring/agents.ts'
import type { Store } from '../../../storage/store.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'

interface BindingRequest {
  agentId?: string | null
  bindingKey?: string | null
}

/** Both or neither must be given; `absent` says whether leaving one out means null. */
export function bindingIssues({ agentId, bindingKey }: BindingRequest, absent: 'null' | 'unchanged'): Issue[] {
  const given = [agentId, bindingKey].map((value) => (absent === 'null' ? (value ?? null) : value))
  const message = 'agentId and bindingKey must be given together.'
  const [agent, key] = given
  if ((agent === undefined) !== (key === undefined)) {
    return [{ path: agent === undefined ? '/body/agentId' : '/body/bindingKey', message }]
  }
  if ((agent === null) !== (key === null)) {
    return [{ path: agent === null ? '/body/agentId' : '/body/bindingKey', message }]
  }
  return []
}

/** Throws `noSuch` unless the Project has the Agent and it is not being deleted. */
export async function assertAgent(
  store: Store,
  { organizationId, projectId, agentId }: { organizationId: string; projectId: string; agentId: string },
): Promise<void> {
  const agent = await store.first(findAgent(store, { organizationId, projectId, id: agentId }))
  if (agent?.status !== 'active') throw noSuch('Agent in this Project', '/body/agentId')
}
