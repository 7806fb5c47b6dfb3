/** Two organizations with every resource that a path can name, and the keys that must be rejected. */

import { openProvider, presetAt, withPresets } from '../../accounts/integrations/provider.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api, type Reply } from '../../support/client.ts'
import { openTroupe, ownerEmail, ownerPassword } from '../../support/troupe.ts'
import type { Operation } from './document.ts'
import { expectStatus, furnish } from './furnish.ts'
import type { Row } from './matrix/rows.ts'

const hour = 3_600_000

/** Keys with all permissions, except `stranger`, which has none; the last three are bound to another resource of ours. */
export type Credential =
  | 'owner'
  | 'stranger'
  | 'expired'
  | 'foreign'
  | 'otherProject'
  | 'otherEnvironment'
  | 'otherAgent'

export async function openWorld() {
  const clock = new HandClock()
  // the matrix would exceed the rate limits
  const environment = {
    TROUPE_RATE_LIMIT_PER_MINUTE: '0',
    TROUPE_RUNNER: 'none',
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
  }
  const provider = openProvider()
  const server = await withPresets([presetAt('acme', provider.url)], (path) =>
    openTroupe({ clock, environment: { ...environment, TROUPE_PRESETS_FILE: path } }),
  )
  const troupe = {
    ...server,
    async stop() {
      await server.stop()
      provider.stop()
    },
  }
  const { owner } = troupe
  const ours = await furnish(
    owner,
    (await expectStatus(200, owner.get('/api/v1/organizations'))).data.items[0].id,
    'ours',
    troupe.file,
  )
  const other = (await expectStatus(201, owner.post('/api/v1/projects', { slug: 'other', name: 'Other' }))).data.id
  const siblings = (await expectStatus(200, owner.get(`/api/v1/projects/${ours.project}/environments`))).data.items
  const sibling = (
    await expectStatus(201, owner.post(`/api/v1/projects/${ours.project}/agents`, { slug: 'sibling', name: 'Sibling' }))
  ).data.id

  // the same user owns the other organization: the isolation does not depend on who created the keys
  const signedIn = await api(troupe.url).post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
  const session = {
    cookie: (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] as string,
    'x-csrf-token': signedIn.body.data.csrfToken as string,
  }
  const stranger = api(troupe.url)
  const foreign = (
    await expectStatus(
      200,
      stranger.post('/api/v1/organizations', { slug: 'foreign', name: 'Foreign' }, { headers: session }),
    )
  ).data.id
  const foreignKey = (
    await expectStatus(
      201,
      stranger.post(
        '/api/v1/api-keys',
        { name: 'foreign', operations: ['*'] },
        { headers: { ...session, 'x-troupe-organization': foreign } },
      ),
    )
  ).data.secret
  const foreigner = troupe.as(foreignKey)
  const theirs = await furnish(foreigner, foreign, 'theirs', troupe.file)

  const newKey = async (body: object): Promise<string> =>
    (await expectStatus(201, owner.post('/api/v1/api-keys', { name: 'key', operations: ['*'], ...body }))).data.secret
  const expired = await newKey({ expiresAt: new Date(clock.now() + hour).toISOString() })
  clock.advance(hour + 1)
  const permissions: string[] = (await expectStatus(200, owner.get('/api/v1/api-keys'))).data.items.find(
    ({ name }: { name: string }) => name === 'bootstrap',
  ).operations

  const lacking = new Map<string, Promise<string>>()
  const keys: Record<Credential, string | null> = {
    owner: troupe.key,
    stranger: null,
    expired,
    foreign: foreignKey,
    otherProject: await newKey({ projectId: other }),
    otherEnvironment: await newKey({ projectId: ours.project, environmentId: siblings[1].id }),
    otherAgent: await newKey({ projectId: ours.project, agentId: sibling }),
  }
  const send = async ({ method, path }: Operation, row: Row, credential: string | null): Promise<Reply> => {
    const values = row.path?.(ours) ?? {}
    const concrete = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no-${name}`)
    const client = troupe.as(credential)
    if (!row.endless) {
      const query = row.query?.(ours)
      return client.call(method.toUpperCase(), concrete, row.body?.(ours), query ? { query } : {})
    }
    const ended = new AbortController()
    const answer = await client.raw(method.toUpperCase(), concrete, undefined, { signal: ended.signal })
    const body = answer.status < 400 ? undefined : await answer.json()
    ended.abort()
    return { status: answer.status, headers: answer.headers, body, requestId: '' }
  }
  return {
    troupe,
    ours,
    theirs,
    client: (credential: Credential) => troupe.as(keys[credential]),
    /** Calls the operation on our resources with this credential. */
    ask: (operation: Operation, row: Row, credential: Credential) => send(operation, row, keys[credential]),
    /** Calls it with a key that has all permissions except one. */
    async askWithout(operation: Operation, row: Row, permission: string): Promise<Reply> {
      const lacks = [permission, ...(row.or ?? [])]
      const known =
        lacking.get(lacks.join()) ?? newKey({ operations: permissions.filter((name) => !lacks.includes(name)) })
      lacking.set(lacks.join(), known)
      return send(operation, row, await known)
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
