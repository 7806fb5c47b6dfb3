/** A server with Projects that have something to deploy. */

import { expect } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { type Deployment, echoOperation, type Place, placesOf } from '../../support/world/places.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld() {
  const world = await openServer()
  const places = placesOf(world)

  return {
    ...world,
    ...places,

    /** A Definition of operations that echo, or of the given ones, with one revision; returns its pin. */
    async definition(place: Place, name: string, operations: readonly string[], handler: object = { type: 'echo' }) {
      const all = operations.map((operation) => echoOperation(operation, { handler }))
      const pin = await places.operations(place, name, all)
      return {
        pin,
        source: { operations: all },
        path: `${place.project}/definitions/${pin.definitionId}`,
      }
    },

    /** A Release of one Agent and an empty Configuration Revision. */
    async prepared(place: Place) {
      const agent = await places.agent(place)
      const body = {
        releaseId: await places.release(place, [agent]),
        configurationRevisionId: (await places.snapshot(place)).id,
      }
      return { agent, body }
    },

    /** A Deployment in this state without any work in progress. */
    async standing(place: Place, state: string) {
      const { body } = await this.prepared(place)
      const id = newId('dep')
      const failure = state === 'failed' ? { code: 'validation_failed', message: 'It failed.' } : null
      const ended = state === 'ready' ? world.clock.now() : null
      const digest = ended === null ? null : `sha256:${'0'.repeat(64)}`
      world.tenancy.insert('deployments', {
        id,
        organization_id: place.organizationId,
        project_id: place.projectId,
        environment_id: place.environmentId,
        release_id: body.releaseId,
        configuration_revision_id: body.configurationRevisionId,
        credentials: 'pinned',
        state,
        version: 1,
        machine_version: '1',
        context: JSON.stringify({ failure, digest, readyAt: ended }),
        digest,
        created_by_type: 'user',
        created_by_id: 'usr_',
        created_at: world.clock.now(),
        updated_at: world.clock.now(),
        ready_at: ended,
      })
      return id
    },

    /** A ready Deployment of a new Agent. */
    async ready(place: Place) {
      const agent = await places.agent(place)
      const deployment = await places.submitted(place, await places.release(place, [agent]))
      expect(deployment).toMatchObject({ state: 'ready' })
      return { ...deployment, agent }
    },

    /** The answer to an activation. */
    activate: (place: Place, deploymentId: string, expectedGeneration: number) =>
      place.owner.post(`${place.path}/activations`, { deploymentId, expectedGeneration }),

    /** The Environment's history, as stored. */
    history: (place: Pick<Place, 'environmentId'>) =>
      world
        .rows<{ body: string }>(
          'select body from environment_events where environment_id = ? order by sequence',
          place.environmentId,
        )
        .map(({ body }) => JSON.parse(body) as HistoryEvent),
  }
}

interface HistoryEvent {
  id: string
  type: string
  sequence: number
  subject: { type: string; id: string }
  actor: { type: string; id: string }
  data: Record<string, unknown>
}

/** The issues of a failed Deployment: code and path. */
export const issuesOf = ({ stateReason }: Deployment) =>
  (stateReason?.issues ?? []).map(({ code, path }) => [code, path])
