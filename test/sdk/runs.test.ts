/** Runs through a client: started by name, followed over lost connections, answered, canceled, continued. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Fetch, type Run, type RunEvent, Troupe } from '@troupe/sdk'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { openShop } from './shop.ts'

let server: Server
let troupe: Troupe
let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  server = await openTroupe()
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  shop = await openShop(troupe)
})
afterAll(() => server?.stop())

const clerk = 'shop/development/clerk'
const lines = (...text: string[]) => text.join('\n')
const call = (tool: string, input: object = {}) => `/call ${tool} ${JSON.stringify(input)}`

async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

test('the log of a run is followed to its end, over interrupted connections', async () => {
  let opened = 0
  // every second connection of the stream breaks off after its first words
  const cutting: Fetch = async (request, init) => {
    const answer = await fetch(request, init)
    if (!String(request).includes('follow=true') || answer.status !== 200 || opened++ % 2 === 1) return answer
    const [first] = await Array.fromAsync(answer.body as AsyncIterable<Uint8Array>)
    return new Response(first as BodyInit, answer)
  }
  const cut = new Troupe({ baseUrl: server.url, apiKey: server.key, fetch: cutting })
  const run = await troupe.runs.start({ agent: clerk, query: lines('/sleep 100', '/say Hello') })
  const followed = await Array.fromAsync(cut.runs.followLogs({ agentRunId: run.id }))
  const { items } = await troupe.runs.listLogs({ agentRunId: run.id, limit: 100 })
  expect(followed).toEqual(items)
  expect(followed.at(-1)).toMatchObject({ source: 'server', message: expect.stringContaining('→ completed') })
  const after = items.at(-2)?.sequence as number
  expect(await Array.fromAsync(cut.runs.followLogs({ agentRunId: run.id, after }))).toEqual(items.slice(-1))
})

describe('start', () => {
  test('by the names of Project, Environment and Agent', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: 'Hello' })
    expect(await run.get()).toMatchObject({ id: run.id, agentId: shop.agentId, environmentId: shop.environmentId })
  })

  test('by ids, and a System Agent by its id', async () => {
    const { agentId, environmentId } = shop
    const byIds = await troupe.runs.start({ agentId, environmentId, query: 'Hello' })
    expect((await byIds.get()).agentId).toBe(agentId)
    const assistant = await troupe.runs.start({ agent: 'agt_system_assistant', query: 'Hello' })
    expect((await assistant.get()).projectId).toBeNull()
  })

  test.each([
    ['nowhere/development/clerk', 'There is no Project nowhere'],
    ['shop/nowhere/clerk', 'There is no Environment nowhere in the Project shop'],
    ['shop/development/nobody', 'There is no Agent nobody in the Project shop'],
    ['shop/clerk', 'An agent is named project/environment/agent, not "shop/clerk".'],
    ['', 'An agent is named project/environment/agent, not "".'],
  ])('reports a missing %s', async (agent, message) => {
    await expect(troupe.runs.start({ agent, query: 'Hello' })).rejects.toThrow(message)
  })

  test('finds an Agent that was deleted and created again with the same slug', async () => {
    const first = await openShop(troupe, 'kiosk')
    const agent = 'kiosk/development/clerk'
    await troupe.runs.start({ agent, query: 'Hello' })
    await troupe.projects.delete({ projectId: first.projectId })
    for (let there = true; there; await Bun.sleep(10)) {
      there = (await troupe.projects.list({ slug: 'kiosk' })).items.length > 0
    }
    const second = await openShop(troupe, 'kiosk')
    const run = await troupe.runs.start({ agent, query: 'Hello' })
    expect((await run.get()).agentId).toBe(second.agentId)
  })

  test('by names that another call looks up at the moment, which is aborted', async () => {
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const waiting = new Troupe({
      baseUrl: server.url,
      apiKey: server.key,
      fetch: async (address, init) => {
        asked.resolve()
        await go.promise
        return fetch(address, init)
      },
    })
    const ending = new AbortController()
    const first = waiting.runs.start({ agent: clerk, query: 'Hello' }, { signal: ending.signal })
    await asked.promise
    const second = waiting.runs.start({ agent: clerk, query: 'Hello' })
    ending.abort(new Error('No longer wanted.'))
    go.resolve()
    await expect(first).rejects.toThrow('No longer wanted.')
    expect((await second).id).toMatch(/^run_/)
  })

  test('with a value that JSON does not have is refused before a request is sent', async () => {
    const context = { amount: 1n }
    await expect(troupe.runs.start({ agent: clerk, query: 'Hello', context })).rejects.toThrow(TypeError)
  })

  test('twice with one idempotency key starts one run', async () => {
    const input = { agent: clerk, query: 'Once' }
    const [first, second] = [
      await troupe.runs.start(input, { idempotencyKey: 'once' }),
      await troupe.runs.start(input, { idempotencyKey: 'once' }),
    ]
    expect(second.id).toBe(first.id)
  })
})

describe('events', () => {
  test('are typed, from the first to the end', async () => {
    const run = await troupe.runs.start({
      agent: clerk,
      query: lines(call('find_order', { number: 'A-17' }), '/say Sent.'),
    })
    const events = await eventsOf(run)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    const moves = events.flatMap((event) => (event.type === 'run.transition' ? [event.data.to] : []))
    expect(moves).toEqual(['queued', 'acquiring', 'starting', 'running', 'completed'])
    const outputs = events.flatMap((event) =>
      event.type === 'step.completed' && event.data.kind === 'tool' ? [event.data.output] : [],
    )
    expect(outputs).toEqual([{ number: 'A-17' }])
    const end = events.at(-1)
    expect(end?.type === 'end' && end.data.state).toBe('completed')
  })

  test('can be restricted by type, and to later ones', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: 'Hello' })
    await run.output()
    const types: string[] = []
    for await (const { type } of run.events({ types: ['run.transition', 'end'] })) types.push(type)
    expect(new Set(types)).toEqual(new Set(['run.transition', 'end']))
    // without end events, the loop ends too
    const steps: string[] = []
    for await (const { data } of run.events({ types: ['step.completed'] })) steps.push(data.kind)
    expect(steps).toEqual(['model', 'agent'])
    for await (const { type } of troupe.runs.stream({ agentRunId: run.id, types: ['step.completed'] })) steps.push(type)
    expect(steps).toEqual(['model', 'agent'])
    const [last] = (await eventsOf(run)).slice(-1)
    const later: RunEvent[] = []
    for await (const event of run.events({ after: last!.sequence - 1 })) later.push(event)
    expect(later).toEqual([last!])
  })

  test('of a continued run continue after the first end', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: 'One' })
    await run.output()
    await run.continue('Two')
    expect(await run.output()).toEqual({ text: 'You said: Two' })
    const events = await eventsOf(run)
    expect(events.filter(({ type }) => type === 'end')).toHaveLength(2)
    expect(events.at(-1)?.type).toBe('end')
  })

  test("end with the loop's signal, and with its reason", async () => {
    const run = await troupe.runs.start({ agent: clerk, query: call('ask', { question: 'Which?' }) })
    const stop = new AbortController()
    const reading = (async () => {
      for await (const { type } of run.events({}, { signal: stop.signal })) {
        if (type === 'input.requested') stop.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    await run.cancel()
  })

  /** A `fetch` whose stream answers break off after this many bytes, repeatedly, in the middle of events. */
  function breaking(bytes: number): { fetch: Fetch; broken: () => number } {
    let broken = 0
    return {
      broken: () => broken,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        if (!url.includes('/stream') || !answer.body) return answer
        let left = bytes
        const cut = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            if (chunk.length <= left) {
              left -= chunk.length
              return controller.enqueue(chunk)
            }
            controller.enqueue(chunk.slice(0, left))
            broken += 1
            controller.error(new TypeError('The connection broke off.'))
          },
        })
        return new Response(answer.body.pipeThrough(cut), { status: answer.status, headers: answer.headers })
      },
    }
  }

  test('come once each and in order over connections that break off within them', async () => {
    const { fetch, broken } = breaking(3_000)
    const careful = new Troupe({ baseUrl: server.url, apiKey: server.key, fetch })
    const run = await careful.runs.start({
      agent: clerk,
      query: lines(call('find_order', { number: 'A-17' }), '/say Sent.'),
    })
    const events = await eventsOf(run)
    expect(broken()).toBeGreaterThan(1)
    // deltas may be merged for late readers: each has the number of the last one
    const numbers = events.map(({ sequence }) => sequence)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    const text = events.flatMap((event) =>
      event.type === 'step.delta' && event.data.kind === 'text' ? [event.data.text] : [],
    )
    expect(text.join('')).toBe('Sent.')
    expect(events.filter(({ type }) => type === 'run.transition')).toHaveLength(5)
    expect(events.at(-1)?.type).toBe('end')
  })

  test('come once each to a caller for whom the server left some out, and a snapshot for those that are gone', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: lines('/say One', '/say Two') })
    await run.output()
    const all = await eventsOf(run)
    const end = all.at(-1)!
    const gap = { sequence: end.sequence, at: end.at, attempt: 1, data: { run: end.data, openSteps: [], gap: true } }
    const snapshot = `id: ${end.sequence}\nevent: run.snapshot\ndata: ${JSON.stringify(gap)}\n\n`
    /** The first stream leaves out what follows these events. */
    const leaving = (count: number) => {
      let opened = 0
      const forgetful: Fetch = async (url, init) => {
        const answer = await fetch(url, init)
        if (!url.includes('/stream') || answer.status !== 200 || opened++ > 0) return answer
        const blocks = (await answer.text()).split('\n\n').slice(0, 1 + count)
        return new Response([...blocks, snapshot].join('\n\n'), answer)
      }
      return new Troupe({ baseUrl: server.url, apiKey: server.key, fetch: forgetful }).runs.open(run.id)
    }
    expect(await eventsOf(leaving(3))).toEqual(all)
    expect((await eventsOf(leaving(0))).map(({ type }) => type)).toEqual(['run.snapshot'])
  })

  test("end with the server's error when the key is revoked", async () => {
    const { secret, id } = await troupe.apiKeys.create({
      name: 'Reader',
      operations: ['agent-runs:stream', 'agent-runs:get'],
    })
    const reader = new Troupe({ baseUrl: server.url, apiKey: secret })
    const run = await troupe.runs.start({ agent: clerk, query: call('ask', { question: 'Which?' }) })
    const reading = (async () => {
      for await (const { type } of reader.runs.open(run.id)) {
        if (type === 'input.requested') await troupe.apiKeys.revoke({ keyId: id })
      }
    })()
    await expect(reading).rejects.toMatchObject({ name: 'AuthenticationError', code: 'invalid_api_key' })
    await run.cancel()
  })
})
