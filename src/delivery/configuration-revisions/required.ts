/**
 * The bindings that a Project's Agents require by their latest revisions. A snapshot keeps these even if disabled, so that a
 * Deployment reports them. Read in batches. Source: contract 3, "A snapshot leaves disabled items out".
 */
import { listAgentBindings } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** The Agent and its key. */
export interface RequiredBinding {
  agentId: string
  kind: 'connection' | 'variable'
  bindingKey: string
}

/** The content of a revision may be a megabyte. */
const pieceSize = 5

export async function requiredBindings(store: Store, projectId: string): Promise<RequiredBinding[]> {
  const required: RequiredBinding[] = []
  for (let after = ''; ; ) {
    const rows = await store.all(listAgentBindings(store, { projectId, after, limit: pieceSize }))
    for (const { id: agentId, bindings } of rows) {
      for (const binding of JSON.parse(bindings ?? '[]') as NonNullable<AgentContent['bindings']>) {
        if (binding.required) required.push({ agentId, kind: binding.kind, bindingKey: binding.bindingKey })
      }
    }
    if (rows.length < pieceSize) return required
    after = rows.at(-1)!.id
    await nextTurn()
  }
}
