/** Delegates of Agents in a Release. Source: contract 3, "Releases". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { type AgentPin, openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const fresh = async () => {
  shop = await workshop(world)
  return shop
}
const tool = (name: string, reference: string) => ({ kind: 'operation', name, operation: reference })
const delegate = (name: string, agentId: string) => ({ name, description: 'Helps.', agentId })
const issuesOf = (reply: { body: { error: { details: { issues: { path: string; message: string }[] } } } }) =>
  Object.fromEntries(reply.body.error.details.issues.map(({ path, message }) => [path, message]))
/** Publishes an Agent's next revision. */
const revise = async ({ agentId }: AgentPin, content: object): Promise<AgentPin> => {
  const { body } = await world.owner.post(`${shop.path}/agents/${agentId}/revisions`, {
    content: { instructions: 'Help.', ...content },
  })
  return { agentId, agentRevisionId: body.data.id }
}

describe('delegate attachments', () => {
  test('replace those in the content', async () => {
    await fresh()
    const [one, two] = [await shop.agent('one'), await shop.agent('two')]
    const desk = await shop.agent('desk', {
      delegates: [delegate('a', one.agentId), delegate('b', one.agentId)],
    })
    const instead = { agentId: desk.agentId, name: 'b', delegateAgentId: two.agentId }
    const { status, body } = await shop.release({ agents: [desk, one, two], delegateAttachments: [instead] })
    expect(status).toBe(201)
    expect(body.data.delegateAttachments).toEqual([
      { agentId: desk.agentId, name: 'a', delegateAgentId: one.agentId },
      instead,
    ])
    const plain = await shop.release({ agents: [desk, one, two] })
    expect(plain.body.data.digest).not.toBe(body.data.digest)
  })

  test('make references that only the content has unnecessary', async () => {
    await fresh()
    const two = await shop.agent('two')
    const desk = await shop.agent('desk', { delegates: [delegate('a', newId('agt'))] })
    const instead = { agentId: desk.agentId, name: 'a', delegateAgentId: two.agentId }
    expect((await shop.release({ agents: [desk, two] })).status).toBe(422)
    expect((await shop.release({ agents: [desk, two], delegateAttachments: [instead] })).status).toBe(201)
  })

  test('may refer to a System Agent, which is not pinned; an unknown one is not found', async () => {
    await fresh()
    const desk = await shop.agent('desk', { delegates: [delegate('a', newId('agt'))] })
    const to = (delegateAgentId: string) =>
      shop.release({ agents: [desk], delegateAttachments: [{ agentId: desk.agentId, name: 'a', delegateAgentId }] })
    const { status, body } = await to('agt_system_summarizer')
    expect([status, body.data?.delegateAttachments[0].delegateAgentId]).toEqual([201, 'agt_system_summarizer'])
    expect(Object.keys(issuesOf(await to('agt_system_nobody')))).toEqual([
      '/body/delegateAttachments/0/delegateAgentId',
    ])
  })

  test('cannot be external', async () => {
    await fresh()
    const desk = await shop.agent('desk', { delegates: [{ name: 'lawyer', description: 'A person.', external: true }] })
    const reply = await shop.release({
      agents: [desk],
      delegateAttachments: [{ agentId: desk.agentId, name: 'lawyer', delegateAgentId: desk.agentId }],
    })
    expect(Object.keys(issuesOf(reply))).toEqual(['/body/delegateAttachments/0/name'])
  })
})

describe('delegates in a cycle are rejected', () => {
  test('a cycle of one', async () => {
    await fresh()
    const desk = await shop.agent('desk')
    const own = await revise(desk, { delegates: [delegate('me', desk.agentId)] })
    const reply = await shop.release({ agents: [own] })
    expect([reply.status, reply.body.error.code]).toEqual([422, 'delegate_cycle'])
    expect(issuesOf(reply)).toEqual({
      '/body/agents/0/content/delegates/0/agentId': 'Hands work around in a circle: desk → desk.',
    })
  })

  test('a cycle of three, with an entry', async () => {
    await fresh()
    const [a, b, c] = [await shop.agent('a'), await shop.agent('b'), await shop.agent('c')]
    const start = await shop.agent('start', { delegates: [delegate('x', a.agentId)] })
    const agents = [
      start,
      await revise(a, { delegates: [delegate('x', b.agentId)] }),
      await revise(b, { delegates: [delegate('x', c.agentId)] }),
      await revise(c, { delegates: [delegate('x', a.agentId)] }),
    ]
    const reply = await shop.release({ agents })
    expect(issuesOf(reply)).toEqual({
      '/body/agents/1/content/delegates/0/agentId': 'Hands work around in a circle: a → b → c → a.',
    })
  })

  test('a cycle closed by an explicit attachment; one that an attachment breaks is accepted', async () => {
    await fresh()
    const [a, b, c] = [await shop.agent('a'), await shop.agent('b'), await shop.agent('c')]
    const first = await revise(a, { delegates: [delegate('x', b.agentId)] })
    const second = await revise(b, { delegates: [delegate('y', c.agentId)] })
    const to = (delegateAgentId: string) => ({
      agents: [first, second, c],
      delegateAttachments: [{ agentId: b.agentId, name: 'y', delegateAgentId }],
    })
    const reply = await shop.release(to(a.agentId))
    expect(issuesOf(reply)).toEqual({
      '/body/agents/0/content/delegates/0/agentId': 'Hands work around in a circle: a → b → a.',
    })
    expect((await shop.release(to(c.agentId))).status).toBe(201)
  })

  test('together with missing references', async () => {
    await fresh()
    const desk = await shop.agent('desk')
    const own = await revise(desk, {
      delegates: [delegate('me', desk.agentId)],
      tools: [tool('find', 'orders.find')],
    })
    const reply = await shop.release({ agents: [own] })
    expect(reply.body.error.code).toBe('unresolved_reference')
    expect(Object.keys(issuesOf(reply)).sort()).toEqual([
      '/body/agents/0/content/delegates/0/agentId',
      '/body/agents/0/content/tools/0/operation',
    ])
  })

  test('two that share a delegate are no cycle', async () => {
    await fresh()
    const [a, b, c] = [await shop.agent('a'), await shop.agent('b'), await shop.agent('c')]
    const agents = [
      await revise(a, { delegates: [delegate('x', b.agentId), delegate('y', c.agentId)] }),
      await revise(b, { delegates: [delegate('x', c.agentId)] }),
      c,
    ]
    expect((await shop.release({ agents })).status).toBe(201)
  })
})

test('a delegate may be referred to by the slug of its Agent', async () => {
  await fresh()
  const two = await shop.agent('two')
  const desk = await shop.agent('desk', { delegates: [{ name: 'a', description: 'Helps.', agent: 'two' }] })
  const { status, body } = await shop.release({ agents: [desk, two] })
  expect(status).toBe(201)
  expect(body.data.delegateAttachments).toEqual([{ agentId: desk.agentId, name: 'a', delegateAgentId: two.agentId }])
  expect(issuesOf(await shop.release({ agents: [desk] }))).toEqual({
    '/body/agents/0/content/delegates/0/agent': 'The Release does not pin the Agent behind the delegate a: two.',
  })
})
