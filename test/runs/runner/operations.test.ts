/** Tools that are operations: the server makes the call, at the runner's request. */
import { afterEach, expect, test } from 'bun:test'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { runAttempt } from '../../../src/runs/runner/attempt.ts'
import { HttpTransport } from '../../../src/runs/runner/protocol/http-transport.ts'
import { type AttemptChannel, type CallOutcome, StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import { settle } from './support/clock.ts'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import { HttpServer } from './support/http-server.ts'
import { call, createWorld, operation, operationTool } from './support/world.ts'

const endOf = { cancel: 'canceled', drain: 'drained' } as const

/** A run whose model makes one call of an operation, and then answers. */
const createRun = (idempotent: boolean, input: unknown = { n: 1 }) =>
  createWorld({
    turns: [{ text: 'Let me.', calls: [call('a', 'post', input)] }, { text: 'Done.' }],
    content: { tools: [operation('post')] },
    means: {
      operations: {
        post: operationTool(idempotent, { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
      },
    },
  })

test('an operation is offered with its description and schema, and the server makes the call', async () => {
  const { server, run, model } = createRun(false)
  expect(await run()).toBe('completed')
  expect(model.requests[0]!.tools).toEqual([
    { name: 'post', description: 'Does something.', inputSchema: expect.objectContaining({ required: ['n'] }) },
  ])
  expect(server.operationCalls).toEqual([{ agentId: 'agt_1', toolName: 'post', toolCallId: 'a', input: { n: 1 } }])
  expect(server.stepsOf('tool')).toMatchObject([
    {
      name: 'post',
      status: 'completed',
      execution: { toolCallId: 'a' },
      update: { output: { did: 'post', input: { n: 1 } } },
    },
  ])
  expect(toolResults(server.messages)).toEqual({ a: { did: 'post', input: { n: 1 } } })
})

test('an operation that is not in the assignment is not offered', async () => {
  const { server, run, model } = createWorld({
    turns: [{ calls: [call('a', 'post')] }, { text: 'Done.' }],
    content: { tools: [operation('post')] },
  })
  await run()
  expect(model.requests[0]!.tools).toEqual([])
  expect(server.operationCalls).toEqual([])
  expect(toolResults(server.messages)).toEqual({ a: 'Unknown tool: post.' })
})

test.each<[string, CallOutcome, { code: string; message: string }]>([
  [
    'a failure of the call',
    { error: { code: 'tool_error', message: 'The shop answered 503.' } },
    { code: 'tool_error', message: 'The shop answered 503.' },
  ],
  [
    'an unknown error code',
    { error: { code: 'lease_lost', message: 'Odd.' } },
    { code: 'tool_error', message: 'Odd.' },
  ],
])('%s fails the step, and the model gets it', async (_, outcome, error) => {
  const { server, run } = createRun(true)
  server.onOperation = () => outcome
  expect(await run()).toBe('completed')
  expect(server.stepsOf('tool')).toMatchObject([{ status: 'failed', update: { error } }])
  expect(toolResults(server.messages)).toEqual({ a: error.message })
})

test('an unavailable requirement of the Agent fails the attempt, since no model can fix it', async () => {
  const { server, run } = createRun(true)
  const error = { code: 'binding_unavailable', message: 'The Connection is disabled.' }
  server.onOperation = () => ({ error })
  expect(await run()).toBe('failed')
  expect(server.stepsOf('tool')).toMatchObject([{ status: 'failed', update: { error } }])
})

test('an invalid input never reaches the server', async () => {
  const { server, run } = createRun(true, { n: 'one' })
  await run()
  expect(server.operationCalls).toEqual([])
  expect(String(toolResults(server.messages).a)).toStartWith('The input is not valid')
})

test.each(['cancel', 'drain'] as const)('%s aborts an operation that only reads', async (signal) => {
  const { server, run, handBack } = createRun(true)
  let brokenOff = false
  server.onOperation = (_, abort) =>
    new Promise((_resolve, reject) => {
      abort.addEventListener('abort', () => {
        brokenOff = true
        reject(abort.reason)
      })
    })
  const ended = run()
  await settle()
  signal === 'cancel' ? server.tell('cancel') : handBack.abort()
  expect(await ended).toBe(endOf[signal])
  expect(brokenOff).toBe(true)
  expect(server.stepsOf('tool')).toMatchObject([{ status: 'canceled' }])
})

test.each(['cancel', 'drain'] as const)('%s lets a writing operation finish', async (signal) => {
  const { server, run, handBack } = createRun(false)
  const written = Promise.withResolvers<CallOutcome>()
  let brokenOff = false
  server.onOperation = (_, abort) => {
    abort.addEventListener('abort', () => {
      brokenOff = true
    })
    return written.promise
  }
  const ended = run()
  await settle()
  signal === 'cancel' ? server.tell('cancel') : handBack.abort()
  await settle()
  expect(server.completions).toEqual([])
  written.resolve({ result: 'written' })
  expect(await ended).toBe(endOf[signal])
  expect(brokenOff).toBe(false)
  expect(toolResults(server.messages)).toEqual({ a: 'written' })
})

test.each([{ idempotent: true }, { idempotent: false }])(
  'a call of a lost attempt is repeated only if that is safe (idempotent: $idempotent)',
  async ({ idempotent }) => {
    const { server, run } = createRun(idempotent)
    server.onOperation = () => {
      server.endAttempt()
      return { result: 'first' }
    }
    expect(await run()).toBe('lost')
    server.onOperation = () => ({ result: 'second' })
    expect(await run()).toBe('completed')
    expect(server.operationCalls).toHaveLength(idempotent ? 2 : 1)
    const result = toolResults(server.messages).a
    if (idempotent) expect(result).toBe('second')
    else expect(String(result)).toStartWith('Outcome unknown')
    expectWellFormed(server.messages)
  },
)

test.each([{ idempotent: true }, { idempotent: false }])(
  'a call without an answer fails the attempt, which is retried (idempotent: $idempotent)',
  async ({ idempotent }) => {
    const { server, run } = createRun(idempotent)
    server.onOperation = () => {
      throw new Error('The store is away.')
    }
    expect(await run()).toBe('failed')
    expect(server.completions).toMatchObject([{ error: { code: 'internal_error', retryable: true } }])
    server.onOperation = () => ({ result: 'second' })
    expect(await run()).toBe('completed')
    expect(server.operationCalls).toHaveLength(idempotent ? 2 : 1)
  },
)

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function overHttp(world: ReturnType<typeof createRun>) {
  const http = new HttpServer(world.server)
  servers.push(http)
  await http.start()
  const { log } = world.services
  const transport = new HttpTransport({ serverUrl: http.url, token: 'runner-token', clock: systemClock, log })
  const run = async () => {
    const channel = await transport.lease({ machineId: 'm', waitSeconds: 1 }, new AbortController().signal)
    return runAttempt(channel as AttemptChannel, world.services, new AbortController().signal)
  }
  return { http, run }
}

test('over HTTP an operation is a separate request', async () => {
  const world = createRun(false)
  const { http, run } = await overHttp(world)
  expect(await run()).toBe('completed')
  const made = http.seen.filter(({ path }) => path.endsWith('/operations'))
  expect(made).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/agent-runs/run_1/attempts/att_1/operations',
      token: 'Bearer attempt-token',
      body: { agentId: 'agt_1', toolName: 'post', toolCallId: 'a', input: { n: 1 } },
    },
  ])
  expect(toolResults(world.server.messages)).toEqual({ a: { did: 'post', input: { n: 1 } } })
})

test.each(['before', 'after'] as const)(
  'after a connection that drops %s an operation the request is repeated, and the server makes the call once',
  async (when) => {
    const world = createRun(false)
    const { http, run } = await overHttp(world)
    let drops = 1
    http[when] = ({ path }) => (path.endsWith('/operations') && drops-- > 0 ? 'drop' : undefined)
    expect(await run()).toBe('completed')
    expect(http.seen.filter(({ path }) => path.endsWith('/operations'))).toHaveLength(2)
    expect(world.server.operationCalls).toHaveLength(1)
    expect(toolResults(world.server.messages)).toEqual({ a: { did: 'post', input: { n: 1 } } })
  },
)

test('a stale answer to an operation ends the attempt without another report', async () => {
  const world = createRun(false)
  const { http, run } = await overHttp(world)
  world.server.onOperation = () => {
    throw new StaleAttempt('replaced')
  }
  expect(await run()).toBe('lost')
  expect(http.seen.at(-1)!.path).toEndWith('/operations')
})
