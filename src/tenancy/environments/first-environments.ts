/** The three Environments of a new Project. Source: requirement 1; contract 2. */
import { newId } from '../../../storage/ids.ts'
import type { Write } from '../../../storage/store.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { NewProject } from '../projects/new-project.ts'
import { type EnvironmentSeed, environmentAddress } from './actor.ts'

/** Kinds and names, in display order. */
const builtIn = [
  { kind: 'development', name: 'Development' },
  { kind: 'preview', name: 'Preview' },
  { kind: 'production', name: 'Production' },
] as const satisfies Pick<EnvironmentRow, 'kind' | 'name'>[]

/** The first configuration of every Environment. */
const empty = { connections: [], providerSettings: [], variables: [] }
const content = JSON.stringify(empty)
const digest = digestOf(empty)

function seedOf(project: NewProject, environment: (typeof builtIn)[number]): EnvironmentSeed {
  const { organizationId, projectId, by, at } = project
  const id = newId('env', at)
  const revisionId = newId('cfr', at)
  return {
    row: {
      ...environment,
      id,
      organization_id: organizationId,
      project_id: projectId,
    },
    revision: {
      id: revisionId,
      organization_id: organizationId,
      environment_id: id,
      number: 0,
      parent_id: null,
      content,
      digest,
      description: null,
      created_by_type: by.type,
      created_by_id: by.id,
    },
  }
}

/** The statements that create them, to commit with the Project. */
export async function environmentsOfProject(actors: Actors, project: NewProject): Promise<Write[]> {
  const creations = builtIn.map((environment) => {
    const seed = seedOf(project, environment)
    return actors.prepareCreate(
      environmentAddress(seed.row.id),
      { input: { headRevisionId: seed.revision.id }, seed, named: 'create' },
      project.by,
    )
  })
  return (await Promise.all(creations)).flatMap(({ writes }) => writes)
}
