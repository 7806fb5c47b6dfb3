/** Ready-made Agents and Definitions to start a Project from. Source: contract 2, "Template". */

import type { AgentContent, AgentDelegate } from '../agents/content.ts'
import type { EntitySource, OperationsSource, WorkflowSource } from '../definitions/source.ts'

/** A delegate within the template is named by its slug, because its id is created with the Project. */
type TemplateDelegate =
  | { name: string; description: string; agent: string }
  | Extract<AgentDelegate, { external: true }>

export type TemplateContent = Omit<AgentContent, 'delegates'> & { delegates?: TemplateDelegate[] }

export interface TemplateAgent {
  slug: string
  name: string
  description: string
  content: TemplateContent
  grantedOperations: readonly string[]
}

/** A source as its kind asks for; operations take what they need from Connections that the Agents declare. */
export type TemplateDefinition = { name: string; description: string } & (
  | { kind: 'operations'; source: OperationsSource }
  | { kind: 'workflow'; source: WorkflowSource }
  | { kind: 'entity'; source: EntitySource }
)

export interface Template {
  /** tpl_… and stable: it is written in the catalogue. */
  id: string
  slug: string
  name: string
  description: string
  tags: readonly string[]
  agents: readonly TemplateAgent[]
  definitions: readonly TemplateDefinition[]
}

/** The content of an Agent of a Project. `idOf` knows the Agents of the template by slug. */
export function contentOf({ delegates, ...content }: TemplateContent, idOf: (slug: string) => string): AgentContent {
  if (!delegates) return content
  return {
    ...content,
    delegates: delegates.map((delegate) => {
      if ('external' in delegate) return delegate
      const { agent, ...named } = delegate
      return { ...named, agentId: idOf(agent) }
    }),
  }
}
