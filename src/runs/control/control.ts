/**
 * Commands to a run: cancel, continue, and the result of an external delegate. This service converts requests to events
 * and outcomes to answers; the statechart decides. Source: requirement 3, 4.14; contract 5.
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import { type RunContext, reportedBy } from '../../../machines/run.ts'
import { listCallResults } from '../../../storage/runs/call-results.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { ApiError, concurrentChange, invalid, permissionDenied } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { noPrices, type Prices } from '../../platform/models/prices/prices.ts'
import type { Actors, Outcome } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { RunAccess } from '../access.ts'
import { inFull, untilAdmitted, unweighed, weighContinue } from '../admission/admission.ts'
import type { Binding, BindingResolver } from '../admission/bindings.ts'
import { assertCountable } from '../admission/budgets.ts'
import { checkedContext, continueQuery, startInput } from '../admission/input.ts'
import { assertAdmitsIn } from '../admission/place.ts'
import { fits } from '../conversations/room.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunActor, type RunRecord, runAddress } from '../record.ts'
import type { StoredInput } from '../records/stored-input.ts'
import type { SettledCall } from '../runner/protocol/protocol.ts'
import type { Reserve } from '../statistics/usage.ts'
import { type CallApprovals, closeAll } from './approvals.ts'
import { Conflict } from './conflict.ts'
import type { CancelAs, ContinueAs, ContinueRequest, DelegateResultRequest, MessageRequest, Sent } from './requests.ts'
import { assertEnabled, type TurnAdmission } from './system-agents.ts'
import { assertNoResults, toolResults } from './tool-results.ts'

export type * from './requests.ts'

export interface ControlParts {
  store: Store
  actors: Actors
  access: RunAccess
  starts: TurnAdmission
  bindings: BindingResolver
  reserve: Reserve
  idempotency: Idempotency
  approvals: CallApprovals
  /** Omitted: models have no prices. */
  prices?: Prices
}

type Answer = { data: PresentedRun }

/** `mayAnswer`: the text is the result of tools that the run waits for. `turn`: the expected turn of the run. */
type Continuation = MessageRequest & { mayAnswer: boolean; turn?: number }

export class RunControl {
  constructor(private readonly parts: ControlParts) {}

  /** Cancels the run; idempotent. Throws 401 for sessions, `notFound`, a conflict, and `Conflict` in another turn. */
  async cancel(context: KeyedContext, caller: Caller, runId: string, as: CancelAs = {}): Promise<Answer> {
    await this.parts.access.find(caller, runId, 'agent-runs:cancel')
    const operation = 'POST /api/v1/agent-runs/{agentRunId}/cancel'
    const body = Object.keys(as).length > 0 ? as : null
    return this.parts.idempotency.answer(context, { operation, caller, path: [runId], body }, (record) =>
      this.cancelNow(caller, runId, record, as),
    )
  }

