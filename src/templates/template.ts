/** A ready-made set of agents to start a Project from. Source: contract 2, "Template". */
import type { AgentContent } from '../runner/protocol.ts'

/** An Agent of a template; its delegates are named by slug, since ids come with the Project. */
export interface TemplateAgent {
  slug: string
  name: string
  description: string
  content: AgentContent
  grantedOperations: readonly string[]
}

export interface Template {
  /** tpl_… and stable: it is written in the catalogue. */
  id: string
  slug: string
  name: string
  description: string
  tags: readonly string[]
  agents: readonly TemplateAgent[]
}
