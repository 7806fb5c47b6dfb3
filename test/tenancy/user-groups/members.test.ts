import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { atOnce, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, ours, type Person, type World } from '../organizations/world.ts'
import { join } from '../sessions/browser.ts'

const groups = `${ours}/user-groups`

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

let named = 0
/** A new group; returns the path of its members. */
async function newGroup(): Promise<{ id: string; members: string }> {
  const { id } = (await world.owner.post(groups, { name: `Group ${++named}` })).body.data
  return { id, members: `${groups}/${id}/members` }
}
const idsIn = async (members: string) =>
  (await world.owner.get(members)).body.data.items.map(({ userId }: { userId: string }) => userId)

describe('adding a member', () => {
  test('answers 200 with the member', async () => {
    const { members } = await newGroup()
    const { id, email } = world.person('member')
    const { status, body } = await world.owner.post(members, { userId: id })
    const createdAt = new Date(world.clock.now()).toISOString()
    expect({ status, data: body.data }).toEqual({ status: 200, data: { userId: id, email, name: 'Ada', createdAt } })
    expect((await world.owner.get(members)).body.data.items).toEqual([body.data])
  })

  test('again answers 200 and changes nothing', async () => {
    const { members } = await newGroup()
    const { id } = world.person('member')
    const first = await world.owner.post(members, { userId: id })
    world.clock.advance(1_000)
    expect((await world.owner.post(members, { userId: id })).body).toEqual(first.body)
    expect(await idsIn(members)).toEqual([id])
  })

  test('eight times at once adds one, and all get the same answer', async () => {
    const { members } = await newGroup()
    const { id } = world.person('member')
    const replies = await atOnce(8, () => world.owner.post(members, { userId: id }))
    expect(tally(replies)).toEqual({ 200: 8 })
    for (const { body } of replies) expect(body).toEqual(replies[0]?.body)
  })

  test.each([
    ['a member of another organization', () => world.elsewhere().owner.id],
    ['a user without organizations', () => world.person().id],
    ['an unknown user', () => 'usr_01h455vb4pex5vsknk084sn02q'],
  ])('%s answers 404', async (_, userId) => {
    const { members } = await newGroup()
    expect(outcome(await world.owner.post(members, { userId: userId() }))).toBe('404 not_found')
    expect(await idsIn(members)).toEqual([])
  })

  test('who leaves the organization at the same moment leaves no membership', async () => {
    for (let round = 0; round < 5; round++) {
      const { members } = await newGroup()
      const person = world.person('member')
      const [added, removed] = await Promise.all([
        world.owner.post(members, { userId: person.id }),
        world.owner.delete(`${ours}/members/${person.id}`),
      ])
      expect([200, '404 not_found']).toContain(outcome(added))
      expect(outcome(removed)).toBe(204)
      expect(await idsIn(members)).toEqual([])
    }
  })
})

describe('removing a member', () => {
  test('answers 200 with the member as it was, then 404', async () => {
    const { members } = await newGroup()
    const { id } = world.person('member')
    const { body } = await world.owner.post(members, { userId: id })
    const removed = await world.owner.delete(`${members}/${id}`)
    expect({ status: removed.status, body: removed.body }).toEqual({ status: 200, body })
    expect(outcome(await world.owner.delete(`${members}/${id}`))).toBe('404 not_found')
    expect(await idsIn(members)).toEqual([])
  })

  test('of another group answers 404', async () => {
    const [one, other] = [await newGroup(), await newGroup()]
    const { id } = world.person('member')
    await world.owner.post(one.members, { userId: id })
    expect(outcome(await world.owner.delete(`${other.members}/${id}`))).toBe('404 not_found')
    expect(await idsIn(one.members)).toEqual([id])
  })

  test('eight times at once removes once', async () => {
    const { members } = await newGroup()
    const { id } = world.person('member')
    await world.owner.post(members, { userId: id })
    const replies = await atOnce(8, () => world.owner.delete(`${members}/${id}`))
    expect(tally(replies)).toEqual({ 200: 1, '404 not_found': 7 })
  })

  test('keeps the membership in the organization', async () => {
    const { members } = await newGroup()
    const person = world.person('member')
    await world.owner.post(members, { userId: person.id })
    await world.owner.delete(`${members}/${person.id}`)
    expect(outcome(await person.client.get(ours))).toBe(200)
  })
})

describe('the grants of a group', () => {
  let projectPath: string
  let projectId: string
  const granted = async () => {
    projectId = world.tenancy.project(world.organizationId)
    projectPath = `/api/v1/projects/${projectId}`
    const group = await newGroup()
    const subject = { type: 'userGroup', id: group.id }
    const permissions = ['projects:get']
    const { status } = await world.owner.post(`${projectPath}/access-grants`, { subject, permissions })
    expect(status).toBe(201)
    return group
  }
  const look = async (person: Person) => outcome(await person.client.get(projectPath))

  test('apply to its members from the next request, and end with the next after their removal', async () => {
    const { members } = await granted()
    const person = world.person('member')
    expect(await look(person)).toBe('403 permission_denied')
    await world.owner.post(members, { userId: person.id })
    expect(await look(person)).toBe(200)
    await world.owner.delete(`${members}/${person.id}`)
    expect(await look(person)).toBe('403 permission_denied')
  })

  test('are removed with the group', async () => {
    const { id, members } = await granted()
    const people = [world.person('member'), world.person('member')]
    for (const person of people) {
      await world.owner.post(members, { userId: person.id })
      expect(await look(person)).toBe(200)
    }
    expect(outcome(await world.owner.delete(`${groups}/${id}`))).toBe(200)
    for (const person of people) expect(await look(person)).toBe('403 permission_denied')
    expect(world.tenancy.all('select 1 from access_grants where project_id = ?', projectId)).toEqual([])
  })

  test('apply again to a user who is added to the organization and the group again, with a new key', async () => {
    const { members } = await granted()
    const person = world.person('member')
    await world.owner.post(members, { userId: person.id })
    await world.owner.delete(`${ours}/members/${person.id}`)
    await join(world, world.tenancy, { inviter: world.owner, organization: world.organizationId, userId: person.id })
    const returned = { ...person, ...world.keyOf(world.organizationId, person.id) }
    expect(await look(returned)).toBe('403 permission_denied')
    await world.owner.post(members, { userId: person.id })
    expect(await look(returned)).toBe(200)
    expect(await look(person)).toBe('401 invalid_api_key')
  })
})