  /** Without an Idempotency-Key, for a run that the caller may cancel. */
  async cancelNow(
    caller: Caller,
    runId: string,
    record: RequestRecord,
    { force = false, turn }: CancelAs = {},
  ): Promise<Answer> {
    const event: Sent = { type: 'cancel', ...(force && { force }) }
    const answer = await this.#send(caller, runId, event, (data, { actor: { context } }) => {
      if (turn !== undefined && context.chain !== turn) throw new Conflict()
      return record(data)
    })
    await this.#tellCalls(answer, 'abort')
    return answer
  }

  /**
   * Continues with a new message or, while the run waits for tools, with their results. Throws the errors that
   * requirement 4.14 lists for this operation, and for an ended run `project_paused` and `notFound` as a start does.
   */
  async continue(
    context: KeyedContext,
    caller: Caller,
    runId: string,
    request: ContinueRequest,
    as: ContinueAs = {},
  ): Promise<Answer> {
    await this.parts.access.find(caller, runId, 'agent-runs:continue')
    const operation = 'POST /api/v1/agent-runs/{agentRunId}/continue'
    const body = { ...request, ...as }
    return this.parts.idempotency.answer(context, { operation, caller, path: [runId], body }, (record) =>
      this.continueNow(caller, runId, request, as, record),
    )
  }

  /** The same without an Idempotency-Key, for a run that the caller may continue. */
  continueNow(
    caller: Caller,
    runId: string,
    { query, ...others }: ContinueRequest,
    { contents, context, ...inTurn }: ContinueAs,
    record: RequestRecord,
  ): Promise<Answer> {
    const input: StoredInput = contents ? startInput(query, contents) : { query: continueQuery(query), contents: [] }
    if (context) input.context = checkedContext(context)
    return this.#continue(caller, runId, { ...others, ...inTurn, input, mayAnswer: !contents }, record)
  }

  /**
   * Continues an ended run without waiting messages. Throws as `continue` does, and `Conflict` if the run is active
   * again.
   */
  goOn(caller: Caller, runId: string, request: MessageRequest, record: RequestRecord): Promise<Answer> {
    return this.#continue(caller, runId, { ...request, mayAnswer: false }, record)
  }

  /**
   * Queues a message, behind the others, or before them, after the turn that it cancels. Throws `limit_exceeded`, and
   * `Conflict` if the run has ended and no message waits in it.
   */
  async queue(
    caller: Caller,
    runId: string,
    how: 'enqueue' | 'interrupt',
    { query, queued, hasEnded }: { query: string | null; queued: string; hasEnded: boolean },
    record: RequestRecord,
  ): Promise<Answer> {
    const isInterrupt = how === 'interrupt'
    if (isInterrupt) {
      if (caller.principal.type !== 'apiKey') throw keyRequired
      if (!maySomewhere(caller, 'agent-runs:cancel')) throw permissionDenied('agent-runs:cancel')
      await this.parts.access.find(caller, runId, 'agent-runs:cancel')
    }
    const event: Sent =
      isInterrupt && !hasEnded
        ? { type: 'cancel', first: { query }, queued }
        : { type: 'enqueue', query, first: isInterrupt, queued }
    try {
      const answer = await this.#send(caller, runId, event, record)
      if (isInterrupt) await this.#tellCalls(answer, 'abort')
      return answer
    } catch (error) {
      throw error instanceof ApiError && error.code === 'invalid_transition' ? new Conflict() : error
    }
  }

  async #continue(caller: Caller, runId: string, request: Continuation, record: RequestRecord): Promise<Answer> {
    return untilAdmitted(
      (look) => this.#continueAsFound(caller, runId, request, record, look),
      (error, tries) => {
        // the run changed since it was read: interpret the request again
        if (!(error instanceof Conflict)) throw error
        if (tries >= 2) throw concurrentChange(error)
      },
    )
  }

  async #continueAsFound(
    caller: Caller,
    runId: string,
    request: Continuation,
    record: RequestRecord,
    look: boolean,
  ): Promise<Answer> {
    const { store, actors, reserve, starts } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(runId))
    // other states refuse it themselves
    const mayContinue = actor !== undefined && actors.hasRow(actor, 'continue')
    if (mayContinue && isRunEnd(actor.state)) await assertEnabled(starts, caller, actor.row.row)
    const awaited = actor?.context.awaiting.filter(({ kind }) => kind === 'tool') ?? []
    const pending = awaited.filter((call) => reportedBy(call) === undefined)
    const binding = actor && (await this.#bindingFor(caller, request, actor))
    const conversationFits = !mayContinue || !isRunEnd(actor.state) || (await fits(store, runId, request.input))
    const weighed = mayContinue ? await weighContinue(caller, actor, { look, reserve, conversationFits }) : unweighed
    if (!request.mayAnswer && awaited.length > 0) throw new Conflict()
    const isOther = (context: Pick<RunContext, 'chain'>, further: number) =>
      request.turn !== undefined && context.chain !== request.turn + further
    if (actor && isOther(actor.context, 0)) throw new Conflict()
    if (mayContinue && request.mayAnswer && awaited.length === 0) assertNoResults(request.input.query)
    const answers = pending.length > 0 ? toolResults(request.input.query ?? '', pending) : []
    const given = answers.map(({ toolCallId, result }): SettledCall => ({ toolCallId, outcome: { result } }))
    const { closed, writes } = await closeAll(this.parts.approvals, runId, awaited)
    const results = [...given, ...closed]
    try {
      const event: Sent = {
        type: 'continue',
        // a tool result adds no message: the conversation continues with the tool's answer
        input: answers.length > 0 ? { query: null, contents: [] } : request.input,
        ...(request.mayAnswer ? {} : { inTurn: true }),
        ...(request.maxRetries === undefined ? {} : { maxRetries: request.maxRetries }),
        ...(binding ? { binding: JSON.stringify(binding) } : {}),
        ...weighed.facts,
        ...(weighed.reservation ? { reservation: weighed.reservation } : {}),
        ...(results.length > 0 ? { answered: results.map(({ toolCallId }) => toolCallId), results } : {}),
      }
      const answer = await this.#send(caller, runId, event, (data, { move, actor: { context } }) => {
        if (move.from !== actor?.state || isOther(context, 1)) throw new Conflict()
        return [...writes, ...record(data)]
      })
      await this.#tellCalls(answer, 'withdraw')
      return answer
    } catch (error) {
      if (!isConcurrentChange(error)) throw inFull(weighed, error)
      const isEnded = actor !== undefined && isRunEnd(actor.state)
      if (isEnded) await assertAdmitsIn(this.parts.store, actor.row.row)
      // an approval was decided, or the place has changed, since it was read
      throw isEnded || writes.length > 0 ? new Conflict() : error
    }
  }

  /** The new binding of the next turn; undefined if it stays. Throws 422 if the run's budget cannot apply to it. */
  async #bindingFor(caller: Caller, request: Continuation, actor: RunActor): Promise<Binding | undefined> {
    const before = JSON.parse(actor.row.row.binding) as Binding
    const binding = await this.parts.bindings.forContinue(caller, request, before)
    const { budget } = actor.context
    if (binding && budget) {
      const named = request.model === undefined ? 'provider' : 'model'
      assertCountable(this.parts.prices ?? noPrices, binding, budget, `/body/${named}`)
    }
    return binding
  }

  /** Runs before the answer is sent, so that no obsolete approval is shown. */
  async #tellCalls({ data: { id, deploymentId } }: Answer, what: 'withdraw' | 'abort'): Promise<void> {
    if (deploymentId !== null) await this.parts.approvals[what]({ agentRunId: id })
  }

  /** Starts a run whose start was put off; one that may start already is unchanged. Throws `notFound`, and a conflict. */
  async startNow(caller: Caller, runId: string, record: RequestRecord): Promise<Answer> {
    await this.parts.access.find(caller, runId, 'agent-runs:update')
    return this.#send(caller, runId, { type: 'startNow' }, record)
  }

  /**
   * Submits the result of an external delegate's call. Throws 422 for an unknown call, and a conflict unless the run
   * waits for it.
   */
  async delegateResult(
    caller: Caller,
    runId: string,
    request: DelegateResultRequest,
    record: RequestRecord,
  ): Promise<Answer> {
    const { toolCallId, error } = request
    if ((error === undefined) !== 'result' in request) {
      throw invalid([{ path: '/body', message: 'Give exactly one of result and error.' }])
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

  /** A call that was already answered is a conflict, thrown by the statechart; any other call is unknown. */
  async #assertAnswered(runId: string, toolCallId: string): Promise<void> {
    const answered = await this.parts.store.all(listCallResults(this.parts.store, { runId }))
    if (answered.some(({ tool_call_id }) => tool_call_id === toolCallId)) return
    throw invalid([{ path: '/body/toolCallId', message: 'The run does not wait for this call.' }])
  }

  async #send(
    caller: Caller,
    runId: string,
    event: Sent,
    writes: (answer: Answer, outcome: Outcome<RunRecord, RunContext>) => Write[],
  ): Promise<Answer> {
    let answer: Answer | undefined
    const { actor } = await this.parts.actors.send<RunRecord, RunContext>(runAddress(runId), event, {
      by: caller.principal,
      writes: (outcome) => {
        answer = { data: presented(outcome.actor, outcome.move.context) }
        return writes(answer, outcome)
      },
    })
    return answer ?? { data: presented(actor) }
  }
}

const keyRequired = new ApiError(401, 'unauthenticated', 'Interrupting a turn cancels it, which requires an API key.')

/** `after`: the context after the sender's own event. Of messages that come at the same time, its own is the latest. */
const presented = ({ row, context }: RunActor, { queuedInputs = [] } = context): PresentedRun =>
  presentRun(row.row, { ...context, queuedInputs })
