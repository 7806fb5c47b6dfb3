/**
 * Commands to a run: cancel, continue, the result of an external delegate. The statechart decides; here requests become
 * events and outcomes runs. Source: requirement 3, 4.14; contract 5.
 */
import type { PendingInput, RunContext } from '../../../machines/run.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import { listCallResults } from '../../../storage/runs/call-results.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { ApiError, concurrentChange, invalid } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Actors, Outcome } from '../../runtime/actors.ts'
import type { RunAccess } from '../access.ts'
import { inFull, unweighed, weighContinue } from '../admission/admission.ts'
import type { Binding, BindingResolver, ModelRequest } from '../admission/bindings.ts'
import { continueQuery } from '../admission/input.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunCommand, type RunRecord, runAddress } from '../record.ts'
import type { Failure, SettledCall } from '../runner/protocol/protocol.ts'
import { type Reserve, refusalOf } from '../statistics/usage.ts'
import type { CallApprovals } from './approvals.ts'
import { toolResults } from './tool-results.ts'

export interface ContinueRequest extends ModelRequest {
  query: string
  maxRetries?: number
}

export interface DelegateResultRequest {
  toolCallId: string
  result?: unknown
  error?: Failure
}

export interface ControlParts {
  store: Store
  actors: Actors
  access: RunAccess
  bindings: BindingResolver
  reserve: Reserve
  idempotency: Idempotency
  approvals: CallApprovals
}

type Answer = { data: PresentedRun }

const triesMax = 5
/** An event before the runtime stamps it. */
type Sent = RunCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'at' | 'chance'>
    : never
  : never

/** The run is no longer as it was when the command was made up for it. */
class Conflict extends Error {
  override readonly name = 'Overtaken'
}

export class RunControl {
  constructor(private readonly parts: ControlParts) {}

  /** Cancels the run, or answers that it is on its way. Throws 401 for sessions, `notFound`, a conflict. */
  async cancel(context: KeyedContext, caller: Caller, runId: string): Promise<Answer> {
    await this.parts.access.find(caller, runId, 'agent-runs:cancel')
    const operation = 'POST /api/v1/agent-runs/{agentRunId}/cancel'
    return this.parts.idempotency.answer(context, { operation, caller, path: [runId], body: null }, async (record) => {
      const answer = await this.#send(caller, runId, { type: 'cancel' }, record)
      await this.#tellCalls(answer, 'abort')
      return answer
    })
  }

  /**
   * Goes on with a new message, or, while the run waits for tools, with their results. Throws what requirement 4.14
   * lists for this operation.
   */
  async continue(context: KeyedContext, caller: Caller, runId: string, request: ContinueRequest): Promise<Answer> {
    await this.parts.access.find(caller, runId, 'agent-runs:continue')
    const operation = 'POST /api/v1/agent-runs/{agentRunId}/continue'
    return this.parts.idempotency.answer(context, { operation, caller, path: [runId], body: request }, (record) =>
      this.#continue(caller, runId, { ...request, query: continueQuery(request.query) }, record),
    )
  }

