/** A runner that is driven by a test: it speaks the runner protocol over HTTP, call by call. */
import { expect } from 'bun:test'
import type { CallOptions, Client, Reply } from './client.ts'

type Loose = Reply['body']

/** One attempt from the runner's side. */
export class HeldAttempt {
  readonly lease: { attemptId: string; agentRunId: string; fencingToken: number; expiresAt: string }
  readonly assignment: Loose
  token: string

  constructor(
    private client: Client,
    given: Loose,
  ) {
    this.lease = given.lease
    this.assignment = given.assignment
    this.token = given.attemptToken
  }

  get runId() {
    return this.lease.agentRunId
  }

  get path() {
    return `/api/v1/agent-runs/${this.runId}/attempts/${this.lease.attemptId}`
  }

  /** Continues with a restarted server. */
  moveTo(client: Client) {
    this.client = client
  }

  call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    return this.client.call(method, this.path + path, body, { key: this.token, ...options })
  }

  boot = () => this.call('POST', '/boot', {})
  beat = (lastStepSequence = 0) => this.call('POST', '/heartbeat', { lastStepSequence })
  startStep = (step: Loose, options?: CallOptions) => this.call('POST', '/steps', step, options)
  endStep = (agentStepId: number, update: Loose) => this.call('PATCH', `/steps/${agentStepId}`, update)
  report = (events: Loose[], options?: CallOptions) => this.call('POST', '/events', { events }, options)
  /** Writes the checkpoint that a suspending report requires. */
  async suspend(agentStepId?: number, pendingToolCalls: Loose[] = []) {
    const step = agentStepId ?? (await this.begin({ kind: 'tool', name: 'ask' }))
    const messages = [{ role: 'user', content: 'Go on.' }]
    const { status, body } = await this.checkpoint(
      step,
      conversation(messages, pendingToolCalls, this.assignment.chain),
      'suspended',
    )
    expect({ status, body }).toMatchObject({ status: 201 })
  }
  complete = (report: Loose) => this.call('POST', '/complete', report)
  checkpoint = (agentStepId: number, runtimeCheckpoint: Loose, kind = 'step', options?: CallOptions) =>
    this.call('POST', `/steps/${agentStepId}/checkpoints`, { kind, runtimeCheckpoint }, options)

  /** Starts a step and returns its id; anything but 201 fails the test. */
  async begin(step: Loose): Promise<number> {
    const { status, body } = await this.startStep(step)
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.data.agentStepId
  }

  /** One report of each kind, for an attempt that has become stale. */
  everyCall(agentStepId: number): Record<string, () => Promise<Reply>> {
    return {
      boot: this.boot,
      heartbeat: () => this.beat(1),
      'start of a step': () => this.startStep({ kind: 'model', name: 'sandbox' }),
      'end of a step': () => this.endStep(agentStepId, { status: 'completed', output: 'late' }),
      checkpoint: () => this.checkpoint(agentStepId, conversation([{ role: 'user', content: 'late' }])),
      events: () => this.report([textDelta(agentStepId, 'late')]),
      completion: () => this.complete(completed('late')),
    }
  }
}

export interface LeaseOptions {
  machineId?: string
  slots?: number
  waitSeconds?: number
}

/** Requests work, like a runner. */
export const askForWork = (client: Client, token: string, options: LeaseOptions = {}): Promise<Reply> =>
  client.post(
    '/api/v1/runner/leases',
    { machineId: `machine-${crypto.randomUUID()}`, waitSeconds: 10, ...options },
    { key: token },
  )

/** Leases the next attempt; fails if there is none. */
export async function lease(client: Client, token: string, options: LeaseOptions = {}): Promise<HeldAttempt> {
  const { status, body } = await askForWork(client, token, options)
  expect({ status, body }).toMatchObject({ status: 200 })
  return new HeldAttempt(client, body.data)
}

export const textDelta = (agentStepId: number, text: string) => ({
  type: 'step.delta',
  agentStepId,
  data: { kind: 'text', text },
})
export const completed = (output: unknown) => ({ outcome: 'completed', stopReason: 'end_turn', output })
export const failed = (retryable: boolean, more: object = {}) => ({
  outcome: 'failed',
  error: { code: 'provider_error', message: 'The vendor is ill.', retryable, ...more },
})
export const pendingCall = (kind: 'tool' | 'delegate', toolCallId: string) => ({
  kind,
  toolName: 'ask',
  toolCallId,
  input: { question: 'Which one?' },
})
export const awaits = (kind: 'tool' | 'delegate', ...toolCallIds: string[]) => ({
  outcome: kind === 'tool' ? 'awaitingToolResult' : 'awaitingDelegateResult',
  awaiting: toolCallIds.map((toolCallId) => pendingCall(kind, toolCallId)),
})

/** A runtime checkpoint with these messages. */
export const conversation = (messages: Loose[], pendingToolCalls: Loose[] = [], chain = 1) => ({
  version: 1,
  messages,
  stepCount: messages.filter(({ role }) => role === 'assistant').length,
  pendingToolCalls,
  chain,
})
/** The model's message that makes these calls. */
export const calls = (...made: { toolCallId: string; toolName: string; input: unknown }[]) => ({
  role: 'assistant',
  content: made.map((call) => ({ type: 'tool-call', ...call })),
})
