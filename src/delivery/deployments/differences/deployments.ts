/** The differences between two Deployments of an Environment, by name. Source: contract 3, "tells what differs, by name". */

import { findRelease } from '../../../../storage/authoring/releases.ts'
import { findConfigurationRevision } from '../../../../storage/delivery/configuration-revisions.ts'
import type { Store } from '../../../../storage/store.ts'
import type { DeploymentRow } from '../../../../storage/tables.ts'
import type { Room } from '../../../authoring/releases/differences/compare.ts'
import { mayRead, readableRelease } from '../../../authoring/releases/differences/readable.ts'
import { differencesMax, releaseDifferences } from '../../../authoring/releases/differences/releases.ts'
import { presentRelease } from '../../../authoring/releases/present.ts'
import { notFound } from '../../../platform/http/answers/errors.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { configurationFor } from '../read-pinned.ts'
import { configurationDifferences } from './configuration.ts'
import type { DeploymentDiff } from './schema.ts'

/** From `before` to `after`, both of one Environment, as far as the caller may read them. Throws `notFound`. */
export async function deploymentDifferences(
  store: Store,
  caller: Caller,
  before: DeploymentRow,
  after: DeploymentRow,
): Promise<DeploymentDiff> {
  const [one, other] = [await pinnedBy(store, before), await pinnedBy(store, after)]
  const room: Room = { left: differencesMax, truncated: false }
  const { nameOf, ...release } = await releaseDifferences(store, one.release, other.release, room)
  const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = after
  const readsConnection = (agentId: string | null) => mayRead(caller, 'connections:get', { projectId, agentId })
  const configuration = await configurationDifferences(
    store,
    { organizationId, environmentId, nameOf, readsConnection },
    { before: one.configuration, after: other.configuration },
    room,
  )
  return {
    before: one.side,
    after: other.side,
    release: readableRelease(caller, projectId, release),
    ...configuration,
    truncated: room.truncated,
  }
}

async function pinnedBy(store: Store, row: DeploymentRow) {
  const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = row
  const release = await store.first(findRelease(store, { organizationId, projectId, id: row.release_id }))
  const id = row.configuration_revision_id
  const revision = await store.first(findConfigurationRevision(store, { organizationId, environmentId, id }))
  if (!release || !revision) throw notFound()
  return {
    release,
    configuration: configurationFor(presentRelease(release).agents, revision),
    side: {
      deploymentId: row.id,
      configurationRevisionId: revision.id,
      configurationNumber: revision.number,
      credentials: row.credentials,
    },
  }
}
