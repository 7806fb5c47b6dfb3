/** Contract 1, "Audit": the entries of a request that changes something, and their organization. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { notFound } from '../../../src/platform/http/answers/errors.ts'
import type { AuditEntry, AuditSink } from '../../../src/platform/http/changes/audit-trail.ts'
import type { RequestRecord } from '../../../src/platform/http/changes/request-record.ts'
import type { Authenticator, Caller, Identity } from '../../../src/platform/http/guard/caller.ts'
import type { Guarded } from '../../../src/platform/http/guard/guarded.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { dataOf, Id, Name } from '../../../src/platform/http/schema.ts'
import type { Write } from '../../../storage/store.ts'
import { callerWith } from '../../support/callers.ts'
import { api } from '../../support/client.ts'
import { testApp } from './fixture.ts'

const ownId = 'org_01h455vb4pex5vsknk084sn02q'
const newId = 'org_01h455vb4pex5vsknk084sn02r'
const groupId = 'ugr_01h455vb4pex5vsknk084sn02q'
const address = '192.0.2.1'

const written: AuditEntry[] = []
const noted: AuditEntry[] = []
const refused: [number, AuditEntry][] = []
const counted: string[] = []
const audit: AuditSink = {
  write(entry) {
    written.push(entry)
    return {} as Write
  },
  note: (entry) => void noted.push(entry),
  refused: (entry, status) => void refused.push([status, entry]),
}
beforeEach(() => {
  for (const list of [written, noted, refused, counted]) list.length = 0
})

const key: Caller = callerWith({
  principal: { type: 'apiKey', id: 'key_1' },
  organizationId: ownId,
  organization: { slug: 'acme', status: 'active' },
  permissions: new Set(permissions),
})
const weak: Caller = { ...key, permissions: new Set() }
const user: Identity = {
  ...key,
  principal: { type: 'user', id: 'usr_1' },
  credentialId: 'session_1',
  organizationId: null,
}
const sessionCaller: Caller = { ...key, principal: user.principal, credentialId: user.credentialId }

const bearers: Record<string, { caller: Caller; identity: Identity }> = {
  'Bearer key': { caller: key, identity: key },
  'Bearer weak': { caller: weak, identity: weak },
  'Bearer session': { caller: sessionCaller, identity: user },
}
const authenticator = (later: boolean): Authenticator => ({
  authenticate(authorization, _request, organization) {
    const { caller } = bearers[authorization ?? '']!
    const isForeign = organization !== undefined && organization !== 'acme' && organization !== ownId
    if (later) return isForeign ? Promise.reject(notFound()) : Promise.resolve(caller)
    if (isForeign) throw notFound()
    return caller
  },
  identify: (authorization) => bearers[authorization ?? '']!.identity,
})

const OrganizationPath = t.Object({ organizationIdOrSlug: t.String() })
const GroupPath = t.Object({ ...OrganizationPath.properties, userGroupId: Id('ugr') })
const described = (operationId: string) => ({ operationId, summary: operationId, tags: ['Organizations'] })
const left = (record: RequestRecord, answer: unknown) => record(answer).length

const organizations = (guarded: Guarded) =>
  new Elysia({ prefix: '/api/v1/organizations' })
    .use(guarded)
    .post(
      '',
      ({ record, set }) => {
        set.status = 201
        const answer = { data: { id: newId } }
        left(record, answer)
        return answer
      },
      {
        signedIn: true,
        resource: 'organization',
        body: t.Object({ name: Name(), slug: Name() }),
        response: { 201: dataOf(t.Object({ id: Id('org') })) },
        detail: described('createOrganization'),
      },
    )
    .delete(
      '/:organizationIdOrSlug',
      ({ record, set }) => {
        set.status = 204
        left(record, undefined)
      },
      {
        permission: 'organizations:delete',
        resource: 'organization',
        params: OrganizationPath,
        response: { 204: t.Void() },
        detail: described('deleteOrganization'),
      },
    )
    .delete(
      '/:organizationIdOrSlug/user-groups/:userGroupId',
      ({ set }) => {
        set.status = 204
      },
      {
        permission: 'organizations:manage-user-groups',
        resource: 'userGroup',
        params: GroupPath,
        find: () => {},
        response: { 204: t.Void() },
        detail: described('deleteUserGroup'),
      },
    )

const clientWith = (later: boolean) => {
  const { guarded } = testApp({
    authenticator: authenticator(later),
    rateLimiter: { admit: ({ credentialId }) => void counted.push(credentialId) },
    audit,
    addressOf: () => address,
  })
  return api(testApp({ guarded, areas: [organizations(guarded)] }).app)
}
const client = clientWith(false)
const headers = { 'x-request-id': 'the request' }
const at = '/api/v1/organizations'

test('a change records its actor, address, operation and changed fields', async () => {
  await client.post(at, { slug: 'new', name: 'New' }, { key: 'key', headers })
  expect(written).toEqual([
    {
      organizationId: newId,
      actor: { type: 'apiKey', id: 'key_1' },
      ip: address,
      operation: 'createOrganization',
      resource: { type: 'organization', id: newId },
      outcome: 'allowed',
      requestId: 'the request',
      requestIdFrom: 'client',
      changed: ['name', 'slug'],
    },
  ])
  expect(noted).toEqual([])
})

test("a new organization's first entry is its creation, also by a session", async () => {
  await client.post(at, { slug: 'new', name: 'New' }, { key: 'session' })
  expect(written.map(({ organizationId, actor }) => [organizationId, actor.type])).toEqual([[newId, 'user']])
})

test.each(['acme', ownId])('an organization that is named %s in the path is recorded by its id', async (name) => {
  expect((await client.delete(`${at}/${name}`, { key: 'key' })).status).toBe(204)
  expect(written.map(({ organizationId, resource }) => [organizationId, resource.id])).toEqual([[ownId, ownId]])
})

test('a change whose command has not recorded it is recorded at the end', async () => {
  await client.delete(`${at}/acme/user-groups/${groupId}`, { key: 'key' })
  expect(noted.map(({ outcome, resource }) => [outcome, resource.id])).toEqual([['allowed', groupId]])
})

test('a refusal is recorded as denied, in the organization of the caller', async () => {
  expect((await client.delete(`${at}/acme`, { key: 'weak' })).status).toBe(403)
  expect(refused).toMatchObject([
    [403, { organizationId: ownId, outcome: 'denied', resource: { type: 'organization', id: ownId }, changed: [] }],
  ])
  expect(noted).toEqual([])
})

test("a generated request id is marked as the server's", async () => {
  await client.post(at, { slug: 'new', name: 'New' }, { key: 'key' })
  expect(written).toMatchObject([{ requestId: expect.stringMatching(/^req_/), requestIdFrom: 'server' }])
})

test('an invalid id is not recorded', async () => {
  expect((await client.delete(`${at}/acme/user-groups/${'x'.repeat(2_000)}`, { key: 'key' })).status).toBe(404)
  expect((await client.delete(`${at}/acme/user-groups/%E0%A4%A`, { key: 'key' })).status).toBe(404)
  expect(refused.map(([status, { resource }]) => [status, resource.id])).toEqual([
    [404, null],
    [404, null],
  ])
})

describe.each([{ later: false }, { later: true }])('another organization (later: $later)', ({ later }) => {
  const outsider = clientWith(later)

  test("is denied to a key and recorded in the key's own organization", async () => {
    expect((await outsider.delete(`${at}/${newId}`, { key: 'key' })).status).toBe(404)
    expect(counted).toEqual(['key_1'])
    expect(refused.map(([, { organizationId, outcome }]) => [organizationId, outcome])).toEqual([[ownId, 'denied']])
  })

  test('is denied to a session, and recorded in no other organization', async () => {
    expect((await outsider.delete(`${at}/${newId}`, { key: 'session' })).status).toBe(404)
    expect(counted).toEqual(['session_1'])
    expect([noted, refused, written]).toEqual([[], [], []])
  })
})
