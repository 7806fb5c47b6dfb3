/** Creations on the way to a Deployment, repeated with the same key. Source: contract 0, "Idempotency-Key". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Place } from '../../support/world/places.ts'
import { openWorld, type World } from './world.ts'

let world: World
let place: Place
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
})
afterAll(() => world?.stop())

const head = async () => (await place.owner.get(place.path)).body.data.configurationHead.revisionId
const organization = () => `/api/v1/organizations/${world.ours}`

const names = {
  prj: 'projectId',
  env: 'environmentId',
  agt: 'agentId',
  def: 'definitionId',
  org: 'organizationIdOrSlug',
}
const templateOf = (path: string) =>
  path.replaceAll(/(?<=\/)([a-z]{3})_\w+/g, (_, prefix: keyof typeof names) => `{${names[prefix]}}`)

type Asked = [path: string, body: Record<string, unknown>, another: Record<string, unknown>]

test.each<[string, () => Promise<Asked>]>([
  [
    'an Agent Revision',
    async () => {
      const content = { instructions: 'Help.', metadata: { z: 1, a: 2 } }
      return [`${(await world.agent(place)).path}/revisions`, { content }, { content: { instructions: 'No.' } }]
    },
  ],
  [
    'a Definition Revision',
    async () => {
      const { path, source } = await world.definition(place, 'orders', ['find'])
      return [`${path}/revisions`, { source }, { source: { operations: source.operations.slice(0, 0) } }]
    },
  ],
  [
    'a Release',
    async () => {
      const { agentId, agentRevisionId } = await world.agent(place)
      const agents = [{ agentId, agentRevisionId }]
      return [`${place.project}/releases`, { agents }, { agents, description: 'Another.' }]
    },
  ],
  [
    'a Configuration Revision',
    async () => {
      const body = { expectedHeadRevisionId: await head() }
      return [`${place.path}/configuration-revisions`, body, { ...body, description: 'Another.' }]
    },
  ],
  [
    'a Deployment',
    async () => {
      const releaseId = await world.release(place, [await world.agent(place)])
      return [`${place.path}/deployments`, { releaseId }, { releaseId, credentials: 'current' }]
    },
  ],
  [
    'a Connection',
    async () => {
      const body = { name: 'Shop', kind: 'custom', settings: {} }
      return [`${place.path}/connections`, body, { ...body, name: 'Other' }]
    },
  ],
  [
    'a variable',
    async () => {
      const body = { name: 'REPEATED', value: 'hunter2-value' }
      return [`${place.path}/variables`, body, { ...body, value: 'hunter3-value' }]
    },
  ],
  [
    'a variable of the organization',
    async () => {
      const body = { name: 'REPEATED', value: 'hunter2-value' }
      return [`${organization()}/variables`, body, { ...body, value: 'hunter3-value' }]
    },
  ],
  [
    'a provider credential',
    async () => {
      const body = { label: 'Key', provider: 'openai', credentialType: 'api_key', secret: 'hunter2-secret' }
      return [`${organization()}/provider-credentials`, body, { ...body, secret: 'hunter3-secret' }]
    },
  ],
  [
    'a job',
    async () => {
      const { agentId } = await world.agent(place)
      const body = { name: 'Nightly', agentId, query: 'Hello', schedule: { cron: '0 3 * * *', timezone: 'UTC' } }
      return [`${place.path}/agent-jobs`, body, { ...body, query: 'Bye' }]
    },
  ],
])('%s is created once', async (name, prepare) => {
  const [path, body, another] = await prepare()
  const headers = { 'idempotency-key': `key of ${name}` }
  const send = (sent: object, more: Record<string, string> = headers) => place.owner.post(path, sent, { headers: more })
  const first = await send(body)
  expect({ name, status: first.status, error: first.body?.error }).toMatchObject({ status: expect.any(Number) })
  expect(first.status).toBeLessThan(300)
  const again = await send(body)
  expect([again.status, again.body]).toEqual([first.status, first.body])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  // a key that an earlier version has stored has the same scope
  const kept = world.rows<{ scope: string }>(
    'select scope from idempotency_keys where scope like ?',
    `%\n${headers['idempotency-key']}`,
  )
  expect(kept.map(({ scope }) => scope.split('\n')[1])).toEqual([`POST ${templateOf(path)}`])
  const other = await send(another)
  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused'])
  const malformed = await send(body, { 'idempotency-key': 'x'.repeat(256) })
  expect([malformed.status, malformed.body.error.code]).toEqual([400, 'invalid_idempotency_key'])
})
