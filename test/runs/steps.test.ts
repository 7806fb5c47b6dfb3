import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCursors } from '../../src/platform/http/cursor.ts'
import { noExecution } from './hand-runner.ts'
import { openWorld, organizations, type World } from './world.ts'

const path = '/api/v1/agent-runs'
let world: World
let runId: string
/** Ids by name: two attempts, each with a model step and a tool step; below the first tool a delegate. */
const ids: Record<string, number> = {}

beforeAll(async () => {
  world = await openWorld()
  runId = await world.start()
  const usage = JSON.stringify({
    inputTokens: 3,
    outputTokens: 4,
    totalTokens: 7,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  })
  for (const attempt of [1, 2]) {
    const root = await world.runner.begin(runId)
    ids[`root${attempt}`] = root
    world.clock.advance(10)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    world.clock.advance(10)
    const tool = await world.runner.startStep(runId, { parent_agent_step_id: root, kind: 'tool', name: 'echo' })
    Object.assign(ids, { [`model${attempt}`]: model, [`tool${attempt}`]: tool })
    if (attempt === 1)
      ids.delegate = await world.runner.startStep(runId, {
        parent_agent_step_id: tool,
        kind: 'delegate',
        name: 'helper',
      })
    world.clock.advance(10)
    await world.runner.report(runId, {
      report: 'stepEnded',
      agentStepId: model,
      ending: { status: 'completed', output: '"Hi"', error: null, token_usage: usage, execution: noExecution },
    })
    world.clock.advance(10)
    await world.runner.complete(runId)
    if (attempt === 1) await world.owner.post(`${path}/${runId}/continue`, { query: 'More' })
  }
})
afterAll(() => world?.close())

interface Step {
  agentStepId: number
  childAgentSteps: Step[]
}
type Tree = number | [number, Tree[]]
const tree = ({ agentStepId, childAgentSteps }: Step): Tree =>
  childAgentSteps.length === 0 ? agentStepId : [agentStepId, childAgentSteps.map(tree)]
const list = async (query: object = {}) => {
  const { status, body } = await world.owner.get(`${path}/${runId}/steps`, { query: query as never })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return { tree: body.data.items.map(tree) as Tree[], ...body.pagination }
}

