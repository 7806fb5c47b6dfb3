/** Nothing becomes of a consent that ended meanwhile, of a Connection that is gone, or elsewhere. Source: contract 4. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  claimRefresh,
  disableConnectionOf,
  endGrant,
  noteFailedRefresh,
  reconnect,
  replaceTokens,
} from '../../../storage/accounts/oauth-grants.ts'
import type { Write } from '../../../storage/store.ts'
import { type Guards, openGuards, type Tree } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

interface Changes {
  /** Of rows that another server has changed. */
  grant?: object
  connection?: object
  environment?: object
  project?: object
  /** The organization of the command. */
  organizationId?: string
  at?: Tree
}

/** A consent whose tokens this server refreshes, and its Connection with the current version. */
function planted({ grant, connection, environment, project, organizationId, at = world.tree() }: Changes = {}) {
  const set = (table: string, id: string, values: object = {}) => {
    for (const [column, value] of Object.entries(values))
      world.rows(`update ${table} set ${column} = ? where id = ?`, value, id)
  }
  set('environments', at.environment_id, environment)
  set('projects', at.project_id, project)
  const { id } = world.plant('connections', { ...at, status: 'active', status_reason: null, ...connection })
  const consent = { ...at, connection_id: id, status: 'active', token_version: 3, refresher: 'me', ...grant }
  const { id: grantId } = world.plant('oauth_grants', consent)
  const version = { connection_id: id, oauth_grant_id: grantId, settings: '{}' }
  const { id: versionId } = world.plant('connection_versions', version)
  set('connections', id, { current_version_id: versionId })
  return {
    connectionId: id as string,
    grantId: grantId as string,
    versionId: versionId as string,
    at,
    organizationId: organizationId ?? at.organization_id,
  }
}
type Planted = ReturnType<typeof planted>

const claim = { tokenVersion: 3, refresher: 'you', until: 200, now: 100, tooFar: 1_000 }
const tokens = {
  tokenVersion: 3,
  nextVersion: 4,
  sealed: 's',
  renewable: 1 as const,
  expiresAt: 9,
  scopes: '[]',
  at: 5,
}
const writes: Record<string, (planted: Planted) => Write> = {
  'a claim of a refresh': (values) => claimRefresh(world.store, { ...values, ...claim }),
  'new tokens': (values) => replaceTokens(world.store, { ...values, ...tokens }),
  'the end of a consent': (values) => endGrant(world.store, { ...values, tokenVersion: 3, refresher: 'me', at: 5 }),
  'a new consent': (values) => reconnect(world.store, { ...values, at: 5 }),
}

const elsewhere: Changes = { organizationId: 'org_other' }
const gone: Changes = { connection: { status: 'deleting' } }
const ended: Changes = { grant: { status: 'ended' } }
const refreshed: Changes = { grant: { token_version: 4 } }
const taken: Changes = { grant: { refresher: 'another' } }
const claimed: Changes = { grant: { refresher_until: 150 } }
const none: Changes = {}
const free: Changes = { grant: { refresher_until: 100 } }

test.each<[string, Changes, Record<string, Changes>]>([
  ['a claim of a refresh', free, { elsewhere, gone, ended, refreshed, claimed }],
  ['new tokens', none, { elsewhere, gone, ended, refreshed }],
  ['the end of a consent', none, { elsewhere, gone, ended, refreshed, taken }],
  [
    'a new consent',
    none,
    {
      elsewhere,
      gone,
      'in an Environment that is being deleted': { environment: { state: 'deleting' } },
      'in a Project that is being deleted': { project: { status: 'deleting' } },
    },
  ],
])('%s is refused where its grounds are gone', async (what, sound, faults) => {
  const write = writes[what] as (planted: Planted) => Write
  // rows of others that would satisfy the conditions
  planted()
  expect(await world.isStale(write(planted(sound)))).toBe(false)
  for (const [fault, changes] of Object.entries(faults)) {
    const { grant = {} } = changes
    const there = planted({ ...sound, ...changes, grant: { ...sound.grant, ...grant } })
    expect([fault, await world.isStale(write(there))]).toEqual([fault, true])
  }
})

describe('without a refusal', () => {
  const grants = () => world.rows('select id, failed_at, refresher from oauth_grants order by id')
  const statuses = (of: Planted[]) =>
    of.map(({ grantId }) => world.rows('select status from oauth_grants where id = ?', grantId)[0].status)
  const connections = () => world.rows('select id, status, status_reason from connections order by id')

  test.each([
    ['held by another process', taken],
    ['elsewhere', elsewhere],
  ])('a failed refresh is not noted for a claim %s', async (_, changes) => {
    const there = planted(changes)
    const before = grants()
    await world.store.commit([noteFailedRefresh(world.store, { ...there, refresher: 'me', at: 7 })])
    expect(grants()).toEqual(before)
  })

  test('a failed refresh, or an end, is noted for its own consent only', async () => {
    const at = world.tree()
    const [other, there, third] = [planted({ at }), planted({ at }), planted({ at })]
    await world.store.commit([noteFailedRefresh(world.store, { ...there, refresher: 'me', at: 7 })])
    const of = (id: string) => grants().find((grant) => grant.id === id)
    expect(of(there.grantId)).toMatchObject({ failed_at: 7, refresher: null })
    expect(of(other.grantId)).toMatchObject({ refresher: 'me' })
    await world.store.commit([endGrant(world.store, { ...other, tokenVersion: 3, refresher: 'me', at: 5 })])
    expect(statuses([third, other])).toEqual(['active', 'ended'])
  })

  const ends = (there: Planted) =>
    world.store.commit([disableConnectionOf(world.store, { ...there, reason: 'ended', at: 7 })])

  test.each([
    ['elsewhere', elsewhere],
    ['that was disabled by hand', { connection: { status: 'disabled', status_reason: 'by hand' } }],
  ])('a Connection %s is not disabled', async (_, changes) => {
    const there = planted(changes)
    const before = connections()
    await ends(there)
    expect(connections()).toEqual(before)
  })

  test('nor one with a newer consent', async () => {
    const there = planted()
    const { connectionId } = there
    const newer = world.plant('connection_versions', { connection_id: connectionId, oauth_grant_id: 'oag_newer' })
    world.rows('update connections set current_version_id = ? where id = ?', newer.id, connectionId)
    const before = connections()
    await ends(there)
    expect(connections()).toEqual(before)
  })

  test('only the Connection of the consent is disabled', async () => {
    const [other, there] = [planted(), planted()]
    await ends(there)
    const of = (id: string) => connections().find((connection) => connection.id === id)
    expect(of(there.connectionId)).toMatchObject({ status: 'disabled', status_reason: 'ended' })
    expect(of(other.connectionId)).toMatchObject({ status: 'active' })
  })
})
