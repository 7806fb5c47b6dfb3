/** Nothing refers to a credential that was deleted meanwhile, or is none of the organization. Source: contract 4. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { insertConnectionVersion } from '../../../storage/delivery/connections.ts'
import {
  deleteProviderSetting,
  insertProviderSetting,
  updateProviderSetting,
} from '../../../storage/delivery/provider-settings.ts'
import type { Write } from '../../../storage/store.ts'
import { type Guards, openGuards, type Row, type Tree } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

/** A credential of the organization, with the versions 1 and 2. */
function credential({ organization_id }: Tree): string {
  const { id } = world.plant('provider_credentials', { organization_id, status: 'active', current_version: 2 })
  for (const version of [1, 2]) world.plant('provider_credential_versions', { credential_id: id, version })
  return id
}

interface Reference {
  provider_credential_id: string | null
  provider_credential_version: number | null
}

const settingAsRead = (row: Row) => ({
  setting_id: row.setting_id,
  providerWas: row.provider,
  modelWas: row.model,
  settingsWas: row.settings,
  credentialWas: row.provider_credential_id,
  versionWas: row.provider_credential_version,
})
const replaced = (row: Row, refers: Reference) =>
  updateProviderSetting(world.store, {
    ...row,
    ...settingAsRead(row),
    ...refers,
    credentialWanted: refers.provider_credential_id,
    versionWanted: refers.provider_credential_version,
  })

const uses: readonly [what: string, prepare: (at: Tree) => (refers: Reference) => Write][] = [
  [
    'new provider setting',
    (at) => (refers) => {
      const row = world.row('provider_settings', { ...at, ...refers })
      return insertProviderSetting(world.store, { ...row, projectId: at.project_id })
    },
  ],
  [
    'changed provider setting',
    (at) => {
      const row = world.plant('provider_settings', at)
      return (refers) => replaced(row, refers)
    },
  ],
  [
    'version of a Connection',
    (at) => {
      const { id } = world.plant('connections', { ...at, status: 'active' })
      return (refers) => {
        const values = { ...at, ...refers, connection_id: id, settings: '{}' }
        const { number: _, ...row } = world.row('connection_versions', values)
        return insertConnectionVersion(world.store, row)
      }
    },
  ],
]

test.each(uses)('a %s refers to no credential that is gone, and to no version of it that is', async (_, prepare) => {
  const at = world.tree()
  const id = credential(at)
  const refer = prepare(at)
  const isStale = (provider_credential_version: number | null) =>
    world.isStale(refer({ provider_credential_id: id, provider_credential_version }))
  expect(await isStale(3)).toBe(true)
  world.rows('delete from provider_credential_versions where credential_id = ? and version = 1', id)
  world.plant('provider_credential_versions', { credential_id: credential(at), version: 3 })
  expect([await isStale(1), await isStale(3)]).toEqual([true, true])
  for (const lost of [
    `update provider_credentials set status = 'deleting' where id = ?`,
    'delete from provider_credentials where id = ?',
  ]) {
    world.rows(lost, id)
    expect([await isStale(null), await isStale(2)]).toEqual([true, true])
  }
})

test.each(uses)('a %s refers to a credential that is there, to one of its versions, or to none', async (_, prepare) => {
  for (const [isNone, version] of [
    [true, null],
    [false, null],
    [false, 1],
  ] as const) {
    const at = world.tree()
    const id = credential(at)
    const refers = { provider_credential_id: isNone ? null : id, provider_credential_version: version }
    expect(await world.isStale(prepare(at)(refers))).toBe(false)
  }
})

test.each(uses)('a %s refers to no credential of another organization', async (_, prepare) => {
  const [at, other] = [world.tree(), world.tree()]
  const refers = { provider_credential_id: credential(other), provider_credential_version: null }
  expect(await world.isStale(prepare(at)(refers))).toBe(true)
})

test('a version is added to one Connection, with its next number, and to none of another organization', async () => {
  const [at, other] = [world.tree(), world.tree()]
  const connection = (place: Tree) => world.plant('connections', { ...place, status: 'active' }).id
  const [one, beside, foreign] = [connection(at), connection(at), connection(other)]
  const add = (connection_id: string) => {
    const { number: _, ...row } = world.row('connection_versions', { ...at, connection_id, settings: '{}' })
    return world.isStale(insertConnectionVersion(world.store, row))
  }
  expect([await add(one), await add(one), await add(beside), await add(foreign)]).toEqual([false, false, false, true])
  const numbered = 'select number from connection_versions where connection_id = ? order by number'
  const numbersOf = (id: string) => world.rows(numbered, id).map(({ number }) => number)
  expect([one, beside, foreign].map(numbersOf)).toEqual([[1, 2], [1], []])
})

test.each([
  ['provider', 'openai'],
  ['model', 'another'],
  ['settings', '{"temperature":1}'],
  ['provider_credential_id', 'crd_other'],
  ['provider_credential_version', 7],
])('a provider setting whose %s has changed is neither replaced nor deleted', async (column, value) => {
  const at = world.tree()
  const read = { provider: 'anthropic', model: 'one', settings: '{}' }
  const row = world.plant('provider_settings', { ...at, ...read })
  const beside = world.plant('provider_settings', { ...world.tree(), ...read })
  const none = { provider_credential_id: null, provider_credential_version: null }
  world.rows(`update provider_settings set ${column} = ? where setting_id = ?`, value, row.setting_id)
  const stored = world.rows('select * from provider_settings order by setting_id')
  expect(await world.isStale(replaced(row, none))).toBe(true)
  expect(await world.isStale(deleteProviderSetting(world.store, settingAsRead(row)))).toBe(true)
  expect(world.rows('select * from provider_settings order by setting_id')).toEqual(stored)
  expect(await world.isStale(replaced(beside, none))).toBe(false)
  expect(await world.isStale(deleteProviderSetting(world.store, settingAsRead(beside)))).toBe(false)
})