describe('the list of steps', () => {
  test('is flat, oldest first, with the total number', async () => {
    const { root1, model1, tool1, delegate, root2, model2, tool2 } = ids
    expect(await list()).toEqual({
      tree: [root1, model1, tool1, delegate, root2, model2, tool2] as number[],
      limit: 20,
      hasMore: false,
      totalCount: 7,
    })
  })

  test('has the requested number of levels', async () => {
    const { root1, model1, tool1, delegate, root2, model2, tool2 } = ids as Record<string, number>
    expect(await list({ depth: 1 })).toMatchObject({ tree: [root1, root2], totalCount: 2 })
    const two = [
      [root1, [model1, tool1]],
      [root2, [model2, tool2]],
    ] as Tree[]
    expect(await list({ depth: 2 })).toMatchObject({ tree: two, totalCount: 2 })
    const three = [[root1, [model1, [tool1, [delegate]]]], two[1]] as Tree[]
    expect((await list({ depth: 3 })).tree).toEqual(three)
    expect((await list({ depth: 10 })).tree).toEqual(three)
  })

  test('can be reversed, including children', async () => {
    const { root1, model1, tool1, root2, model2, tool2 } = ids as Record<string, number>
    expect((await list({ depth: 2, order: 'desc' })).tree).toEqual([
      [root2, [tool2, model2]],
      [root1, [tool1, model1]],
    ] as Tree[])
    const updated = await list({ sort: 'updatedAt', order: 'desc' })
    expect(updated.tree.slice(-1)).toEqual([model1 as number])
  })

  test.each([0, 1, 2] as const)('comes in pages at depth %i', async (depth) => {
    for (const sort of ['createdAt', 'updatedAt']) {
      for (const order of ['asc', 'desc']) {
        const whole = await list({ depth, sort, order })
        const found: Tree[] = []
        for (let cursor: string | undefined, more = true; more; ) {
          const page = await list({ depth, sort, order, limit: 1, cursor })
          expect(page.totalCount).toBe(whole.totalCount)
          found.push(...page.tree)
          cursor = page.nextCursor
          more = page.hasMore
        }
        expect(found).toEqual(whole.tree)
      }
    }
  })

  test('shows a mebibyte of child steps, and the rest as outlines', async () => {
    const large = await world.start()
    const root = await world.runner.begin(large)
    const input = (name: string) => JSON.stringify(name.repeat(200_000))
    for (const name of 'abcdefghijklmnopqrst') {
      await world.runner.startStep(large, { parent_agent_step_id: root, kind: 'tool', name, input: input(name) })
    }
    const reply = await world.owner.get(`${path}/${large}/steps`, { query: { depth: 2 } })
    expect(JSON.stringify(reply.body).length).toBeLessThan(1_200_000)
    const [shown] = reply.body.data.items as { childAgentSteps: (Step & { name: string; input: unknown })[] }[]
    const steps = shown!.childAgentSteps
    expect(steps.map(({ name }) => name).join('')).toBe('abcdefghijklmnopqrst')
    for (const [place, step] of steps.entries()) {
      const { name, input: given } = step
      expect([name, given]).toEqual([name, place < 5 ? name.repeat(200_000) : null])
      expect('abridged' in step).toBe(place >= 5)
    }
    const last = await world.owner.get(`${path}/${large}/steps/${steps.at(-1)!.agentStepId}`)
    expect(last.body.data.input).toBe('t'.repeat(200_000))
    expect(last.body.data).not.toHaveProperty('abridged')
    await world.runner.complete(large)
  })

  test('binds its cursor to depth, order and run', async () => {
    const { nextCursor: cursor } = await list({ limit: 1 })
    for (const query of [
      { cursor, depth: 1 },
      { cursor, order: 'desc' },
      { cursor, sort: 'updatedAt' },
    ]) {
      expect((await world.owner.get(`${path}/${runId}/steps`, { query: query as never })).status).toBe(422)
    }
    expect((await world.owner.get(`${path}/${await world.start()}/steps`, { query: { cursor } })).status).toBe(422)
  })

  test.each(['-1', '11', 'x', '1.5'])('refuses the depth %s', async (depth) => {
    expect((await world.owner.get(`${path}/${runId}/steps`, { query: { depth } })).status).toBe(422)
  })

  test('is empty before the first attempt', async () => {
    const { body } = await world.owner.get(`${path}/${await world.start()}/steps`)
    expect(body).toEqual({ data: { items: [] }, pagination: { limit: 20, hasMore: false, totalCount: 0 } })
  })
})

