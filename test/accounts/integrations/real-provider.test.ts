/** Tests against a third-party OAuth server, oidc-provider. Source: requirement 4.8, rules 1, 3, 5, 6. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type IdentityProvider, openIdentityProvider } from '../../support/services/identity-provider.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { expectError } from '../../support/world/replies.ts'
import { presetAt, withPresets } from './provider.ts'
import { clientOf, dataOf } from './world.ts'

// characters that change meaning unless they are encoded
const known = { clientId: 'known:client', clientSecret: 'a secret/with+signs=and%more' }
let provider: IdentityProvider
let troupe: Troupe
let integrations: ReturnType<typeof clientOf>

beforeAll(async () => {
  const redirectUris = ['http://localhost/api/oauth/callback/oidc']
  provider = await openIdentityProvider({ ...known, redirectUris })
  troupe = await withPresets([presetAt('oidc', provider.issuer)], (path) =>
    openTroupe({
      environment: { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_PRESETS_FILE: path },
    }),
  )
  integrations = clientOf(troupe.owner)
})
afterAll(async () => {
  await troupe?.stop()
  await provider?.close()
})

const register = (body: object) => integrations.register({ presetKey: 'oidc', ...body })

test('registering a client that the provider does not know is refused', async () => {
  expectError(await register({ ...known, clientId: 'unknown' }), 400, 'integration_invalid_client')
})

test('registering with a wrong secret is refused', async () => {
  expectError(await register({ ...known, clientSecret: 'wrong' }), 400, 'integration_invalid_client')
})

test('a client that the provider knows is registered and verified, and is kept when a rotation has a wrong secret', async () => {
  const { id } = dataOf(await register(known))
  expect(dataOf(await integrations.verify(id)).outcome).toBe('verified')
  expectError(await integrations.rotate(id, { clientSecret: 'wrong' }), 400, 'integration_invalid_client')
  expect(dataOf(await integrations.verify(id)).outcome).toBe('verified')
  expect(dataOf(await integrations.rotate(id, known)).currentVersion.number).toBe(2)
})
