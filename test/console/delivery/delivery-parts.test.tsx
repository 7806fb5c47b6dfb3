/** Computations of the delivery pages. */
import { expect, test } from 'bun:test'
import { doingOf, manner, waitsFor } from '../../../src/console/pages/definitions/steps.ts'
import { changesSince } from '../../../src/console/pages/delivery/changes/configuration-changes.ts'
import { deploymentChanges, type Line } from '../../../src/console/pages/delivery/changes/difference-words.ts'
import { differencesOf, type Side } from '../../../src/console/pages/delivery/changes/differences.ts'
import { namedContent } from '../../../src/console/pages/delivery/named-content.ts'
import { slugOf } from '../../../src/console/ui/forms/name-and-slug.tsx'

const bound = { agentId: null, bindingKey: null }
const side = (agents: Record<string, number>, variables: Record<string, number> = {}, connections: string[] = []) =>
  ({
    served: {
      release: {
        agents: Object.keys(agents).map((agentId) => ({ agentId })),
        definitions: [],
      },
      numbers: new Map(Object.entries(agents)),
      configuration: {
        variables: Object.entries(variables).map(([name, version]) => ({ name, version, ...bound })),
        connections: connections.map((name) => ({ connectionId: name, connectionVersionId: 'v', ...bound })),
        providerSettings: [],
      },
    },
    connections: new Map(connections.map((name) => [name, { name, versionId: 'v', version: 1 }])),
  }) as unknown as Side
const nothing: Side = { served: null, connections: new Map() }
const nameOf = (id: string) => id

test.each([
  ['the same revision', [side({ clerk: 1 }), side({ clerk: 1 })], false],
  ['another revision', [side({ clerk: 1 }), side({ clerk: 2 })], true],
  ['a missing Agent', [side({ clerk: 1 }), side({})], true],
  ['an Environment without an active Deployment', [side({ clerk: 1 }), nothing], false],
])('compared with %s', (_, sides, differs) => {
  const [agents] = differencesOf(sides as Side[], nameOf)
  expect(agents?.rows[0]?.differs).toBe(differs as boolean)
})

test('variables differ by version, Connections only by presence', () => {
  const groups = differencesOf([side({}, { REGION: 1 }, ['shop', 'mail']), side({}, { REGION: 2 }, ['shop'])], nameOf)
  const differing = groups.flatMap(({ rows }) => rows.filter(({ differs }) => differs).map(({ name }) => name))
  expect(differing).toEqual(['REGION', 'mail'])
})

test('changes since a Configuration Revision are added, changed or removed', () => {
  const pinned = {
    variables: [
      { variableId: 'var_a', name: 'A', version: 1, ...bound },
      { variableId: 'var_b', name: 'B', version: 1, ...bound },
    ],
    connections: [
      { connectionId: 'con_a', connectionVersionId: 'cnv_1', ...bound },
      { connectionId: 'con_b', connectionVersionId: 'cnv_1', name: 'Mail', ...bound },
    ],
    providerSettings: [],
  }
  const present = {
    variables: [
      { id: 'var_a', name: 'A', version: 2, ...bound },
      { id: 'var_c', name: 'C', version: 1, ...bound },
    ],
    connections: [
      { id: 'con_a', name: 'Shop', currentVersion: { id: 'cnv_1' }, ...bound },
      { id: 'con_b', name: 'Post', currentVersion: { id: 'cnv_1' }, ...bound },
    ],
    settings: [],
  } as never
  expect(changesSince(pinned, present, nameOf).map(({ name, is }) => `${name} ${is}`)).toEqual([
    'A changed',
    'C new',
    'B gone',
    'Post changed',
  ])
})

test.each([
  ['Support desk', 'support-desk'],
  ['  Größe & Co. ', 'gro-e-co'],
  ['<img src=x>', 'img-src-x'],
])('the slug of %j is %s', (name, slug) => expect(slugOf(name)).toBe(slug))

test('a step depends on the steps that it names and uses', () => {
  const input = { a: '{{steps.find.output.id}}', b: ['{{ steps.other.output }}', '{{params.x}}'] }
  expect(waitsFor({ id: 'c', operation: 'x.y', after: ['find'], input })).toEqual(['find', 'other'])
})