  async #continue(caller: Caller, runId: string, request: ContinueRequest, record: RequestRecord): Promise<Answer> {
    let look = false
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#continueAsFound(caller, runId, request, record, look)
      } catch (error) {
        if (error instanceof LimitReached) {
          // others have taken it, which leaves less, or nothing
          if (tries === triesMax) throw refusalOf(error)
          look = true
          continue
        }
        // what was read is outdated: the request means something else for the run as it is now
        if (!(error instanceof Conflict)) throw error
        if (tries >= 2) throw concurrentChange(error)
      }
    }
  }

  async #continueAsFound(
    caller: Caller,
    runId: string,
    request: ContinueRequest,
    record: RequestRecord,
    look: boolean,
  ): Promise<Answer> {
    const { actors, bindings, reserve } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(runId))
    const awaited = actor?.context.awaiting.filter(({ kind }) => kind === 'tool') ?? []
    const pending = awaited.filter(({ invocationId }) => invocationId === undefined)
    const before = actor ? (JSON.parse(actor.row.row.binding) as Binding) : undefined
    const binding = before && (await bindings.forContinue(caller, request, before))
    const weighed =
      actor && actors.hasRow(actor, 'continue')
        ? await weighContinue(caller, actor.row.row, { look, reserve })
        : unweighed
    const answers = pending.length > 0 ? toolResults(request.query, pending) : []
    const given = answers.map(({ toolCallId, result }): SettledCall => ({ toolCallId, outcome: { result } }))
    const { closed, writes } = await this.#closeApprovals(awaited)
    const results = [...given, ...closed]
    try {
      const answer = await this.#send(
        caller,
        runId,
        {
          type: 'continue',
          // a result is no message: the conversation goes on with what the tool has said
          input: { query: answers.length > 0 ? null : request.query, contents: [] },
          ...(request.maxRetries === undefined ? {} : { maxRetries: request.maxRetries }),
          ...(binding ? { binding: JSON.stringify(binding) } : {}),
          ...weighed.facts,
          ...(weighed.reservation ? { reservation: weighed.reservation } : {}),
          ...(results.length > 0 ? { answered: results.map(({ toolCallId }) => toolCallId), results } : {}),
        },
        (data, { move }) => {
          if (move.from !== actor?.state) throw new Conflict()
          return [...writes, ...record(data)]
        },
      )
      await this.#tellCalls(answer, 'withdraw')
      return answer
    } catch (error) {
      // one of the approvals was decided since it was read
      const isDecided = writes.length > 0 && error instanceof ApiError && error.code === 'concurrent_change'
      throw isDecided ? new Conflict() : inFull(weighed, error)
    }
  }

  /** Whoever goes on does not wait for approvals: the calls are closed. */
  async #closeApprovals(awaited: readonly PendingInput[]) {
    const closed: SettledCall[] = []
    const writes: Write[] = []
    for (const { toolCallId, invocationId } of awaited) {
      if (invocationId === undefined) continue
      const call = await this.parts.approvals.close(invocationId)
      closed.push({ toolCallId, outcome: call.outcome })
      writes.push(...call.writes)
    }
    return { closed, writes }
  }

  /** Before anybody is answered, so that nobody is asked to decide on what is not wanted any more. */
  async #tellCalls({ data: { id, deploymentId } }: Answer, what: 'withdraw' | 'abort'): Promise<void> {
    if (deploymentId !== null) await this.parts.approvals[what]({ agentRunId: id })
  }

  /** Gives the result of an external delegate's call. Throws 422 for an unknown call, a conflict unless it is awaited. */
  async delegateResult(
    caller: Caller,
    runId: string,
    request: DelegateResultRequest,
    record: RequestRecord,
  ): Promise<Answer> {
    const { toolCallId, error } = request
    if ((error === undefined) !== 'result' in request) {
      throw invalid([{ path: '/body', message: 'Needs either result or error, and not both.' }])
    }
    await this.parts.access.find(caller, runId, 'agent-runs:update')
    const actor = await this.parts.actors.read<RunRecord, RunContext>(runAddress(runId))
    const awaited = actor?.context.awaiting.filter(({ kind }) => kind === 'delegate') ?? []
    if (awaited.length > 0 && !awaited.some((call) => call.toolCallId === toolCallId)) {
      await this.#assertAnswered(runId, toolCallId)
    }
    const answer = error === undefined ? { result: request.result } : { failure: error }
    return this.#send(caller, runId, { type: 'delegateResult', toolCallId, ...answer }, record)
  }

  /** A call that was answered before is a conflict, which the statechart tells; any other is unknown. */
  async #assertAnswered(runId: string, toolCallId: string): Promise<void> {
    const answered = await this.parts.store.all(listCallResults(this.parts.store, { runId }))
    if (answered.some(({ tool_call_id }) => tool_call_id === toolCallId)) return
    throw invalid([{ path: '/body/toolCallId', message: 'The run waits for no such call.' }])
  }

  async #send(
    caller: Caller,
    runId: string,
    event: Sent,
    writes: (answer: Answer, outcome: Outcome<RunRecord>) => Write[],
  ): Promise<Answer> {
    let answer: Answer | undefined
    const { actor } = await this.parts.actors.send<RunRecord>(runAddress(runId), event, {
      by: caller.principal,
      writes: (outcome) => {
        answer = { data: presented(outcome.actor) }
        return writes(answer, outcome)
      },
    })
    return answer ?? { data: presented(actor) }
  }
}

const presented = ({ row, context }: Outcome<RunRecord>['actor']): PresentedRun =>
  presentRun(row.row, context as unknown as RunContext)
