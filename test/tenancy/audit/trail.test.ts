import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { outcome } from '../../support/world/replies.ts'
import { openWorld, organizationsPath, ours, type Person, type World } from '../organizations/world.ts'
import { signIn } from '../sessions/browser.ts'

let world: World
/** A user with a separate organization, whose log contains only what a test did. */
let path: string
let organizationId: string
let owner: Person

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

function freshOrganization() {
  const elsewhere = world.elsewhere()
  path = elsewhere.path
  organizationId = elsewhere.id
  owner = elsewhere.owner
}

/** Refusals are recorded after the answer: waits for this many lines. */
const lines = (count: number) =>
  eventually(`${count} lines`, () => {
    const found = world.trail(organizationId)
    return found.length >= count && found
  })

/** Executes it, and returns the only new line. */
async function lineOf(ask: () => Promise<Reply>) {
  const before = world.trail(organizationId).length
  world.clock.advance(1)
  const reply = await ask()
  const found = await lines(before + 1)
  // a later line would be one too many
  await world.owner.get(ours)
  expect(world.trail(organizationId)).toHaveLength(before + 1)
  return { reply, line: found.at(-1) as Record<string, unknown> }
}

const secretValue = 'never to be seen in a log'
let group: string
let invitation: string
let user: string
let project: string

/** Commands in a valid order, with the line of each. */
const commands: [string, () => Promise<Reply>, { resource: string; id: () => string; changed: string[] }][] = [
  [
    'updateOrganization',
    () => owner.client.patch(path, { name: secretValue, slug: 'secret-slug' }),
    { resource: 'organization', id: () => organizationId, changed: ['name', 'slug'] },
  ],
  [
    'updateOrganization',
    () => owner.client.patch(path, {}),
    { resource: 'organization', id: () => organizationId, changed: [] },
  ],
  [
    'addMember',
    async () => {
      const reply = await owner.client.post(`${path}/members`, { userId: user, role: 'member' })
      invitation = reply.body.data.invitation.id
      // accepting has its own line
      world.tenancy.member(organizationId, user, 'member')
      return reply
    },
    { resource: 'member', id: () => invitation, changed: ['role', 'userId'] },
  ],
  [
    'changeMemberRole',
    () => owner.client.patch(`${path}/members/${user}`, { role: 'admin' }),
    { resource: 'member', id: () => user, changed: ['role'] },
  ],
  [
    'createUserGroup',
    async () => {
      const reply = await owner.client.post(`${path}/user-groups`, { name: secretValue })
      group = reply.body.data.id
      return reply
    },
    { resource: 'userGroup', id: () => group, changed: ['name'] },
  ],
  [
    'updateUserGroup',
    () => owner.client.patch(`${path}/user-groups/${group}`, { name: `${secretValue} either` }),
    { resource: 'userGroup', id: () => group, changed: ['name'] },
  ],
  [
    'addUserGroupMember',
    () => owner.client.post(`${path}/user-groups/${group}/members`, { userId: user }),
    { resource: 'userGroupMember', id: () => user, changed: ['userId'] },
  ],
  [
    'addUserGroupMember',
    () => owner.client.post(`${path}/user-groups/${group}/members`, { userId: user }),
    { resource: 'userGroupMember', id: () => user, changed: [] },
  ],
  [
    'removeUserGroupMember',
    () => owner.client.delete(`${path}/user-groups/${group}/members/${user}`),
    { resource: 'userGroupMember', id: () => user, changed: [] },
  ],
  [
    'deleteUserGroup',
    () => owner.client.delete(`${path}/user-groups/${group}`),
    { resource: 'userGroup', id: () => group, changed: [] },
  ],
  [
    'removeMember',
    () => owner.client.delete(`${path}/members/${user}`),
    { resource: 'member', id: () => user, changed: [] },
  ],
]

