/** A runner operated by hand: it brings runs into each state, and sends the reports of a test. */
import type { AnyEventObject } from 'xstate'
import type { RunContext } from '../../machines/run.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { type RunRecord, runAddress } from '../../src/runs/record.ts'
import { type CheckpointTrail, checkpointRow } from '../../src/runs/records/checkpoints.ts'
import { agentText, noExecutionText, noUsageText } from '../../src/runs/records/step-columns.ts'
import type { Report } from '../../src/runs/reports.ts'
import type { CheckpointReport } from '../../src/runs/runner/protocol/protocol.ts'
import type { Actors } from '../../src/runtime/actors.ts'
import type { AgentStepRow } from '../../storage/tables.ts'

export const noExecution = noExecutionText
const pending = (kind: string, input: object) => (toolCallId: string) => ({ kind, toolName: 'ask', toolCallId, input })

export class HandRunner {
  #fence = 0
  #ids = 0
  readonly #trails = new Map<string, CheckpointTrail>()

  constructor(
    private readonly actors: Actors,
    private readonly clock: Clock,
  ) {}

  /** Leases and boots the run; the id of its root step. */
  async begin(runId: string): Promise<number> {
    const fencingToken = ++this.#fence
    const attemptId = `att_${fencingToken}`
    await this.#send(runId, { type: 'leaseRequested', attemptId, machine: 'm1' })
    await this.#send(runId, { type: 'leased', attemptId, fencingToken })
    const rootStep = this.#stepRow(runId, (await this.#context(runId)).attempt, {})
    await this.#send(runId, { type: 'booted', fencingToken, rootStep })
    return rootStep.agent_step_id
  }

  async report(runId: string, ...reports: Report[]): Promise<void> {
    const fencingToken = (await this.#context(runId)).lease?.fencingToken
    await this.#send(runId, { type: 'progressed', fencingToken, reports })
  }

  async startStep(runId: string, changes: Partial<AgentStepRow>): Promise<number> {
    const { attempt } = await this.#context(runId)
    const row = this.#stepRow(runId, attempt, { kind: 'model', name: 'sandbox', ...changes })
    await this.report(runId, { report: 'stepStarted', row })
    return row.agent_step_id
  }

  deltas(runId: string, agentStepId: number, ...texts: string[]): Promise<void> {
    return this.report(runId, {
      report: 'streamed',
      deltas: texts.map((text) => ({ type: 'step.delta', agentStepId, data: { kind: 'text', text } })),
    })
  }

  async checkpoint(runId: string, agentStepId: number, report: CheckpointReport): Promise<number> {
    const place = { checkpointId: ++this.#ids, runId, agentStepId, attempt: (await this.#context(runId)).attempt }
    const previous = this.#trails.get(runId) ?? null
    const { row, trail } = checkpointRow({ previous, report, place, at: this.clock.now() })
    this.#trails.set(runId, trail)
    await this.report(runId, { report: 'checkpointed', row })
    return place.checkpointId
  }

  /** The final report of the attempt. */
  async end(runId: string, event: AnyEventObject): Promise<void> {
    const fencingToken = (await this.#context(runId)).lease?.fencingToken
    await this.#send(runId, { reportDigest: 'sha256:x', ...event, fencingToken })
  }

  complete(runId: string, output: unknown = 'Done.'): Promise<void> {
    const outputDigest = `sha256:${'1'.repeat(64)}`
    return this.end(runId, { type: 'completed', stopReason: 'end_turn', output, outputDigest })
  }

  awaitTools(runId: string, ...calls: string[]): Promise<void> {
    return this.end(runId, { type: 'toolResultNeeded', awaiting: calls.map(pending('tool', { q: 1 })) })
  }

  awaitDelegates(runId: string, ...calls: string[]): Promise<void> {
    return this.end(runId, { type: 'delegateResultNeeded', awaiting: calls.map(pending('delegate', {})) })
  }

  /** Brings a newly started run into a state. */
  async lead(runId: string, state: string): Promise<void> {
    if (state === 'canceled') await this.#send(runId, { type: 'cancel' })
    if (state === 'expired') await this.#send(runId, { type: 'queueDeadline' })
    if (state === 'acquiring' || state === 'starting') {
      await this.#send(runId, { type: 'leaseRequested', attemptId: 'att_1', machine: 'm1' })
    }
    if (state === 'starting')
      await this.#send(runId, { type: 'leased', attemptId: 'att_1', fencingToken: ++this.#fence })
    if (['queued', 'acquiring', 'starting', 'canceled', 'expired'].includes(state)) return
    await this.begin(runId)
    if (state === 'awaitingToolResult') await this.awaitTools(runId, 'call_1')
    if (state === 'awaitingDelegateResult') await this.awaitDelegates(runId, 'call_1')
    if (state === 'canceling') await this.#send(runId, { type: 'cancel' })
    if (state === 'completed') await this.complete(runId)
    if (state === 'failed') {
      await this.end(runId, { type: 'failed', cause: { code: 'provider_error', message: 'The vendor is away.' } })
    }
  }

  #send(runId: string, event: AnyEventObject) {
    return this.actors.send<RunRecord>(runAddress(runId), event)
  }

  async #context(runId: string): Promise<RunContext> {
    return (await this.actors.read<RunRecord, RunContext>(runAddress(runId)))?.context as RunContext
  }

  #stepRow(runId: string, attempt: number, changes: Partial<AgentStepRow>): AgentStepRow {
    const now = this.clock.now()
    return {
      agent_step_id: ++this.#ids,
      run_id: runId,
      parent_agent_step_id: null,
      sequence: 0,
      kind: 'agent',
      name: 'Assistant',
      status: 'running',
      attempt,
      agent: agentText({ agentId: 'agt_system_assistant', agentRevisionId: 'agr_1', name: 'Assistant' }),
      execution: noExecution,
      cost: null,
      token_usage: noUsageText,
      input: null,
      output: null,
      error: null,
      last_checkpoint_id: null,
      started_at: now,
      ended_at: null,
      created_at: now,
      updated_at: now,
      ...changes,
    }
  }
}
