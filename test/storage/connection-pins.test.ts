/** The deletion of a Connection reads no more than the Configuration Revisions that its caller has not looked at. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteConnection, listPinsOfConnection } from '../../storage/delivery/connections.ts'
import { StaleWrite } from '../../storage/errors.ts'
import type { Store } from '../../storage/store.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'
import { insert, openFile } from '../tenancy/deletions/rows.ts'

const key = { organizationId: 'org_1', environmentId: 'env_1', id: 'con_1' }

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-pins-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  const database = openFile(join(folder, 'troupe.db'))
  database.run('pragma foreign_keys = off')
  const place = { organization_id: key.organizationId, environment_id: key.environmentId }
  insert(database, 'connections', {
    id: key.id,
    ...place,
    name: 'Shop',
    kind: 'http',
    status: 'active',
    current_version_id: 'cnv_1',
    created_at: 1,
    updated_at: 1,
  })
  for (let number = 0; number < 5; number += 1) {
    const connections = number === 2 ? [{ connectionId: key.id }] : []
    insert(database, 'configuration_revisions', {
      id: `cfr_${number}`,
      ...place,
      number,
      content: JSON.stringify({ variables: [], connections, providerSettings: [] }),
      digest: 'sha256',
      created_by_type: 'user',
      created_by_id: 'usr_1',
      created_at: 1,
    })
  }
  database.close()
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

test('pages of Configuration Revisions tell which pin it', async () => {
  const page = (before: number, limit: number) => store.all(listPinsOfConnection(store, { ...key, before, limit }))
  expect((await page(Number.MAX_SAFE_INTEGER, 3)).map(({ number, pins }) => ({ number, pins }))).toEqual([
    { number: 4, pins: 0 },
    { number: 3, pins: 0 },
    { number: 2, pins: 1 },
  ])
  expect((await page(2, 3)).map(({ number, pins }) => ({ number, pins }))).toEqual([
    { number: 1, pins: 0 },
    { number: 0, pins: 0 },
  ])
})

test('only newer ones than were looked at refuse it', async () => {
  const remove = (seen: number) => store.commit(deleteConnection(store, { ...key, seen })).catch((error) => error)
  expect(await remove(1)).toBeInstanceOf(StaleWrite)
  expect(await remove(2)).toBeUndefined()
  expect(await remove(2)).toBeInstanceOf(StaleWrite)
})
