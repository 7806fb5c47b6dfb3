/** The workflows that jobs start, as they are when the job is created or changed. Source: contract 14, "Workflows". */
import { findDefinition, findDefinitionByName, findDefinitionRevision } from '../../../storage/authoring/definitions.ts'
import type { Store } from '../../../storage/store.ts'
import type { DefinitionRevisionRow, DefinitionRow } from '../../../storage/tables.ts'
import type { WorkflowSource } from '../../authoring/definitions/source.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import type { AgentPlace } from '../../runs/admission/place.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from '../../tenancy/environments/actor.ts'
import type { JobFields } from './actor.ts'
import { assertParams } from './fields.ts'

type Place = Omit<AgentPlace, 'agentId'>

export class JobWorkflows {
  constructor(private readonly parts: { store: Store; actors: Actors; bundles: Bundles }) {}

  /**
   * The fields with the name of the workflow. Throws `noSuch` for one that the Project does not have, and unless `later`
   * 422 for params that do not fit what is active, or else its latest revision. Each tick checks them again.
   */
  async resolved(place: Place, fields: JobFields, later: boolean): Promise<JobFields> {
    if (fields.workflow === null) return fields
    const found = await this.#find(place, fields.workflow)
    if (found?.kind !== 'workflow' || found.status !== 'active')
      throw noSuch('workflow in this Project', '/body/workflow')
    const schema = later ? undefined : await this.#params(place, found)
    if (schema) await assertParams(schema, fields.params, place.organizationId)
    return { ...fields, workflow: found.name }
  }

  async #find({ organizationId, projectId }: Place, nameOrId: string): Promise<DefinitionRow | undefined> {
    const { store } = this.parts
    return (
      (await store.first<DefinitionRow>(findDefinition(store, { id: nameOrId, projectId, organizationId }))) ??
      (await store.first<DefinitionRow>(findDefinitionByName(store, { name: nameOrId, projectId, organizationId })))
    )
  }

  /** The schema of the params; undefined if there is none yet. */
  async #params(place: Place, { id, latest_revision_id: latest }: DefinitionRow) {
    const { store, actors, bundles } = this.parts
    const { organizationId, environmentId } = place
    const environment = (await actors.read(environmentAddress(environmentId))) as EnvironmentActor | undefined
    const active = environment?.row.active_deployment_id
    const deployed = active ? (await bundles.find(active))?.workflow(id) : undefined
    if (deployed || latest === null) return deployed?.source.params
    const key = { id: latest, definitionId: id, organizationId }
    const revision = await store.first<DefinitionRevisionRow>(findDefinitionRevision(store, key))
    return revision && (JSON.parse(revision.source) as WorkflowSource).params
  }
}
