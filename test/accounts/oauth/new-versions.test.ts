/** New versions of a Connection by consent. Source: contract 4; requirement 4.3. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { World } from '../../runs/project/world.ts'
import { data } from '../../support/world/replies.ts'
import { numberUp } from '../../tenancy/quotas/fill.ts'
import { type Consents, openConsents } from './consenting.ts'
import type { OddProvider } from './odd-provider.ts'

let consents: Consents
let world: World
let odd: OddProvider
let connect: Consents['connect']
beforeAll(async () => {
  consents = await openConsents()
  ;({ world, odd, connect } = consents)
})
afterAll(() => consents?.stop())
beforeEach(() => odd.reset())

describe('a new version', () => {
  const change = async (version: object) => {
    const place = await world.place()
    const id = await connect(place, null)
    return world.owner.patch(`${place.path}/connections/${id}`, { version })
  }
  const baseUrl = 'https://api.example.com'

  test.each([
    ['settings alone', { settings: { baseUrl } }],
    ['settings and no credential', { providerCredentialId: null, settings: { baseUrl, auth: 'bearer' } }],
    ['nothing', {}],
  ])('with %s keeps the consent', async (_, version) => {
    const { status, body } = await change(version)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      currentVersion: { number: 2 },
      settings: { auth: 'bearer' },
      oauth: { account: { id: 'odd-1' } },
    })
  })

  test('sends the token to another address only with the permission to make consents', async () => {
    const place = await world.place()
    const id = await connect(place, null)
    const keyWith = async (operations: string[]) => {
      const { secret } = await data<{ secret: string }>(
        world.owner.post('/api/v1/api-keys', { name: 'key', operations }),
      )
      return world.as(secret)
    }
    const version = (url: string) => ({ version: { settings: { baseUrl: url } } })
    const path = `${place.path}/connections/${id}`
    const updating = await keyWith(['connections:update', 'connections:create'])
    const { status, body } = await updating.patch(path, version(baseUrl))
    expect([status, body.error.details.permission]).toEqual([403, 'connections:start-oauth'])
    expect((await updating.patch(path, version(`${odd.url}/another/path`))).status).toBe(200)
    const connecting = await keyWith(['connections:update', 'connections:start-oauth'])
    expect((await connecting.patch(path, version(baseUrl))).status).toBe(200)
  })

  test('with a credential returns 422', async () => {
    const { id } = await world.credential('custom', 'a-secret')
    const { status, body } = await change({ providerCredentialId: id })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues[0].path).toBe('/body/version/providerCredentialId')
  })

  test.each(['basic', 'header'])('with auth %s returns 422, since its token is a bearer token', async (auth) => {
    const { status } = await change({ settings: { baseUrl, auth, ...(auth === 'header' && { headerName: 'X-Key' }) } })
    expect(status).toBe(422)
  })

  test('of a Connection without a consent or a credential accepts settings alone', async () => {
    const place = await world.place()
    const { id } = await world.connection(place, (await world.agent(place)).agentId)
    const { status, body } = await world.owner.patch(`${place.path}/connections/${id}`, {
      version: { settings: { baseUrl } },
    })
    expect([status, body.data.settings]).toEqual([200, { baseUrl }])
  })
})

test('a Connection with 10,000 versions accepts no more consents', async () => {
  const place = await world.place()
  const id = await connect(place, null)
  numberUp(world.file, ['connection_versions', 'connection_id', id], 10_000)
  expect(await connect(place, null)).toBe(id)
  // the flow ends without a Connection
  expect(await connect(place, null)).toBeNull()
  expect(world.rows('select 1 from oauth_grants where connection_id = ?', id)).toHaveLength(2)
})
