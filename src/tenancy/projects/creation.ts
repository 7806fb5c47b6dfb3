import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { ProjectRow } from '../../../storage/tables.ts'
import { insertProject } from '../../../storage/tenancy/projects.ts'
import { agentsWithin, projectsWithin } from '../../../storage/tenancy/quotas.ts'
import { deletionInProgress } from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { environmentsOfProject } from '../environments/first-environments.ts'
import type { LimitsOfOrganizations } from '../organizations/limits.ts'
import type { FindTemplate, NewProject } from './new-project.ts'
import { type PresentedProject, type ProjectCreation, presentProject } from './schema.ts'
import { slugTaken } from './slug.ts'

export interface CreationParts {
  store: Store
  clock: Clock
  actors: Actors
  billing: { terms: LimitsOfOrganizations }
  findTemplate: FindTemplate
}

/**
 * Creates the Project in one unit of work. Throws `noSuch` for an unknown template, `slug_taken` (409),
 * `deletion_in_progress` (409) if the organization is being deleted, and `limit_exceeded` (422).
 */
export async function createProject(
  { store, clock, actors, billing, findTemplate }: CreationParts,
  caller: Caller,
  { slug, name, templateId }: ProjectCreation,
  record: RequestRecord,
): Promise<PresentedProject> {
  const template =
    templateId === undefined ? undefined : orNoSuch(findTemplate(templateId), 'template', '/body/templateId')

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
  await commitOr(store, { unique: slugTaken(409), stale: deletionInProgress }, [
    insertProject(store, row),
    ...(await environmentsOfProject(actors, project)),
    ...(template ? template.copy(store, project) : []),
    ...projectsWithin(store, caller.organizationId, limits.projects),
    ...(template ? agentsWithin(store, caller.organizationId, limits.agents) : []),
    ...record({ data }),
  ])
  return data
}
