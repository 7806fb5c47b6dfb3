/**
 * What the Agents of a Project require, as their latest revisions say: what a snapshot keeps although it is disabled, so
 * that a Deployment can say so. Read in small pieces. Source: contract 3, "A snapshot leaves disabled items out".
 */
import { listAgentBindings } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** Of which Agent, and which key. */
export interface RequiredBinding {
  agentId: string
  kind: 'connection' | 'variable'
  bindingKey: string
}

/** A content may have a megabyte. */
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
