import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openTroupe, type Troupe } from '../support/troupe.ts'

const docs = join(import.meta.dir, '../../docs')
const text = await Bun.file(join(docs, 'delivery.md')).text()
const examples = [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json]) => JSON.parse(json as string))

let troupe: Troupe
let project: string
beforeAll(async () => {
  troupe = await openTroupe()
  const { body } = await troupe.owner.post('/api/v1/projects', { slug: 'documented', name: 'Documented' })
  project = `/api/v1/projects/${body.data.id}`
})
afterAll(() => troupe?.stop())

test('the Definitions in delivery.md are accepted, and form a Release', async () => {
  const { owner } = troupe
  const definitions: object[] = []
  for (const [index, [name, kind]] of [
    ['orders', 'operations'],
    ['follow', 'workflow'],
    ['case', 'entity'],
  ].entries()) {
    const { body } = await owner.post(`${project}/definitions`, { name, kind })
    const definitionId = body.data.id
    const source = examples[index]
    const revision = await owner.post(`${project}/definitions/${definitionId}/revisions`, { source })
    expect({ kind, status: revision.status }).toEqual({ kind: kind as string, status: 201 })
    definitions.push({ definitionId, definitionRevisionId: revision.body.data.id })
  }
  const { body: agent } = await owner.post(`${project}/agents`, { slug: 'clerk', name: 'Clerk' })
  const content = {
    instructions: 'Help.',
    tools: [{ kind: 'operation', name: 'find_order', operation: 'orders.find' }],
    bindings: [{ bindingKey: 'shop', kind: 'connection', connectionKind: 'http', required: true }],
  }
  const agentId = agent.data.id
  const revision = await owner.post(`${project}/agents/${agentId}/revisions`, {
    content,
    grantedOperations: ['orders.find'],
  })
  const agents = [{ agentId, agentRevisionId: revision.body.data.id }]
  const { status } = await owner.post(`${project}/releases`, { agents, definitions })
  expect(status).toBe(201)
})

test('the links of delivery.md lead to existing files', async () => {
  for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
    expect({ target, exists: await Bun.file(join(docs, target as string)).exists() }).toEqual({
      target: target as string,
      exists: true,
    })
  }
})
