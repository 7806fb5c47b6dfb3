/**
 * The server is killed while its runner begins attempts: an attempt that was not stored has not begun, and whatever
 * somebody has seen is stored. Source: docs/decisions.md, "The begin of an attempt shares the commit of the next
 * report".
 */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { movesOf } from '../../storage/runtime/journal.ts'
import type { StoredMoves } from '../../storage/tables.ts'
import { endAll, eventually, Site } from '../support/process.ts'
import { expectWhole, expectWholeStream, inState, start } from '../support/run-records.ts'
import { lease } from '../support/simulated-runner.ts'

const sites: Site[] = []
const siteOf = async () => {
  const site = await Site.create({ TROUPE_LEASE_TTL_MS: '2000', TROUPE_ATTEMPT_BACKOFF_MS: '1' })
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

interface Stored {
  state: string
  context: { attempt: number; lease: object | null }
  moves: string[]
  steps: string[]
}

/** The stored part of a run while no server runs. */
function storedOf(site: Site, id: string): Stored {
  const database = new Database(site.storePath)
  try {
    const run = database.query<{ state: string; context: string }, [string]>('select * from runs where id = ?').get(id)!
    const moves = database.query<StoredMoves, [string]>(
      `select * from transitions where kind = 'run' and actor_id = ? order by sequence`,
    )
    const steps = database.query<{ kind: string }, [string]>(
      'select kind from agent_steps where run_id = ? order by agent_step_id',
    )
    return {
      state: run.state,
      context: JSON.parse(run.context),
      moves: movesOf(moves.all(id)).map(({ to_state }) => to_state),
      steps: steps.all(id).map(({ kind }) => kind),
    }
  } finally {
    database.close()
  }
}

const unbegun = { state: 'queued', attempt: 0, moves: ['queued'], steps: [] }
const begun = {
  state: 'running',
  attempt: 1,
  moves: ['queued', 'acquiring', 'starting', 'running'],
  steps: ['agent', 'model'],
}
const summary = ({ state, context, moves, steps }: Stored) => ({ state, attempt: context.attempt, moves, steps })

test.concurrent('a run with its first model call in progress has begun as a whole, or not at all', async () => {
  const site = await siteOf()
  const ids: string[] = []
  const before: Stored[] = []
  for (const waitMs of [0, 2, 5, 10, 15, 20, 40]) {
    // on an overloaded machine, half a second may pass between two heartbeats
    const server = await site.start({ TROUPE_LEASE_TTL_MS: '10000' })
    const { id } = await start(server.client, '/sleep 60000\n/say never', { maxRetries: 10 })
    await Bun.sleep(waitMs)
    await server.end('SIGKILL')
    ids.push(id)
    const stored = storedOf(site, id)
    before.push(stored)
    expect([unbegun, begun]).toContainEqual(summary(stored))
  }
  const server = await site.start()
  for (const [index, id] of ids.entries()) {
    // a begin that was not stored has used up no attempt
    await eventually('an attempt that is stored', async () => {
      const { data } = (await server.client.get(`/api/v1/agent-runs/${id}`)).body
      return data.state === 'running' && data.attempt > before[index]!.context.attempt
    })
    await server.client.post(`/api/v1/agent-runs/${id}/cancel`)
    await inState(server.client, id, 'canceled')
    await expectWhole(server.client, id)
    await expectWholeStream(server.client, id)
  }
})

test.concurrent("a reader of a model's text finds the model's call in the store", async () => {
  const site = await siteOf()
  // on an overloaded machine, half a second may pass between two heartbeats
  const server = await site.start({ TROUPE_LEASE_TTL_MS: '10000' })
  const { id } = await start(server.client, '/tokens 3\n/sleep 60000')
  const stream = await server.client.raw('GET', `/api/v1/agent-runs/${id}/stream`, undefined, { query: { after: 0 } })
  let seen = ''
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    seen += chunk
    if (seen.includes('event: step.delta')) break
  }
  await server.end('SIGKILL')
  expect(summary(storedOf(site, id))).toEqual(begun)

  const again = await site.start()
  const replayed = await again.client.raw('GET', `/api/v1/agent-runs/${id}/stream`, undefined, { query: { after: 0 } })
  let received = ''
  for await (const chunk of replayed.body!.pipeThrough(new TextDecoderStream())) {
    received += chunk
    if (received.includes('event: step.delta')) break
  }
  // an event that was sent keeps its number and content
  const firstFrames = (text: string) => text.slice(text.indexOf('id: 1\n')).split('event: step.delta')[0]
  expect(firstFrames(received)).toBe(firstFrames(seen))
})

test.concurrent('an external runner has a stored lease', async () => {
  const site = await siteOf()
  const server = await site.start({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '60000' })
  const { id } = await start(server.client, '/say Hello')
  await lease(server.client, site.runnerToken)
  await server.end('SIGKILL')
  const stored = storedOf(site, id)
  expect(summary(stored)).toEqual({
    state: 'starting',
    attempt: 1,
    moves: ['queued', 'acquiring', 'starting'],
    steps: [],
  })
})
