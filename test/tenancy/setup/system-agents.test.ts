import { afterEach, beforeEach, expect, test } from 'bun:test'
import { builtInAgents } from '../../../src/authoring/system-agents/built-in.ts'
import { SystemAgents } from '../../../src/authoring/system-agents/system-agents.ts'
import type { AgentContent } from '../../../src/runs/runner/protocol/protocol.ts'
import { StoreUnavailable, UniqueViolation } from '../../../storage/errors.ts'
import { isId } from '../../../storage/ids.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { WatchedStore } from '../authority/tree-world.ts'

const now = Date.UTC(2026, 0, 1)
const clock = { now: () => now }

let store: WatchedStore
beforeEach(async () => {
  store = new WatchedStore(await openMigrated())
})
afterEach(() => store?.close())

const publish = (agents?: Record<string, AgentContent>) => SystemAgents.publish(store, clock, agents)
const stored = () =>
  store.db.selectFrom('system_agent_revisions').selectAll().orderBy('agent_id').orderBy('number').execute()
const one = (instructions: string) => ({ agt_system_one: { instructions } })

test('every server has an assistant with the three built-in tools and a summarizer without tools', async () => {
  const agents = await publish()
  expect(agents.list().map(({ agentId, name, number }) => ({ agentId, name, number }))).toEqual([
    { agentId: 'agt_system_assistant', name: 'Assistant', number: 1 },
    { agentId: 'agt_system_summarizer', name: 'Summarizer', number: 1 },
  ])
  expect(agents.find('agt_system_assistant')?.content.tools).toEqual([
    { kind: 'builtin', name: 'clock' },
    { kind: 'builtin', name: 'calculator' },
    { kind: 'builtin', name: 'echo' },
  ])
  expect(agents.find('agt_system_summarizer')?.content.tools).toBeUndefined()
})

test('built-in contents are within the limits of agent contents', () => {
  for (const [agentId, content] of Object.entries(builtInAgents)) {
    expect(agentId).toMatch(/^agt_system_[a-z]+$/)
    expect(content.instructions.length).toBeGreaterThan(100)
    expect(content.instructions.length).toBeLessThanOrEqual(100_000)
    expect(content.presentation?.displayName).toBeString()
  }
})

test('reads return what was published', async () => {
  const agents = await publish()
  for (const [agentId, content] of Object.entries(builtInAgents)) {
    const found = agents.find(agentId)!
    expect(found.content).toEqual(content)
    expect(isId('agr', found.agentRevisionId)).toBe(true)
    expect(found.createdAt).toBe(now)
    expect(agents.revision(found.agentRevisionId)).toBe(found)
  }
  expect(agents.find('agt_system_nobody')).toBeUndefined()
})

test('the digest is the SHA-256 of the RFC 8785 form; the content is stored as written', async () => {
  const agents = await publish({ agt_system_one: { maxSteps: 3, instructions: 'ü "x"\n' } })
  const canonical = '{"instructions":"ü \\"x\\"\\n","maxSteps":3}'
  const digest = new Bun.CryptoHasher('sha256').update(canonical).digest('hex')
  expect(agents.find('agt_system_one')?.contentDigest).toBe(`sha256:${digest}`)
  expect((await stored())[0]?.content).toBe('{"maxSteps":3,"instructions":"ü \\"x\\"\\n"}')
})

test('a second start publishes nothing and finds the same revisions', async () => {
  const first = await publish()
  const commits = store.commits
  const second = await publish()
  expect(store.commits).toBe(commits)
  expect(second.list()).toEqual(first.list())
})

test('another order of keys is not a new content', async () => {
  await publish({ agt_system_one: { instructions: 'a', maxSteps: 3 } })
  await publish({ agt_system_one: { maxSteps: 3, instructions: 'a' } })
  expect(await stored()).toHaveLength(1)
})