describe('steps that several servers number, with separate clocks', () => {
  const cursors = createCursors(new Uint8Array(32).fill(1))
  const names = ['first', 'second', 'third', 'fourth', 'fifth']
  let severalId: string
  let root: number
  const several = async (query: object = {}) => {
    const { status, body } = await world.owner.get(`${path}/${severalId}/steps`, { query: query as never })
    expect(status).toBe(200)
    return body as { data: { items: { name: string; sequence: number; childAgentSteps: { name: string }[] }[] } } & {
      pagination: { nextCursor?: string; hasMore: boolean }
    }
  }
  const namesOf = (steps: { name: string }[]) => steps.map(({ name }) => name)

  beforeAll(async () => {
    severalId = await world.start()
    root = await world.runner.begin(severalId)
    for (const [place, name] of names.entries()) {
      const behindMs = place === 3 ? 5_000 : 0
      await world.runner.startStep(severalId, {
        agent_step_id: 90_000 - 10_000 * place,
        parent_agent_step_id: root,
        name,
        started_at: world.clock.now() - behindMs,
        created_at: world.clock.now() - behindMs,
      })
    }
  })

  test('are listed in the order in which they began', async () => {
    const { items } = (await several()).data
    expect(namesOf(items)).toEqual(['Assistant', ...names])
    expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, at) => (items[0]?.sequence as number) + at))
    expect(namesOf((await several({ order: 'desc' })).data.items)).toEqual([...names.toReversed(), 'Assistant'])
    const [whole] = (await several({ depth: 2 })).data.items
    expect(namesOf(whole?.childAgentSteps ?? [])).toEqual(names)
  })

  test.each(['asc', 'desc'])('have pages, %s, which a cursor of an earlier version continues', async (order) => {
    const all = namesOf((await several({ order })).data.items)
    for (const sort of ['createdAt', 'updatedAt']) {
      const found: string[] = []
      for (let cursor: string | undefined, more = true; more; ) {
        const { data, pagination } = await several({ order, sort, limit: 1, cursor })
        found.push(...namesOf(data.items))
        more = pagination.hasMore
        // as before it contained the sequence
        const scope = {
          list: 'agent-steps',
          organizationId: organizations.ours,
          filters: { runId: severalId, depth: 0 },
          order: `${sort} ${order}`,
        }
        if (more) {
          const [at, , id] = cursors.open(scope, pagination.nextCursor as string)
          cursor = cursors.seal(scope, [at, id] as number[])
        }
      }
      expect(found).toEqual(all)
    }
  })

  test('end innermost first, whatever their ids', async () => {
    await world.runner.complete(severalId)
    const { items } = (await several({ sort: 'updatedAt' })).data
    const answer = await world.owner.raw('GET', `${path}/${severalId}/stream`, undefined, { query: { after: 0 } })
    const ended = [...(await answer.text()).matchAll(/^event: step\.(?:completed|failed)\n.*?"agentStepId":(\d+)/gms)]
    expect(ended.map(([, id]) => Number(id))).toEqual([50_000, 60_000, 70_000, 80_000, 90_000, root])
    expect(items).toHaveLength(6)
  })
})

describe('a step', () => {
  test('shows its times, contents and usage', async () => {
    const { body } = await world.owner.get(`${path}/${runId}/steps/${ids.model1}`)
    expect(body.data).toMatchObject({
      agentStepId: ids.model1,
      agentRunId: runId,
      parentAgentStepId: ids.root1,
      kind: 'model',
      status: 'completed',
      attempt: 1,
      timing: { durationMs: 20 },
      tokenUsage: { totalTokens: 7 },
      output: 'Hi',
      error: null,
      childAgentSteps: [],
    })
  })

  test.each(['0', '99999', 'x', '1.5', '-1', '99999999999999999999'])('with the id %s is 404', async (id) => {
    expect((await world.owner.get(`${path}/${runId}/steps/${id}`)).status).toBe(404)
  })

  test('of another run is 404', async () => {
    expect((await world.owner.get(`${path}/${await world.start()}/steps/${ids.model1}`)).status).toBe(404)
  })
})

describe('the journal', () => {
  test('is ascending, without gaps, in pages', async () => {
    const items: { sequence: number; from: string | null; to: string }[] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await world.owner.get(`${path}/${runId}/transitions`, { query: { limit: 3, cursor } })
      items.push(...body.data.items)
      cursor = body.pagination.nextCursor
      more = body.pagination.hasMore
    }
    expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, index) => index + 1))
    expect(items.map(({ to }) => to)).toEqual([
      'queued',
      'acquiring',
      'starting',
      'running',
      'completed',
      'queued',
      'acquiring',
      'starting',
      'running',
      'completed',
    ])
    expect(items.map(({ from }) => from)).toEqual([null, ...items.slice(0, -1).map(({ to }) => to)])
  })

  test('has separate cursors', async () => {
    const { body } = await world.owner.get(`${path}/${runId}/transitions`, { query: { limit: 3 } })
    const query = { cursor: body.pagination.nextCursor }
    expect((await world.owner.get(`${path}/${runId}/checkpoints`, { query })).status).toBe(422)
    expect((await world.owner.get(`${path}/${await world.start()}/transitions`, { query })).status).toBe(422)
  })
})
