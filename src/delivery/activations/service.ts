/** Creates and reads Activations. The Environment's actor decides which one succeeds. Source: contract 3. */
import {
  everythingPinnedStays,
  findActivation,
  insertActivation,
  listActivations,
  listDeletedPins,
} from '../../../storage/delivery/activations.ts'
import { findDeployment } from '../../../storage/delivery/deployments.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { ActivationRow, DeploymentRow } from '../../../storage/tables.ts'
import { ApiError, generationMismatch, orNotFound } from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { environmentAddress } from '../../tenancy/environments/actor.ts'
import { environmentAt, refusalOf } from '../../tenancy/environments/admission.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { deploymentAddress } from '../deployments/actor.ts'
import { type Activation, type NewActivation, presentActivation } from './schema.ts'

export interface ActivationParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
}

const command = 'activateDeployment'
/** The most deleted resources that an error names. */
const shownMax = 20

export class Activations {
  constructor(private readonly parts: ActivationParts) {}

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list({ organizationId }: Caller, path: EnvironmentPath, request: PageRequest) {
    const { store, cursors } = this.parts
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    return readPage(
      { cursors, scope: { list: 'activations', organizationId, filters: { environmentId } } },
      request,
      (last, limit) => {
        const before = belowNumber(last)
        return store.all<ActivationRow>(listActivations(store, { organizationId, environmentId, before, limit }))
      },
      ({ generation }) => [generation],
      presentActivation,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, { environmentId }: EnvironmentPath, id: string): Promise<Activation> {
    const { store } = this.parts
    const row = orNotFound(await store.first(findActivation(store, { organizationId, environmentId, id })))
    return presentActivation(row)
  }

  /**
   * Activates the Deployment in place of the current one. Throws `noSuch`; `deployment_not_ready`, `generation_mismatch`,
   * `environment_not_active` (409).
   */
  async activate(
    caller: Caller,
    path: EnvironmentPath,
    body: NewActivation,
    record: RequestRecord,
  ): Promise<Activation> {
    const { store, clock, actors } = this.parts
    const { organizationId, principal: by } = caller
    const { deploymentId, expectedGeneration } = body
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    const deployment = await this.#readyDeployment(organizationId, environmentId, deploymentId)

    const id = newId('act', clock.now())
    let data: Activation | undefined
    try {
      await actors.send(
        environmentAddress(environmentId),
        { type: command, deploymentId, expectedGeneration },
        {
          by,
          writes: ({ move }) => {
            const row: ActivationRow = {
              id,
              organization_id: organizationId,
              environment_id: environmentId,
              deployment_id: deploymentId,
              previous_deployment_id: move.context.previousDeploymentId as string | null,
              generation: move.context.generation as number,
              created_by_type: by.type,
              created_by_id: by.id,
              created_at: move.event.at,
            }
            data = presentActivation(row)
            return [everythingPinnedStays(store, { deploymentId }), insertActivation(store, row), ...record({ data })]
          },
        },
      )
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'invalid_transition') {
        throw await refusalOf(actors, environmentId, command, ({ context }) => generationMismatch(context.generation))
      }
      if (error.code === 'concurrent_change') await this.#assertWhole(deployment)
      throw error
    }
    return data!
  }

  /** Throws `noSuch`, `deployment_not_ready` (409). */
  async #readyDeployment(organizationId: string, environmentId: string, id: string): Promise<DeploymentRow> {
    const { store, actors } = this.parts
    const row = await store.first<DeploymentRow>(findDeployment(store, { organizationId, environmentId, id }))
    const found = row && (await actors.read<DeploymentRow>(deploymentAddress(id)))
    const actor = orNoSuch(found, 'Deployment in this Environment', '/body/deploymentId')
    if (!actors.hasRow(actor, 'activate')) {
      const { state: currentState } = actor
      throw new ApiError(
        409,
        'deployment_not_ready',
        `The Deployment is ${currentState}; only one that is ready can be activated.`,
        { details: { currentState } },
      )
    }
    await this.#assertWhole(actor.row)
    return actor.row
  }

  /** Throws `deployment_not_ready` (409) if an Agent or a Definition of its Release was deleted. */
  async #assertWhole({ release_id: releaseId }: DeploymentRow): Promise<void> {
    const { store } = this.parts
    const deleted = await store.all<{ resource_id: string }>(listDeletedPins(store, { releaseId, limit: shownMax }))
    if (deleted.length === 0) return
    throw new ApiError(409, 'deployment_not_ready', 'Parts of the Release have been deleted.', {
      details: { deleted: deleted.map(({ resource_id }) => resource_id) },
    })
  }
}
