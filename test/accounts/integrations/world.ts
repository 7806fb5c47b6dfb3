/** A server with presets that lead to a provider on this machine, and a client of its owner. */
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { api, type Client, type Reply } from '../../support/client.ts'
import { ownerEmail, ownerPassword, type Troupe, type TroupeOptions } from '../../support/troupe.ts'
import { openWorld as openServer } from '../../support/world/world.ts'
import { openProvider, presetAt, withPresets } from './provider.ts'

export const base = '/api/v1/organizations/default/integrations'
export const credentials = { clientId: 'client-1', clientSecret: 'secret-1' }

export interface WorldOptions {
  clock?: Clock
  logLevel?: TroupeOptions['logLevel']
  /** Keys of more presets at the same provider; `acme` is always there. */
  presetKeys?: string[]
  /** Besides the usual settings. */
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
    /** Rows of a table, as they are stored. */
    rows: (table: string) => troupe.rows(`select * from ${table} order by 1`),
    async stop() {
      await troupe.stop()
      provider.stop()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** The operations, with this credential. */
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
export async function anotherOrganization({ url }: Troupe, slug = 'other') {
  const visitor = api(url)
  const signedIn = await visitor.post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
  const headers = {
    cookie: (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] as string,
    'x-csrf-token': signedIn.body.data.csrfToken as string,
  }
  const { id } = dataOf(await visitor.post('/api/v1/organizations', { slug, name: slug }, { headers }))
  const key = await visitor.post(
    '/api/v1/api-keys',
    { name: slug, operations: ['*'] },
    { headers: { ...headers, 'x-troupe-organization': id } },
  )
  return {
    id: id as string,
    client: api(url, key.body.data.secret),
    path: `/api/v1/organizations/${slug}/integrations`,
  }
}
