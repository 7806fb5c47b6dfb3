/** The servers of a store in PostgreSQL, and how they share its work. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import { SharedMembers } from '../../../src/platform/members/shared-members.ts'
import { parseKeyRing } from '../../../src/platform/secrets/keyring.ts'
import { StoreRefused } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import { openStore } from '../../../storage/open.ts'
import { lockMembership } from '../../../storage/postgres/locks.ts'
import { slotCount, slotOf } from '../../../storage/slots.ts'
import type { Store } from '../../../storage/store.ts'
import { eventually } from '../../support/process.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../../support/services/postgres.ts'

const sameRing = parseKeyRing(`same:${randomBytes(32).toString('base64')}`)

/** How many wait to join or to send a heartbeat. */
async function waitingFor(transaction: SQL): Promise<number> {
  return (await transaction`select 1 from pg_locks where locktype = 'advisory' and not granted`).length
}

describe.skipIf(!postgresIsInstalled())('members of a store', () => {
  let database: Database
  let admin: SQL
  const stores: Store[] = []
  const all: SharedMembers[] = []
  beforeAll(async () => {
    database = await newDatabase()
    admin = new SQL({ url: database.address, max: 1 })
  })
  afterAll(async () => {
    await Promise.all(all.map((members) => members.leave()))
    await Promise.all(stores.map((store) => store.close()))
    await admin?.close()
    await database?.remove()
  })

  async function join(
    publicUrl: string | null = 'https://troupe.example',
    now = Date.now,
    ring = sameRing,
  ): Promise<SharedMembers> {
    const store = await openStore(database.address, undefined, 'beside')
    stores.push(store)
    const { membership } = store
    if (!membership) throw new Error('There is no membership.')
    const onError = (error: unknown) => {
      throw error
    }
    const members = await SharedMembers.join({
      membership,
      isShared: true,
      version: '1',
      publicUrl,
      ring,
      now,
      beatMs: 100,
      onError,
    })
    all.push(members)
    return members
  }
  const disjoint = (...members: SharedMembers[]) => new Set(members.flatMap(({ slots }) => slots)).size

  test('one has all slots at first, two have half of them each, and one has all again when the other leaves', async () => {
    const first = await join()
    expect(first.slots).toHaveLength(slotCount)
    expect(first.owns('anything')).toBe(true)
    let changes = 0
    const end = first.onChange(() => {
      changes += 1
    })
    const second = await join()
    expect(second.storeId).toBe(first.storeId)
    expect(second.living).toEqual(new Set([first.id, second.id]))
    await eventually('halves', () => first.slots.length === 32 && second.slots.length === 32)
    expect(disjoint(first, second)).toBe(slotCount)
    expect(changes).toBeGreaterThan(0)
    const ids = Array.from({ length: 200 }, () => newId('run'))
    expect(ids.filter((id) => first.owns(id) === second.owns(id))).toEqual([])
    expect((await first.list()).map(({ id, slots }) => [id, slots.length])).toEqual([
      [first.id, 32],
      [second.id, 32],
    ])

    await second.retire()
    expect(second.slots).toEqual([])
    expect(await first.look()).toContain(second.id)
    await second.leave()
    expect(await first.look()).toEqual(new Set([first.id]))
    await eventually('all slots', () => first.slots.length === slotCount)
    end()
  })

  test('take the slots of one that has been silent for long', async () => {
    const [first] = all as [SharedMembers]
    await eventually('all slots', () => first.slots.length === slotCount)
    await admin`insert into processes (id, version, public_url, started_at, beat_at, clock_at, serves)
      select 'silent', '1', public_url, started_at, beat_at + 600000, clock_at, 1 from processes where id = ${first.id}`
    await admin`update slots set owner = 'silent', until = until + 600000 where slot < 32`
    await eventually('half of the slots', () => first.slots.length === 32 && first.living.has('silent'))
    await admin`update processes set beat_at = 0 where id = 'silent'`
    await eventually('all slots again', () => first.slots.length === slotCount && !first.living.has('silent'))
  })

  test.each<[string, string | null, RegExp]>([
    ['none', null, /^TROUPE_PUBLIC_URL: is required if several servers share a store\.$/],
    ['another one', 'https://other.example', /^TROUPE_PUBLIC_URL: must be https:\/\/troupe\.example, as on the other/],
  ])('refuse one whose public URL is %s', async (_, publicUrl, message) => {
    const error = await join(publicUrl).then(String, (error) => error)
    expect(error).toBeInstanceOf(StoreRefused)
    expect(error.message).toMatch(message)
  })

  test('count no wait for the others as an offset of the clock', async () => {
    let clock = Date.now() - 3_600_000
    const joining = await admin.begin(async (transaction) => {
      await transaction.unsafe(lockMembership)
      const joining = join(undefined, () => clock)
      await eventually('two heartbeats that wait', async () => (await waitingFor(transaction)) >= 2)
      clock = Date.now()
      return { joining }
    })
    const members = await joining.joining
    expect(Math.abs(members.skewMs)).toBeLessThan(1_800_000)
  })

  describe('beside one that would encrypt with a master key', () => {
    const keys = new Map(
      ['newest', 'new', 'old'].map((id) => [id, `${id}:${randomBytes(32).toString('base64')}`] as const),
    )
    const ringOf = (...ids: string[]) => parseKeyRing(ids.map((id) => keys.get(id)).join())
    const joinWith = (...ids: string[]) => join(undefined, undefined, ringOf(...ids))
    const verdictOn = (joining: Promise<unknown>) =>
      joining.then(
        () => 'agreed',
        (error) => `${error.name}: ${error.message}`,
      )
    const lacksNew = /^StoreRefused: TROUPE_MASTER_KEYS: another server .* does not have the key new,/
    const leave = () => Promise.all(all.splice(0).map((members) => members.leave()))
    beforeAll(async () => void (await leave()))
    afterEach(async () => void (await leave()))

    test.each([
      ['have it', ['old', 'new']],
      ['have it alone', ['new']],
    ])('agree if they %s', async (_, ids) => {
      await joinWith(...ids)
      expect(await verdictOn(joinWith('new', 'old'))).toBe('agreed')
    })

    test('refuse it while one lives that lacks it', async () => {
      const lacking = await joinWith('old')
      expect(await verdictOn(joinWith('new', 'old'))).toMatch(lacksNew)
      await lacking.leave()
      expect(await verdictOn(joinWith('new', 'old'))).toBe('agreed')
    })

    test('refuse one that lacks the first key of a living one', async () => {
      await joinWith('newest', 'new', 'old')
      expect(await verdictOn(joinWith('new', 'old'))).toMatch(
        /^StoreRefused: TROUPE_MASTER_KEYS: another server .* has a first key that is not/,
      )
    })

    test('refuse it if one that lacks it joins at the same moment', async () => {
      const joining = await admin.begin(async (transaction) => {
        await transaction.unsafe(lockMembership)
        const first = joinWith('old')
        await eventually('the first waits', async () => (await waitingFor(transaction)) === 1)
        const second = verdictOn(joinWith('new', 'old'))
        await eventually('both wait', async () => (await waitingFor(transaction)) === 2)
        return { first, second }
      })
      await joining.first
      expect(await joining.second).toMatch(lacksNew)
    })

    test('agree once one that lacked it is known to be dead, and if one of an earlier version names none', async () => {
      const living = await joinWith('old', 'new')
      await admin`insert into processes (id, version, started_at, beat_at, clock_at, serves, master_keys)
        select 'killed', '1', started_at, beat_at, clock_at, 0, '[]' from processes where id = ${living.id}`
      await admin`insert into processes (id, version, public_url, started_at, beat_at, clock_at, serves)
        select 'earlier', '1', public_url, started_at, beat_at, clock_at, 0 from processes where id = ${living.id}`
      const asked = verdictOn(joinWith('new', 'old'))
      await Bun.sleep(100)
      await admin`update processes set beat_at = 0 where id = 'killed'`
      expect(await asked).toBe('agreed')
    })
  })

  test('compute the slot of an id like the database', async () => {
    const ids = [newId('run'), newId('env'), '', 'a\\b\\\\', 'ä 😀', "o'clock", 'announcements']
    for (const id of ids) {
      const [row] = (await admin`select slot_of(${id}) as slot`) as [{ slot: string }]
      expect([id, Number(row.slot)]).toEqual([id, slotOf(id)])
    }
  })
})
