/** A server without an embedded runner, vendors on a local port, and attempts executed by a test. */
import { expect } from 'bun:test'
import { type Vendor, vendorIds } from '../../../src/platform/models/vendors.ts'
import { replyOf } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { agentId, stepsOf } from '../../support/run-records.ts'
import { type HeldAttempt, lease } from '../../support/simulated-runner.ts'
import { openTroupe } from '../../support/troupe.ts'
import { frames, type Reply, type Wire } from '../providers/wire.ts'

export const runnerToken = 'runner-token-of-the-tests'

/** The vendor's requests, and whether the caller has disconnected. */
interface Asked {
  path: string
  headers: Headers
  body: Record<string, unknown>
  hungUp: AbortSignal
}

export const answer = (vendor: Vendor, reply: Reply): Response => {
  const wire: Wire = vendor === 'openai' ? 'openaiChat' : vendor
  return new Response(frames[wire](reply).join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

/** A stream controlled by a test. */
export function fed() {
  const { promise: opened, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const body = new ReadableStream<Uint8Array>({ start: (controller) => resolve(controller) })
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    async send(...sent: string[]) {
      const controller = await opened
      for (const frame of sent) controller.enqueue(new TextEncoder().encode(frame))
    },
    end: async () => (await opened).close(),
  }
}

export async function openGateway(environment: Record<string, string> = {}) {
  const asked: Asked[] = []
  const vendors = {
    asked,
    reply: (_: Asked): Response | Promise<Response> => answer('openai', { text: ['Hello.'], finish: 'stop' }),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = (await request.json()) as Record<string, unknown>
      const one = { path: pathname, headers: request.headers, body, hungUp: request.signal }
      asked.push(one)
      return vendors.reply(one)
    },
  })
  const url = `http://127.0.0.1:${server.port}/v1`
  const troupe = await openTroupe({
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RUNNER_TOKEN: runnerToken,
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_ATTEMPT_BACKOFF_MS: '10',
      ...Object.fromEntries(vendorIds.map((vendor) => [`TROUPE_${vendor.toUpperCase()}_BASE_URL`, url])),
      ...environment,
    },
  })
  const { owner } = troupe
  const organization = (await owner.get('/api/v1/organizations')).body.data.items[0].id as string
  const credentials = `/api/v1/organizations/${organization}/provider-credentials`

  const begin = async (attempt: HeldAttempt) =>
    attempt.begin({ kind: 'model', name: 'model', execution: { provider: 'openai', model: 'm' } })
  return {
    troupe,
    owner,
    organization,
    vendors,
    url,
    /** A credential of the organization; its secret identifies it. */
    async credential(provider: string, secret = `secret-of-${provider}-${crypto.randomUUID()}`) {
      const body = { label: `${provider}-${secret}`, provider, credentialType: 'api_key', secret }
      const reply = await owner.post(credentials, body)
      expect(reply.status).toBe(200)
      return { id: reply.body.data.id as string, secret, path: `${credentials}/${reply.body.data.id}` }
    },
    /** A leased and booted run; it has the newest credential of the vendor, or the sandbox without one. */
    async running(query = 'Hello?', more: object = {}, token = runnerToken) {
      const started = await owner.post('/api/v1/agent-runs', { agentId, query, ...more })
      expect({ status: started.status, body: started.body }).toMatchObject({ status: 200 })
      const attempt = await lease(owner, token)
      expect(attempt.runId).toBe(started.body.data.id)
      await attempt.boot()
      return attempt
    },
    begin,
    call: (attempt: HeldAttempt, agentStepId: number, more: object = {}, signal?: AbortSignal) =>
      owner.raw(
        'POST',
        `${attempt.path}/model/stream`,
        { agentStepId, messages: [{ role: 'user', content: 'Hello?' }], ...more },
        { key: attempt.token, ...(signal && { signal }) },
      ),
    /** The usage in the step of a run. */
    async usageOf(attempt: HeldAttempt, agentStepId: number) {
      const [root] = await stepsOf(owner, attempt.runId)
      const steps = [root, ...(root?.childAgentSteps ?? [])].concat(await stepsOf(owner, attempt.runId))
      return steps.find((step) => step?.agentStepId === agentStepId)?.tokenUsage
    },
    hungUp: (index = -1) => eventually('a call that is broken off', () => asked.at(index)?.hungUp.aborted === true),
    async stop() {
      await troupe.stop()
      await server.stop(true)
    },
  }
}
export type Gateway = Awaited<ReturnType<typeof openGateway>>

// biome-ignore lint/suspicious/noExplicitAny: lines of many shapes
export type Line = any

/** The lines of an answer up to its end. */
export async function linesOf(response: Response): Promise<Line[]> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const { origin, pathname } = new URL(response.url)
  const { body } = await replyOf(origin, 'POST', pathname, response)
  return String(body ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

export const textOf = (lines: Line[]) => lines.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')
