/**
 * Copies a template into a new Project: its Agents and Definitions, each with revision 1. Source: contract 2,
 * "templateId".
 */
import { insertAgent, insertAgentRevision } from '../../../storage/authoring/agents.ts'
import { insertDefinition, insertDefinitionRevision } from '../../../storage/authoring/definitions.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { NewProject, ProjectTemplate } from '../../tenancy/projects/new-project.ts'
import { revisionRow as agentRevisionRow } from '../agents/present.ts'
import { revisionRow as definitionRevisionRow } from '../definitions/present.ts'
import { findTemplate } from './catalogue.ts'
import { contentOf, type Template, type TemplateAgent, type TemplateDefinition } from './template.ts'

/** A template as the creation of a Project uses it; undefined where there is none with this id. */
export function projectTemplate(templateId: string): ProjectTemplate | undefined {
  const template = findTemplate(templateId)
  return template && { id: template.id, copy: (store, project) => copyOf(store, project, template) }
}

function copyOf(store: Store, project: NewProject, template: Template): Write[] {
  const ids = new Map(template.agents.map(({ slug }) => [slug, newId('agt', project.at)]))
  const idOf = (slug: string): string => {
    const id = ids.get(slug)
    if (id === undefined) throw new Error(`The template ${template.slug} has no Agent ${slug}.`)
    return id
  }
  return [
    ...template.definitions.flatMap((definition) => definitionOf(store, project, definition)),
    ...template.agents.flatMap((agent) => agentOf(store, project, agent, idOf)),
  ]
}

function agentOf(
  store: Store,
  { organizationId, projectId, by, at }: NewProject,
  { slug, name, description, content, grantedOperations }: TemplateAgent,
  idOf: (slug: string) => string,
): Write[] {
  const agentId = idOf(slug)
  const revision = agentRevisionRow({
    organizationId,
    agentId,
    content: contentOf(content, idOf),
    grantedOperations,
    by,
    at,
  })
  const agent = insertAgent(store, {
    id: agentId,
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
}

function definitionOf(
  store: Store,
  { organizationId, projectId, by, at }: NewProject,
  { name, kind, description, source }: TemplateDefinition,
): Write[] {
  const definitionId = newId('def', at)
  const revision = definitionRevisionRow({ organizationId, definitionId, source, by, at })
  const definition = insertDefinition(store, {
    id: definitionId,
    organization_id: organizationId,
    project_id: projectId,
    name,
    kind,
    description,
    status: 'active',
    latest_revision_id: revision.id,
    created_at: at,
    updated_at: at,
  })
  return [definition, insertDefinitionRevision(store, revision)]
}
