/** Resolves a graph of Agents and Definitions: their references, and which of them are missing. Source: contract 3. */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { type Attached, attach } from './attachments.ts'
import type { AgentNode, DefinitionNode } from './graph.ts'
import { unresolved } from './references.ts'
import type { DelegateAttachment } from './schema.ts'
import { type Provided, sourceFaults } from './sources.ts'
import { ungrantedSteps } from './workflow-grants.ts'

export interface Graph {
  agents: AgentNode[]
  definitions: DefinitionNode[]
}

/** The most unresolved references that are reported. */
const issuesMax = 1_000

/** The complete attachments, and everything in the graph that leads to nothing (`lost`) or in a circle (`cycles`). */
export async function resolveGraph(
  { agents, definitions }: Graph,
  provided: Provided,
  given: readonly DelegateAttachment[],
  isSystemAgent: (agentId: string) => boolean,
): Promise<Pick<Attached, 'attachments' | 'cycles'> & { lost: Issue[] }> {
  const attached = attach(agents, given, isSystemAgent)
  const lost = [...unresolved(agents, definitions), ...attached.unresolved]
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  for (const agent of agents) {
    for (const issue of ungrantedSteps(agent, byName)) {
      if (lost.length >= issuesMax) break
      lost.push(issue)
    }
    await nextTurn()
  }
  for (const definition of definitions) {
    for (const issue of sourceFaults(definition, provided)) if (lost.length < issuesMax) lost.push(issue)
    // a source may have thousands of placeholders, and others are waiting
    await nextTurn()
  }
  return { attachments: attached.attachments, cycles: attached.cycles, lost }
}
