/** The server's side of the runner protocol over HTTP: one run, kept by a FakeServer, with the faults of a test. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GatewayRequest } from '../../../../src/runs/attempts/gateway/model-calls.ts'
import { ProviderFailure } from '../../../../src/runs/providers/errors.ts'
import type { AssignedAgent } from '../../../../src/runs/runner/protocol/protocol.ts'
import { type OperationCall, StaleAttempt } from '../../../../src/runs/runner/protocol/protocol.ts'
import type { FakeChannel } from './channel.ts'
import type { FakeServer } from './server.ts'

interface SeenRequest {
  method: string
  path: string
  token: string
  key: string | null
  body: unknown
}

const token = 'runner-token'
const attemptToken = 'attempt-token'

export class HttpServer {
  readonly seen: SeenRequest[] = []
  readonly #server: Server
  /** Instead of the answer, before the request takes effect. */
  before:
    | ((request: SeenRequest, count: number) => Response | 'drop' | undefined | Promise<Response | undefined>)
    | undefined
  /** Instead of the answer, after the request has taken effect. */
  after: ((request: SeenRequest) => Response | 'drop' | undefined) | undefined
  offers = 1
  /** The answer to requests for work when there is none left. */
  afterOffers: 'nothing' | 'wait' = 'nothing'
  /** How far its clock is ahead. */
  clockAheadMs = 0
  #channel: FakeChannel | undefined
  readonly #answers = new Map<string, unknown>()
  readonly #operations = new Map<string, Promise<unknown>>()

  constructor(private readonly desk: FakeServer) {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { headers, method = '', url = '' } = request
    const answer = await this.#answer({
      method,
      path: url,
      token: headers.authorization ?? '',
      key: (headers['idempotency-key'] as string | undefined) ?? null,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    })
    // A connection that breaks.
    if (answer === 'drop') return void request.socket.destroy()
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(await answer.text())
  }

  async #answer(seen: SeenRequest): Promise<Response | 'drop'> {
    this.seen.push(seen)
    const instead = await this.before?.(seen, this.seen.length)
    if (instead) return instead
    const answer = await this.#route(seen)
    return this.after?.(seen) ?? answer
  }

  async #route({ method, path, token: given, key, body }: SeenRequest): Promise<Response> {
    if (path === '/api/v1/runner/leases') {
      if (given !== `Bearer ${token}`) return failure(401, 'invalid_attempt_token')
      if (this.offers-- <= 0) {
        if (this.afterOffers === 'wait') await new Promise(() => {})
        return new Response(null, { status: 204 })
      }
      this.#channel = this.desk.lease()
      const { lease, assignment } = this.#channel
      const expiresAt = new Date(Date.now() + 30_000 + this.clockAheadMs).toISOString()
      return this.#data({ lease: { ...lease, expiresAt }, attemptToken, assignment })
    }
    if (given !== `Bearer ${attemptToken}`) return failure(401, 'invalid_attempt_token')
    const stream = /^\/api\/v1\/agent-runs\/run_1\/attempts\/att_\d+\/model\/stream$/.test(path)
    if (stream) return this.#model(body as GatewayRequest)
    const match = /^\/api\/v1\/agent-runs\/run_1\/attempts\/att_\d+\/(.*)$/.exec(path)
    if (!match) return failure(404, 'not_found')
    if (key && this.#answers.has(key)) return this.#data(this.#answers.get(key))
    try {
      const answer = (await this.#report(`${method} ${match[1]}`, body)) ?? {}
      if (key) this.#answers.set(key, answer)
      return this.#data(answer, method === 'POST' && /steps/.test(path) ? 201 : 200)
    } catch (error) {
      if (error instanceof StaleAttempt) return failure(409, 'stale_attempt')
      return failure(422, 'validation_failed', (error as Error).message)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of requests of any shape
  #report(what: string, body: any): Promise<unknown> {
    const channel = this.#channel!
    if (what === 'POST boot') return channel.boot()
    if (what === 'POST heartbeat') {
      return channel.heartbeat(body).then((answer) => ({
        ...answer,
        expiresAt: new Date(Date.now() + 30_000 + this.clockAheadMs).toISOString(),
      }))
    }
    if (what === 'POST complete') return channel.complete(body)
    if (what === 'POST events') return channel.deltas(body.events)
    if (what === 'POST operations') return this.#operation(body)
    if (what === 'POST steps') return channel.startStep(body)
    const [, id, checkpoints] = /^(?:POST|PATCH) steps\/(\d+)(\/checkpoints)?$/.exec(what) ?? []
    if (id && checkpoints) return channel.checkpoint(Number(id), body)
    if (id && what.startsWith('PATCH')) return channel.endStep(Number(id), body)
    return Promise.reject(new Error(`No route for ${what}.`))
  }

  /** The gateway: a line for each part, and one for the end. */
  async #model({ agentStepId, messages, tools = [] }: GatewayRequest): Promise<Response> {
    const channel = this.#channel!
    const { agentId } = this.desk.steps[agentStepId - 1]!
    const { run, agent: own, model, operations, delegates } = channel.assignment
    const all = [{ ...run, ...own, model, operations, delegates }, ...agentsBelow(delegates)]
    const agent = all.find((one) => one.agentId === (agentId ?? run.agentId))!
    const lines: object[] = []
    try {
      const { signal } = new AbortController()
      for await (const part of channel.streamModel({ agent, agentStepId, messages, tools, signal })) lines.push(part)
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      const { code, message, retryable, retryAfterMs } = error
      lines.push({ type: 'error', error: { code, message, retryable, retryAfterMs } })
    }
    return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

  /** A repeated call gets the first answer. */
  #operation(call: OperationCall): Promise<unknown> {
    const known = this.#operations.get(call.toolCallId)
    if (known) return known
    const calling = this.#channel!.callOperation(call, new AbortController().signal)
    this.#operations.set(call.toolCallId, calling)
    return calling
  }

  #data(data: unknown, status = 200): Response {
    const headers = this.clockAheadMs ? { date: new Date(Date.now() + this.clockAheadMs).toUTCString() } : undefined
    return Response.json({ data }, { status, headers })
  }
}

const agentsBelow = (delegates: Record<string, AssignedAgent>): AssignedAgent[] =>
  Object.values(delegates).flatMap((agent) => [agent, ...agentsBelow(agent.delegates)])

export const failure = (status: number, code: string, message = 'No.', headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message, requestId: 'req_1' } }, { status, headers })
