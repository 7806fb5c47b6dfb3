/** A server over a store whose entities were written by operations before it was started. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Client, Reply } from '../../support/client.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { dataOf, type Loose } from '../../support/world/replies.ts'
import { bundleOf, type Caller, openEntities, order } from './store-world.ts'

/** The data of a response; any other status fails the test. */
export const data = async (reply: Promise<Reply>): Promise<Loose> => dataOf(await reply)

export interface Place {
  organizationId: string
  projectId: string
  environmentId: string
  /** `{Proj}` */
  project: string
  /** `{P}` */
  path: string
  bundle: DeployedBundle
}

type Write = (
  caller: Caller,
  action: 'create' | 'update' | 'transition' | 'delete',
  input: object,
) => Promise<{ id: string }>

/** Calls `write` with the Environment while no server runs. */
export async function openWorld<Written>(write: (place: Place, perform: Write) => Promise<Written>) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-entities-'))
  const environment = { TROUPE_RUNNER: 'none' }
  let troupe: Troupe = await openTroupe({ folder, environment })
  const { key, file } = troupe
  const place = await newPlace(troupe.owner)
  await troupe.stop()

  const entities = await openEntities({ address: `sqlite:${file}`, clock: systemClock })
  const written = await write(place, entities.perform)
  await entities.close()

  troupe = await openTroupe({ folder, environment })
  const owner = troupe.as(key)
  return {
    owner,
    place,
    written,
    as: (secret: string | null) => troupe.as(secret),
    url: troupe.url,
    key,
    /** A client with a new key that has these permissions only. */
    async keyOf(operations: readonly string[], scope: object = {}): Promise<Client> {
      const { secret } = await data(owner.post('/api/v1/api-keys', { name: 'key', operations, ...scope }))
      return troupe.as(secret)
    },
    async stop() {
      await troupe.stop()
      await rm(folder, { recursive: true, force: true })
    },
    file,
  }
}

/** An active Environment of a Project with a Definition of orders. */
async function newPlace(owner: Client): Promise<Place> {
  const { id: projectId, organizationId } = await data(owner.post('/api/v1/projects', { slug: 'shop', name: 'Shop' }))
  const project = `/api/v1/projects/${projectId}`
  const { items } = await data(owner.get(`${project}/environments`))
  const environmentId: string = items[0].id
  const path = `${project}/environments/${environmentId}`
  await data(owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  for (const name of ['order', 'empty']) {
    const definition = await data(owner.post(`${project}/definitions`, { name, kind: 'entity' }))
    await data(owner.post(`${project}/definitions/${definition.id}/revisions`, { source: order }))
  }
  await data(owner.post(`${project}/definitions`, { name: 'tools', kind: 'operations' }))
  const where = { organizationId, projectId, environmentId }
  return { ...where, project, path, bundle: bundleOf(where, { order, ghost: order }) }
}