test('a new content is number 2; number 1 is still readable and unchanged', async () => {
  const before = (await publish(one('first'))).find('agt_system_one')!
  const [row] = await stored()
  const agents = await publish(one('second'))
  const after = agents.find('agt_system_one')!
  expect(after).toMatchObject({ number: 2, content: { instructions: 'second' } })
  expect(after.agentRevisionId).not.toBe(before.agentRevisionId)
  expect(await agents.revision(before.agentRevisionId)).toEqual(before)
  expect((await stored())[0]).toEqual(row!)
})

test('the content of an earlier revision is published again as a new number', async () => {
  await publish(one('first'))
  await publish(one('second'))
  const agents = await publish(one('first'))
  expect(agents.find('agt_system_one')?.number).toBe(3)
  expect((await stored()).map(({ number }) => number)).toEqual([1, 2, 3])
})

test('only the changed agent gets a new revision', async () => {
  const two = { agt_system_two: { instructions: 'same' } }
  const before = await publish({ ...one('first'), ...two })
  const after = await publish({ ...one('second'), ...two })
  expect(after.find('agt_system_two')).toEqual(before.find('agt_system_two')!)
  expect(await stored()).toHaveLength(3)
})

test('a revision of an agent that is no longer built in is readable', async () => {
  const before = (await publish(one('first'))).find('agt_system_one')!
  const agents = await publish({})
  expect(agents.find('agt_system_one')).toBeUndefined()
  expect(await agents.revision(before.agentRevisionId)).toEqual(before)
})

test('an old revision is read from the store once; an unknown one is not cached', async () => {
  const { agentRevisionId } = (await publish(one('first'))).find('agt_system_one')!
  const agents = await publish(one('second'))
  const reads = store.reads
  for (let index = 0; index < 3; index += 1) await agents.revision(agentRevisionId)
  expect(store.reads).toBe(reads + 1)
  for (let index = 0; index < 2; index += 1) expect(await agents.revision('agr_none')).toBeUndefined()
  expect(store.reads).toBe(reads + 3)
})

test('the cache of old revisions is bounded', async () => {
  const ids: string[] = []
  for (let index = 0; index <= 101; index += 1) {
    ids.push((await publish(one(`content ${index}`))).find('agt_system_one')!.agentRevisionId)
  }
  const agents = await publish(one('content 101'))
  for (const id of ids.slice(0, 101)) await agents.revision(id)
  const reads = store.reads
  await agents.revision(ids[100]!)
  expect(store.reads).toBe(reads)
  expect(await agents.revision(ids[0]!)).toMatchObject({ number: 1 })
  expect(store.reads).toBe(reads + 1)
})

test('a published content is immutable', async () => {
  const { content } = (await publish()).find('agt_system_assistant')!
  expect(() => content.tools!.push({ kind: 'builtin', name: 'echo' })).toThrow(TypeError)
  expect(() => {
    content.instructions = 'Be rude.'
  }).toThrow(TypeError)
})

test('servers that start at once publish once and agree', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => publish()))
  expect(await stored()).toHaveLength(2)
  for (const agents of all) expect(agents.list()).toEqual(all[0]!.list())
})

test('a server that another version overtakes publishes after it', async () => {
  await publish(one('first'))
  let overtaken = false
  store.beforeCommit = async () => {
    if (overtaken) return
    overtaken = true
    await publish(one('of another version'))
  }
  const agents = await publish(one('second'))
  expect(agents.find('agt_system_one')).toMatchObject({ number: 3, content: { instructions: 'second' } })
  expect((await stored()).map(({ number }) => number)).toEqual([1, 2, 3])
})

test('a server that is overtaken repeatedly gives up with the reason', async () => {
  store.beforeCommit = () => {
    throw new UniqueViolation('taken', 'system_agent_revisions.number')
  }
  await expect(publish()).rejects.toThrow(UniqueViolation)
})

test('with a full store nothing is published, and the next start publishes it', async () => {
  store.beforeCommit = () => {
    throw new StoreUnavailable('full')
  }
  await expect(publish()).rejects.toThrow(StoreUnavailable)
  expect(await stored()).toEqual([])
  store.beforeCommit = () => {}
  expect((await publish()).list()).toHaveLength(2)
})
