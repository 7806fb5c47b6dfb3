/** The Agents of a template, as a new Project gets them: each with revision 1. Source: contract 2, "templateId". */
import { insertAgent, insertAgentRevision } from '../../storage/agents.ts'
import { newId } from '../../storage/ids.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { Caller } from '../http/caller.ts'
import { contentOf, type Template } from '../templates/template.ts'
import { revisionRow } from './present.ts'

export interface NewProject {
  organizationId: string
  projectId: string
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** The statements that create the template's Agents, to be committed with the Project, after it. */
export function agentsOfTemplate(store: Store, project: NewProject, template: Template): Write[] {
  const { organizationId, projectId, by, at } = project
  const ids = new Map(template.agents.map(({ slug }) => [slug, newId('agt', at)]))
  const idOf = (slug: string): string => {
    const id = ids.get(slug)
    if (id === undefined) throw new Error(`The template ${template.slug} has no Agent ${slug}.`)
    return id
  }
  return template.agents.flatMap(({ slug, name, description, content, grantedOperations }) => {
    const revision = revisionRow({
      organizationId,
      agentId: idOf(slug),
      content: contentOf(content, idOf),
      grantedOperations,
      by,
      at,
    })
    const agent = insertAgent(store, {
      id: idOf(slug),
      organization_id: organizationId,
      project_id: projectId,
      slug,
      name,
      description,
      status: 'active',
      latest_revision_id: revision.id,
      created_at: at,
      updated_at: at,
    })
    return [agent, insertAgentRevision(store, revision)]
  })
}
