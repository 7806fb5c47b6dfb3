/**
 * How a Project begins: with its three Environments and what its template holds, all of it or nothing.
 * Source: requirement 1; contract 2, "templateId".
 */
import { StaleWrite } from '../../storage/errors.ts'
import { newId } from '../../storage/ids.ts'
import { insertProject } from '../../storage/projects.ts'
import { agentsWithin, projectsWithin } from '../../storage/quotas.ts'
import type { Store } from '../../storage/store.ts'
import type { ProjectRow } from '../../storage/tables.ts'
import type { ContractTerms } from '../billing/terms.ts'
import { environmentsOfProject } from '../environments/birth.ts'
import type { Caller } from '../http/caller.ts'
import { deletionInProgress, notFound } from '../http/errors.ts'
import type { Keep } from '../http/keep.ts'
import type { Actors } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import { findTemplate } from '../templates/catalogue.ts'
import { copyOfTemplate } from '../templates/copy.ts'
import type { NewProject } from './new-project.ts'
import { type PresentedProject, type ProjectCreation, presentProject } from './schema.ts'
import { slugTaken } from './slug.ts'

export interface CreationParts {
  store: Store
  clock: Clock
  actors: Actors
  billing: { terms: Pick<ContractTerms, 'limits'> }
}

/**
 * Creates the Project in one unit of work. Throws `notFound` for a template that there is not, `slug_taken` (409),
 * `deletion_in_progress` (409) when the organization is being removed, and `limit_exceeded` (422).
 */
export async function createProject(
  { store, clock, actors, billing }: CreationParts,
  caller: Caller,
  { slug, name, templateId }: ProjectCreation,
  keep: Keep,
): Promise<PresentedProject> {
  const template = templateId === undefined ? undefined : findTemplate(templateId)
  if (templateId !== undefined && !template) throw notFound()

  const at = clock.now()
  const row: ProjectRow = {
    id: newId('prj', at),
    organization_id: caller.organizationId,
    slug,
    name,
    template_id: template?.id ?? null,
    status: 'active',
    created_at: at,
    updated_at: at,
  }
  const project: NewProject = { organizationId: caller.organizationId, projectId: row.id, by: caller.principal, at }
  const data = presentProject(row)
  const limits = await billing.terms.limits(caller.organizationId)
  try {
    await store.commit([
      insertProject(store, row),
      ...(await environmentsOfProject(actors, project)),
      ...(template ? copyOfTemplate(store, project, template) : []),
      ...projectsWithin(store, caller.organizationId, limits.projects),
      ...(template ? agentsWithin(store, caller.organizationId, limits.agents) : []),
      ...keep({ data }),
    ])
  } catch (error) {
    throw error instanceof StaleWrite ? deletionInProgress() : slugTaken(error, 409)
  }
  return data
}
