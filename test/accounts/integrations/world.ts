/** A server with presets that point to a provider on loopback, and a client of its owner. */
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import type { Client, Reply } from '../../support/client.ts'
import type { Troupe, TroupeOptions } from '../../support/troupe.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { openWorld as openServer } from '../../support/world/world.ts'
import { openProvider, presetAt, withPresets } from './provider.ts'

export const base = '/api/v1/organizations/default/integrations'
export const credentials = { clientId: 'client-1', clientSecret: 'secret-1' }

interface WorldOptions {
  clock?: Clock
  logLevel?: TroupeOptions['logLevel']
  /** Keys of more presets at the same provider; `acme` is always present. */
  presetKeys?: string[]
  /** Added to the usual settings. */
  environment?: Record<string, string>
}

export async function openWorld({ presetKeys = [], clock, logLevel, environment }: WorldOptions = {}) {
  const provider = openProvider()
  const presets = ['acme', ...presetKeys].map((key) => presetAt(key, provider.url))
  const troupe = await withPresets(presets, (path) =>
    openServer({
      clock: clock ?? systemClock,
      environment: {
        TROUPE_RUNNER: 'none',
        TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
        TROUPE_PRESETS_FILE: path,
        ...environment,
      },
      ...(logLevel && { logLevel }),
    }),
  )
  const { owner } = troupe
  const client = clientOf(owner)
  return {
    ...client,
    provider,
    troupe,
    /** Rows of a table as stored. */
    rows: (table: string) => troupe.rows(`select * from ${table} order by 1`),
    async stop() {
      await troupe.stop()
      provider.stop()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** The operations, called with this credential. */
export const clientOf = (client: Client, path = base) => ({
  list: () => client.get(path),
  register: (body: unknown = {}) => client.post(path, { presetKey: 'acme', ...credentials, ...(body as object) }),
  get: (id: string) => client.get(`${path}/${id}`),
  rotate: (id: string, body: unknown) => client.patch(`${path}/${id}`, body),
  verify: (id: string) => client.post(`${path}/${id}/verify`),
  remove: (id: string) => client.delete(`${path}/${id}`),
})

/** The data of an answer that must be a success. */
export function dataOf({ status, body }: Reply) {
  if (status !== 200) throw new Error(`${status} instead of 200: ${JSON.stringify(body)}`)
  return body.data
}

/** An organization besides the first one, with a key of its own. */
export async function anotherOrganization(troupe: Pick<Troupe, 'url' | 'as'>) {
  const { id, slug, client } = await newOrganization(troupe)
  return { id, client, path: `/api/v1/organizations/${slug}/integrations` }
}
