/** What survives a restart, also after the operator removed the preset. Source: requirement 9.3; contract 4. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '../../support/client.ts'
import { openTroupe } from '../../support/troupe.ts'
import { expectError } from '../../support/world/replies.ts'
import { knowing, openProvider, type Provider, presetAt, withPresets } from './provider.ts'
import { clientOf, credentials, dataOf } from './world.ts'

let provider: Provider
let folder: string
let key: string
let id: string

beforeAll(async () => {
  provider = openProvider()
  provider.answers(knowing(credentials.clientId, credentials.clientSecret))
  folder = await mkdtemp(join(tmpdir(), 'troupe-'))
  id = await during([presetAt('acme', provider.url)], async (client) => dataOf(await client.register()).id)
})
afterAll(async () => {
  provider?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts the server with these presets, and stops it when the work is done. */
async function during<Result>(presets: object[], work: (client: ReturnType<typeof clientOf>) => Promise<Result>) {
  const troupe = await withPresets(presets, (path) =>
    openTroupe({
      folder,
      environment: { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_PRESETS_FILE: path },
    }),
  )
  key ??= troupe.key
  try {
    return await work(clientOf(api(troupe.url, key)))
  } finally {
    await troupe.stop()
  }
}

test('after a restart the secret is still stored, and the provider still accepts the client', async () => {
  await during([presetAt('acme', provider.url)], async (client) => {
    expect(dataOf(await client.verify(id))).toMatchObject({
      outcome: 'verified',
      integration: { id, status: 'active' },
    })
  })
})

test('an integration without its preset can be read and deleted, but neither verified nor rotated', async () => {
  const asked = provider.asked.length
  await during([], async (client) => {
    expect((await client.list()).body.data.items).toHaveLength(1)
    expect(dataOf(await client.get(id))).toMatchObject({ presetKey: 'acme', status: 'active' })
    expectError(await client.verify(id), 400, 'preset_removed')
    expectError(await client.rotate(id, { clientSecret: 'other' }), 400, 'preset_removed')
    expectError(await client.register(), 422, 'validation_failed')
    expect((await client.remove(id)).status).toBe(204)
  })
  expect(provider.asked).toHaveLength(asked)
})