test.each([
  [{ operation: 'shop.send' }, 'shop.send', undefined],
  [{ workflow: 'refund-order' }, 'workflow refund-order', undefined],
  [{ sleep: 86_400_000 }, 'sleep 24 h', undefined],
  [{ sleep: 90_000 }, 'sleep 1 min 30 s', undefined],
  [{ sleep: 5_000 }, 'sleep 5 s', undefined],
  [
    { waitFor: { event: 'payment.received', correlation: '{{params.order}}', timeoutMs: 604_800_000 } },
    'wait for payment.received',
    'for {{params.order}}, at most 7 d',
  ],
  [{ operation: 'shop.send', forEach: '{{params.all}}' }, 'shop.send', 'for each of {{params.all}}, 10 at once'],
])('the step %j reads %s', (step, does, how) => {
  expect([doingOf({ id: 'a', ...step }), manner({ id: 'a', ...step })]).toEqual([does, how])
})

const pin = (id: string, label: string | null, version = 1) => ({
  providerCredentialId: id,
  label,
  providerCredentialVersion: version,
})
const said = ({ what, before, after }: Line) => `${what}: ${before ?? 'none'} → ${after ?? 'none'}`

test.each([
  ['by its label', pin('crd_1', 'Key'), pin('crd_1', 'Key', 2), 'Key version 1 → Key version 2'],
  ['if there was none before', null, pin('crd_1', 'Key'), 'none → Key version 1'],
  ['by its id if it was deleted', pin('crd_1', null), pin('crd_2', 'Key'), 'crd_1 version 1 → Key version 1'],
  [
    'by both if two have the same label',
    pin('crd_1', 'Key'),
    pin('crd_2', 'Key'),
    'Key (crd_1) version 1 → Key (crd_2) version 1',
  ],
])('a credential that differs is named %s', (_, before, after, words) => {
  const side = { connectionId: 'con_1', connectionVersionId: 'cnv_1', number: 1 }
  const shop = { name: 'shop', agent: null, bindingKey: null, change: 'changed', differences: [] }
  const connections = [{ ...shop, before: { ...side, credential: before }, after: { ...side, credential: after } }]
  const setting = { settingId: 1, provider: 'openai', model: 'm' }
  const model = { agent: 'clerk', change: 'changed', differences: [] }
  const providerSettings = [
    { ...model, before: { ...setting, credential: before }, after: { ...setting, credential: after } },
  ]
  const release = { agents: [], definitions: [] }
  const same = { credentials: 'pinned' }
  const diff = { release, variables: [], connections, providerSettings, before: same, after: same, truncated: false }
  expect(deploymentChanges(diff as never).map(({ title, lines }) => `${title} ${lines.map(said)}`)).toEqual([
    `Connection shop credential: ${words}`,
    `Model of clerk credential: ${words}`,
  ])
})

test('contents of a configuration are shown by name', () => {
  const bound = { agentId: 'agt_1', bindingKey: 'key' }
  const content = {
    variables: [{ variableId: 'var_1', name: 'REGION', version: 2, ...bound }],
    connections: [
      { connectionId: 'con_1', connectionVersionId: 'cnv_1', agentId: null, bindingKey: null },
      { connectionId: 'con_2', connectionVersionId: 'cnv_2', name: 'mail', agentId: null, bindingKey: null },
    ],
    providerSettings: [
      {
        settingId: 1,
        agentId: 'agt_1',
        provider: 'openai',
        model: 'm',
        providerCredentialId: 'crd_1',
        providerCredentialVersion: 3,
      },
    ],
  }
  const names = { agent: () => 'Clerk', connection: () => ({ name: 'shop', version: 4 }), credential: () => 'Key' }
  expect(namedContent(content, names)).toEqual({
    variables: [{ name: 'REGION', version: 2, agent: 'Clerk', bindingKey: 'key' }],
    connections: [
      { name: 'shop', version: 4 },
      { name: 'mail', version: 4 },
    ],
    models: [{ agent: 'Clerk', provider: 'openai', model: 'm', credential: { label: 'Key', version: 3 } }],
  })
})
