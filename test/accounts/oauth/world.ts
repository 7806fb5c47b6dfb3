/**
 * A server whose organization has registered clients at two providers: `acme`, a real OpenID provider, and `odd`,
 * which responds as a test configures it. Addresses are `http://troupe.test`, which does not exist: tests follow redirects.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, Reply } from '../../support/client.ts'
import { openIdentityProvider } from '../../support/services/identity-provider.ts'
import { ownerEmail, ownerPassword } from '../../support/troupe.ts'
import { openWorld as openTenancy } from '../../support/world/world.ts'
import { type OddProvider, openOddProvider } from './odd-provider.ts'

export const publicUrl = 'http://troupe.test'
export const redirectUri = (presetKey: string) => `${publicUrl}/api/oauth/callback/${presetKey}`

export const presetOf = (presetKey: string, more: object) => ({
  presetKey,
  name: presetKey === 'acme' ? 'Acme' : 'Odd',
  scopes: ['openid', 'email', 'offline_access'].map((name) => ({ name, description: 'A scope.' })),
  defaultScopes: ['openid', 'email', 'offline_access'],
  principalBinding: 'user',
  setupInstructions: 'Register a client.',
  authorizationParameters: { prompt: 'consent' },
  ...more,
})

/** Presets at the provider that responds as a test configures it. */
export const oddPresets = ({ url }: OddProvider) => {
  const endpoints = { authorizationEndpoint: `${url}/authorize`, tokenEndpoint: `${url}/token` }
  return [
    presetOf('odd', { ...endpoints, userinfoEndpoint: `${url}/userinfo`, apiBaseUrl: `${url}/api` }),
    presetOf('strict', { ...endpoints, issuer: url }),
  ]
}

/** A file of presets for a server. */
export async function presetsFile(presets: readonly object[]) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-oauth-'))
  const path = join(folder, 'presets.json')
  await Bun.write(path, JSON.stringify(presets))
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A flow that was started: what the browser holds. */
export interface Begun {
  location: string
  state: string
  cookie: string
}

export async function openWorld(environment: Record<string, string> = {}) {
  const acme = await openIdentityProvider({ redirectUris: [redirectUri('acme')] })
  const odd = openOddProvider()
  const { authorizationEndpoint, tokenEndpoint, issuer } = acme
  const presets = await presetsFile([
    presetOf('acme', { authorizationEndpoint, tokenEndpoint, issuer, apiBaseUrl: `${odd.url}/api` }),
    ...oddPresets(odd),
  ])
  const tenancy = await openTenancy({
    logLevel: 'debug',
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_PUBLIC_URL: publicUrl,
      TROUPE_PRESETS_FILE: presets.path,
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      ...environment,
    },
  })
  const { owner, ours, url } = tenancy
  const project = await tenancy.project()
  const [environmentId] = project.environments
  const path = `${project.path}/environments/${environmentId}`

  const register = async (presetKey: string, client: Client = owner, organizationId = ours): Promise<string> => {
    const { status, body } = await client.post(`/api/v1/organizations/${organizationId}/integrations`, {
      presetKey,
      clientId: acme.clientId,
      clientSecret: acme.clientSecret,
    })
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body.data.id
  }
  const integrations = { acme: await register('acme'), odd: await register('odd'), strict: await register('strict') }

  const start = (presetKey: string, query: object = {}, client: Client = owner) =>
    client.get(`/api/oauth/start/${presetKey}`, {
      query: { projectId: project.id, environmentId, ...query } as Record<string, string>,
    })

  const world = {
    ...tenancy,
    acme,
    odd,
    project,
    /** Another Project. */
    newProject: tenancy.project,
    environmentId,
    path,
    register,
    integrations,
    start,

    async begin(presetKey: string, query: object = {}, client: Client = owner): Promise<Begun> {
      const reply = await start(presetKey, query, client)
      if (reply.status !== 302) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`)
      return begunBy(reply)
    },

    /** Calls the callback with the provider's response; the cookie is the flow's unless given. */
    arrive(
      presetKey: string,
      begun: Pick<Begun, 'cookie'>,
      query: Record<string, string>,
      client: Client = owner,
    ): Promise<Reply> {
      return client.get(`/api/oauth/callback/${presetKey}`, { query, headers: { cookie: begun.cookie } })
    },

    /** Runs the flow from the start to the browser's final URL, with a consent at the real provider. */
    async connect(query: object = {}, login = 'ada', client: Client = owner): Promise<URL> {
      const begun = await world.begin('acme', query, client)
      return world.finish(begun, await acme.consent(begun.location, { login }), client)
    },

    async finish(begun: Pick<Begun, 'cookie'>, address: string, client: Client = owner): Promise<URL> {
      const query = Object.fromEntries(new URL(address).searchParams)
      const { status, headers } = await world.arrive('acme', begun, query, client)
      if (status !== 302) throw new Error(`The callback returned ${status}.`)
      return new URL(headers.get('location')!)
    },

    /** The same, at the provider that responds as a test configures it. */
    async connectOddly(presetKey = 'odd', query: object = {}): Promise<URL> {
      const begun = await world.begin(presetKey, query)
      const { headers } = await world.arrive(presetKey, begun, { code: 'a-code', state: begun.state })
      return new URL(headers.get('location')!)
    },

    async connection(id: string) {
      return (await owner.get(`${path}/connections/${id}`)).body.data
    },

    /** The cookie of a new session of the owner. */
    async signIn(): Promise<string> {
      const answer = await fetch(`${url}/api/auth/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: ownerEmail, password: ownerPassword }),
      })
      return answer.headers.getSetCookie()[0]!.split(';')[0]!
    },

    async stop() {
      await tenancy.stop()
      await acme.close()
      odd.stop()
      await presets.remove()
    },
  }
  return world
}
export type World = Awaited<ReturnType<typeof openWorld>>

export function begunBy({ headers }: { headers: Headers }): Begun {
  const location = headers.get('location')!
  const cookie = headers
    .getSetCookie()
    .find((line) => line.includes('troupe_oauth_'))!
    .split(';')[0]!
  return { location, state: new URL(location).searchParams.get('state')!, cookie }
}

/** What the redirect tells the browser: the final path and the outcome. */
export const outcomeOf = ({ origin, pathname, searchParams }: URL): Record<string, string> => ({
  at: origin + pathname,
  ...Object.fromEntries(searchParams),
})