describe('a change leaves exactly one line', () => {
  beforeAll(() => {
    freshOrganization()
    user = world.person().id
    project = world.tenancy.project(organizationId)
  })

  test.each(commands)('%s', async (operation, ask, { resource, id, changed }) => {
    const { reply, line } = await lineOf(ask)
    expect(reply.status).toBeLessThan(300)
    const { id: lineId, ...rest } = line
    expect(lineId).toMatch(/^aud_/)
    expect(rest).toEqual({
      organization_id: organizationId,
      actor_type: 'apiKey',
      actor_id: owner.keyId,
      ip: '127.0.0.1',
      operation,
      resource_type: resource,
      resource_id: id(),
      outcome: 'allowed',
      request_id: reply.requestId,
      request_id_from: 'server',
      changed,
      count: 1,
      at: world.clock.now(),
    })
  })

  test('an invitation is named by its id, and its token is not recorded', async () => {
    const { reply, line } = await lineOf(() =>
      owner.client.post(`${path}/members`, { email: 'invited@example.com', role: 'member' }),
    )
    const { invitation } = reply.body.data
    expect(line).toMatchObject({ operation: 'addMember', resource_id: invitation.id, changed: ['email', 'role'] })
    expect(JSON.stringify(world.trail(organizationId))).not.toContain(invitation.token)
  })

  test('and none of the values', async () => {
    const text = JSON.stringify(world.trail(organizationId))
    for (const value of [secretValue, 'secret-slug', 'invited@example.com', owner.secret]) {
      expect(text).not.toContain(value)
    }
  })

  test('reading has no line', async () => {
    const before = world.trail(organizationId).length
    for (const part of ['', '/members', '/user-groups', '/audit-events']) {
      expect(outcome(await owner.client.get(path + part))).toBe(200)
    }
    expect(world.trail(organizationId)).toHaveLength(before)
  })
})

describe('a created organization', () => {
  test('begins its own log with its creation, by key or by session', async () => {
    const session = await signIn(world.troupe)
    for (const [by, actor] of [
      [world.owner, { actor_type: 'apiKey' }],
      [session, { actor_type: 'user', actor_id: world.ownerId }],
    ] as const) {
      const slug = `logged-${actor.actor_type.toLowerCase()}`
      const { body, requestId } = await by.post(organizationsPath, { name: secretValue, slug })
      const { id } = body.data
      expect(world.trail(id)).toHaveLength(1)
      expect(world.trail(id)[0]).toMatchObject({
        ...actor,
        operation: 'createOrganization',
        resource_type: 'organization',
        resource_id: id,
        outcome: 'allowed',
        request_id: requestId,
        changed: ['name', 'slug'],
      })
    }
  })
})

describe('a refusal has its own line', () => {
  const unknown = 'usr_01h455vb4pex5vsknk084sn02q'
  let member: Person
  beforeAll(() => {
    freshOrganization()
    member = world.person('member', organizationId)
    project = world.tenancy.project(organizationId)
  })

  const refusals: [string, () => Promise<Reply>, { status: number; operation: string; outcome: string }][] = [
    [
      'without the permission: denied',
      () => member.client.patch(path, { name: 'Mine' }),
      { status: 403, operation: 'updateOrganization', outcome: 'denied' },
    ],
    [
      'of a user who removes another: denied',
      () => member.client.delete(`${path}/members/${owner.id}`),
      { status: 403, operation: 'removeMember', outcome: 'denied' },
    ],
    [
      'by a bound key: denied',
      () => boundClient().post(`${path}/user-groups`, { name: 'Bound' }),
      { status: 403, operation: 'createUserGroup', outcome: 'denied' },
    ],
    [
      'for a missing resource: denied',
      () => owner.client.patch(`${path}/members/${unknown}`, { role: 'member' }),
      { status: 404, operation: 'changeMemberRole', outcome: 'denied' },
    ],
    [
      'by the state: failed',
      () => owner.client.delete(`${path}/members/${owner.id}`),
      { status: 409, operation: 'removeMember', outcome: 'failed' },
    ],
    [
      'by a taken slug: failed',
      () => owner.client.patch(path, { slug: 'default' }),
      { status: 409, operation: 'updateOrganization', outcome: 'failed' },
    ],
  ]
  const boundClient = (): Client => world.keyOf(organizationId, owner.id, undefined, { project_id: project }).client

  test.each(refusals)('%s', async (_, ask, { status, operation, outcome: how }) => {
    const { reply, line } = await lineOf(ask)
    expect(reply.status).toBe(status)
    expect(line).toMatchObject({
      operation,
      outcome: how,
      request_id: reply.requestId,
      ip: '127.0.0.1',
      changed: [],
      count: 1,
    })
  })

  test('none for an unauthenticated caller, whose organization is unknown', async () => {
    const before = world.trail(organizationId).length
    expect(outcome(await world.as(null).patch(path, { name: 'Mine' }))).toBe('401 unauthenticated')
    expect(outcome(await world.owner.patch(path, { name: 'Mine' }))).toBe('404 not_found')
    await owner.client.patch(path, {})
    expect(await lines(before + 1)).toHaveLength(before + 1)
  })
})
