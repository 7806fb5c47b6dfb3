/** What the API returns about a run, and the invariants of every run. */
import { expect } from 'bun:test'
import type { Client, Reply } from './client.ts'
import { eventually } from './process.ts'

export const agentId = 'agt_system_assistant'

/** Starts a run and returns it; anything but 200 fails the test. */
export async function start(client: Client, query: string, more: Record<string, unknown> = {}) {
  const { status, body } = await client.post('/api/v1/agent-runs', { agentId, query, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data as Reply['body']
}

export const getRun = async (client: Client, id: string) => (await client.get(`/api/v1/agent-runs/${id}`)).body.data

/** Waits until the run is in one of the states and returns it. */
export const inState = (client: Client, id: string, ...states: string[]): Promise<Reply['body']> =>
  eventually(`the run ${id} ${states.join(' or ')}`, async () => {
    const run = await getRun(client, id)
    return states.includes(run?.state) && run
  })

async function itemsOf(client: Client, path: string): Promise<Reply['body'][]> {
  const items: Reply['body'][] = []
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await client.get(path, { query: { limit: 100, cursor } })
    expect({ status, path }).toEqual({ status: 200, path })
    items.push(...body.data.items)
    if (!body.pagination.hasMore) return items
    cursor = body.pagination.nextCursor
  }
}

export const transitionsOf = (client: Client, id: string) => itemsOf(client, `/api/v1/agent-runs/${id}/transitions`)
export const stepsOf = (client: Client, id: string) => itemsOf(client, `/api/v1/agent-runs/${id}/steps`)
export const checkpointOf = async (client: Client, id: string) =>
  (await client.get(`/api/v1/agent-runs/${id}/checkpoints/latest`)).body.data

/** All frames of a run that has ended, from the first one on. */
export async function framesOf(
  client: Client,
  id: string,
): Promise<{ id: number; event: string; data: Reply['body'] }[]> {
  const { status, body } = await client.get(`/api/v1/agent-runs/${id}/stream`, { query: { after: 0 } })
  expect(status).toBe(200)
  const blocks = String(body)
    .split('\n\n')
    .filter((block) => block.includes('data:'))
  return blocks.map((block) => {
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? ''
    return { id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) }
  })
}

/** Journal, stream and statechart agree, without gaps. */
export async function expectWhole(client: Client, id: string) {
  const transitions = await transitionsOf(client, id)
  expect(transitions.map(({ sequence }) => sequence)).toEqual(transitions.map((_, index) => index + 1))
  expect(transitions.map(({ from }) => from)).toEqual([null, ...transitions.slice(0, -1).map(({ to }) => to)])
  const run = await getRun(client, id)
  expect(transitions.at(-1).to).toBe(run.state)
  const verified = await client.get(`/api/v1/actors/run/${id}/verify`)
  expect(verified.body.data).toMatchObject({ valid: true, storedState: run.state, replayedState: run.state })
  return { run, transitions }
}

/** The stream of an ended run has every number once (a merged delta covers several) and ends with `end`. */
export async function expectWholeStream(client: Client, id: string) {
  const frames = await framesOf(client, id)
  const moves = frames.filter(({ event }) => event === 'run.transition').map(({ data }) => data.data ?? data)
  const numbers = frames.map((frame) => frame.id)
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(frames.at(-1)?.event).toBe('end')
  let before = 0
  for (const frame of frames) {
    if (frame.event !== 'step.delta') expect(frame.id).toBe(before + 1)
    before = frame.id
  }
  return { frames, moves }
}

/** The number of completions of each tool call. */
export async function completedCalls(client: Client, id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind, status, execution } of await stepsOf(client, id)) {
    if (kind === 'tool' && status === 'completed')
      counts[execution.toolCallId] = (counts[execution.toolCallId] ?? 0) + 1
  }
  return counts
}

/** How often the query is among the messages of the model. */
export async function timesTold(client: Client, id: string, query: string): Promise<number> {
  const { runtimeCheckpoint } = await checkpointOf(client, id)
  return runtimeCheckpoint.messages.filter(
    ({ role, content }: Reply['body']) =>
      role === 'user' && JSON.stringify(content).includes(JSON.stringify(query).slice(1, -1)),
  ).length
}
