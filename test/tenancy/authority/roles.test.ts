import { describe, expect, test } from 'bun:test'
import type { Role } from '../../../src/platform/http/guard/caller.ts'
import { type Permission, permissions } from '../../../src/platform/http/guard/permissions.ts'
import { authorityOf, type Grant, projectPermissions, rolePermissions } from '../../../src/tenancy/authority/roles.ts'

const memberMay = [
  'connections:presets:list',
  'organization-integrations:presets:list',
  'organizations:get',
  'projects:list',
  'templates:read',
  'templates:search',
]

const without: { role: Role; may: string[] }[] = [
  { role: 'owner', may: [...permissions] },
  { role: 'admin', may: permissions.filter((name) => name !== 'organizations:delete' && name !== 'billing:manage') },
  { role: 'member', may: memberMay },
]
test.each(without)('a $role without grants has these permissions everywhere', ({ role, may }) => {
  const { permissions: everywhere, granted } = authorityOf(role, [])
  expect<string[]>([...everywhere].sort()).toEqual([...may].sort())
  expect(granted.size).toBe(0)
})

const grants: Grant[] = [
  { projectId: 'prj_1', permissions: ['agents:get', 'agents:list'] },
  { projectId: 'prj_2', permissions: ['agents:push'] },
  // by one of the user's groups
  { projectId: 'prj_1', permissions: ['agents:list', 'agents:push', 'projects:list'] },
]
const inProjects = (granted: ReadonlyMap<string, ReadonlySet<Permission>>) =>
  Object.fromEntries([...granted].map(([projectId, given]) => [projectId, [...given].sort()]))

describe('access grants', () => {
  test("add up by Project, the user's and those of groups; those of the role are not repeated", () => {
    const { permissions: everywhere, granted } = authorityOf('member', grants)
    expect(inProjects(granted)).toEqual({
      prj_1: ['agents:get', 'agents:list', 'agents:push'],
      prj_2: ['agents:push'],
    })
    expect(everywhere.has('agents:get')).toBe(false)
  })

  const rows: { operations: Permission[]; everywhere: string[]; granted: Record<string, string[]> }[] = [
    { operations: ['agents:get'], everywhere: [], granted: { prj_1: ['agents:get'], prj_2: [] } },
    { operations: ['projects:list'], everywhere: ['projects:list'], granted: { prj_1: [], prj_2: [] } },
    {
      operations: ['agents:push', 'organizations:get', 'billing:manage'],
      everywhere: ['organizations:get'],
      granted: { prj_1: ['agents:push'], prj_2: ['agents:push'] },
    },
  ]
  test.each(rows)('a key with $operations has at most these', ({ operations, everywhere, granted }) => {
    const authority = authorityOf('member', grants, new Set(operations))
    expect<string[]>([...authority.permissions]).toEqual(everywhere)
    expect<Record<string, string[]>>(inProjects(authority.granted)).toEqual(granted)
  })

  test('can give every permission of a Project and none of the organization', () => {
    const given = new Set<string>(projectPermissions)
    for (const name of ['projects:get', 'projects:update', 'agents:push', 'agent-runs:create', 'webhooks:create'])
      expect(given.has(name)).toBe(true)
    for (const name of permissions.filter((permission) =>
      /^(organizations|api-keys|billing|templates):/.test(permission),
    ))
      expect(given.has(name)).toBe(false)
    for (const name of ['projects:create', 'projects:list', 'organization-variables:manage'])
      expect(given.has(name)).toBe(false)
  })
})

test('no role has unknown permissions', () => {
  for (const given of Object.values(rolePermissions))
    for (const name of given) expect(permissions.includes(name)).toBe(true)
})
