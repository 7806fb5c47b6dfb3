/**
 * Conversations by a client's key: the first start with a `threadKey` creates a run, a later one continues it, or,
 * while it is active, follows `ifBusy`. If a run can no longer be continued, a new run follows it. Source: contract 12.
 */
import { type RunBudget, smallerBudget } from '../../../machines/run/budget.ts'
import { permanent } from '../../../machines/run/refusals.ts'
import { isRunEnd } from '../../../machines/run/states.ts'
import type { RunContext } from '../../../machines/run.ts'
import { findThread } from '../../../storage/runs/conversations.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError, concurrentChange, invalid, permissionDenied } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { RunAccess } from '../access.ts'
import type { Binding, BindingResolver } from '../admission/bindings.ts'
import { checkedContext, startInput } from '../admission/input.ts'
import type { RunStarts, StartRequest, ThreadStart } from '../admission/start.ts'
import { Conflict } from '../control/conflict.ts'
import type { RunControl } from '../control/control.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunActor, type RunRecord, runAddress } from '../record.ts'
import type { StoredInput } from '../records/stored-input.ts'
import type { QueuedBody } from './queued-inputs.ts'

type Answer = { data: PresentedRun }
/** A start that names its conversation. */
type ThreadRequest = StartRequest & { threadKey: string }

interface ConversationsParts {
  store: Store
  actors: Actors
  access: RunAccess
  bindings: BindingResolver
  starts: RunStarts
  control: RunControl
}

/** Each try may meet a run that has just ended, or gone on: many, since the turns of a busy conversation may be short. */
const triesMax = 20
/**
 * The longest pause before the third try, doubled before each further one up to the longest of all: requests at several
 * servers that change the same run must not meet again and again.
 */
const pauseMs = 20
const pauseMsMax = 320
/** The most characters of a waiting message, which is stored in one row, as JSON. */
const queuedCharactersMax = 1024 * 1024

const permanentReasons = new Set<unknown>(permanent.map(({ conflictReason }) => conflictReason))

/** Whether the run, once it has ended, refuses every message. */
const refusesAll = (context: RunContext): boolean => permanent.some(({ when }) => context[when] === true)

export class Conversations {
  constructor(private readonly parts: ConversationsParts) {}

  /** `start` for the callers of a start. */
  startOf({ threadKey }: Pick<ThreadRequest, 'threadKey'>) {
    return (caller: Caller, request: StartRequest, record: RequestRecord) =>
      this.start(caller, { ...request, threadKey }, record)
  }

  /** Starts or continues the run of the conversation; `record` commits with it. Throws as a start and a continue do. */
  async start(caller: Caller, request: ThreadRequest, record: RequestRecord): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#startAsFound(caller, request, record)
      } catch (error) {
        // the conversation has changed since it was read: decide again
        const isOvertaken = error instanceof Conflict || isConcurrentChange(error)
        if (!isOvertaken) throw error
        if (tries === triesMax) throw concurrentChange(error)
        if (tries > 1) await Bun.sleep(Math.random() * Math.min(pauseMs * 2 ** (tries - 2), pauseMsMax))
      }
    }
  }

  /**
   * The current run of a conversation, and whether the next message begins another one; undefined before the first
   * message. Throws `notFound` if the caller may not see it.
   */
  async find(caller: Caller, request: Pick<ThreadRequest, 'agentId' | 'environmentId' | 'threadKey'>, by: Permission) {
    const runId = await this.#runOf(caller, request)
    if (runId === null) return undefined
    const { access, actors } = this.parts
    const { row, context } = await access.find(caller, runId, by)
    const goesOn = actors.hasRow({ address: runAddress(runId), state: row.state, row }, 'enqueue')
    const isOver = !goesOn || refusesAll(context)
    return { run: presentRun(row, context), isOver }
  }

  async #startAsFound(caller: Caller, request: ThreadRequest, record: RequestRecord): Promise<Answer> {
    const { actors, access, starts } = this.parts
    const runId = await this.#runOf(caller, request)
    const actor = runId === null ? undefined : await actors.read<RunRecord, RunContext>(runAddress(runId))
    if (!actor) return starts.start(caller, request, record, this.#inPlaceOf(caller, request, runId))
    const { id, project_id: projectId } = actor.row.row
    if (!may(caller, 'agent-runs:continue', projectId)) throw permissionDenied('agent-runs:continue')
    await access.find(caller, id, 'agent-runs:continue')
    const goesOn = actors.hasRow(actor, 'enqueue') && !(isRunEnd(actor.state) && refusesAll(actor.context))
    if (!goesOn) return this.#anew(caller, actor, request, record)
    await this.#assertSubject(caller, actor, request)
    assertLimits(actor.context.budget, request.limits)
    // messages wait in an ended run until the server continues it with the first of them
    const isBusy = !isRunEnd(actor.state) || (actor.context.queuedInputs?.length ?? 0) > 0
    if (isBusy) return this.#whileBusy(caller, actor, request, record)
    assertFollows(request)
    await starts.assertAdmits(caller, request)
    try {
      return await this.parts.control.goOn(caller, actor.row.row.id, { ...request, input: inputOf(request) }, record)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_transition') throw error
      // it is active again, or can no longer be continued
      if (!permanentReasons.has(Object(error.details).conflictReason)) throw new Conflict()
      return this.#anew(caller, actor, request, record)
    }
  }

  #anew(caller: Caller, { row: { row } }: RunActor, request: ThreadRequest, record: RequestRecord): Promise<Answer> {
    return this.parts.starts.start(caller, request, record, this.#inPlaceOf(caller, request, row.id))
  }

  /** The start of the run fixes its subject: a later message may repeat it. Throws as a start does, and 422. */
  async #assertSubject(caller: Caller, { row: { row } }: RunActor, { subjectUserId }: ThreadRequest): Promise<void> {
    if (subjectUserId === undefined) return
    await this.parts.starts.assertSubject(caller, row.project_id, subjectUserId)
    if (subjectUserId === row.subject_user_id) return
    const fixed = row.subject_user_id ?? 'it acts for no user'
    throw invalid([
      {
        path: '/body/subjectUserId',
        message: `The subject of the run of this conversation was fixed at its start: ${fixed}. Omit it, or use another \`threadKey\`.`,
      },
    ])
  }

  async #runOf(
    { organizationId }: Caller,
    { agentId, environmentId = '', threadKey }: Pick<ThreadRequest, 'agentId' | 'environmentId' | 'threadKey'>,
  ) {
    const { store } = this.parts
    return (await store.first(findThread(store, { organizationId, environmentId, agentId, threadKey })))?.run_id ?? null
  }

  #inPlaceOf(caller: Caller, request: ThreadRequest, replaces: string | null): ThreadStart {
    return { replaces, isOvertaken: async () => (await this.#runOf(caller, request)) !== replaces }
  }

  async #whileBusy(caller: Caller, actor: RunActor, request: ThreadRequest, record: RequestRecord): Promise<Answer> {
    const { ifBusy = 'reject' } = request
    const { row } = actor.row
    if (ifBusy === 'reject') {
      throw new ApiError(
        409,
        'run_busy',
        `The run of this conversation is ${row.state}; wait until it has ended, or send \`ifBusy\`: enqueue or interrupt.`,
        { details: { agentRunId: row.id, currentState: row.state } },
      )
    }
    assertFollows(request)
    const input = inputOf(request)
    const { maxRetries } = request
    const binding = await this.parts.bindings.forContinue(caller, request, JSON.parse(row.binding) as Binding)
    const body: QueuedBody = {
      input,
      ...(maxRetries === undefined ? {} : { maxRetries }),
      ...(binding ? { binding: JSON.stringify(binding) } : {}),
    }
    const queued = JSON.stringify(body)
    if (queued.length > queuedCharactersMax) {
      throw invalid([
        { path: '/body', message: 'A message that waits may have at most 1 MiB; send it once the run has ended.' },
      ])
    }
    const message = { query: input.query, queued, hasEnded: isRunEnd(row.state) }
    return this.parts.control.queue(caller, row.id, ifBusy, message, record)
  }
}

/** The start of the run fixes its limits: a later message may repeat them, but not lower them. Throws 422. */
function assertLimits(budget: RunBudget = {}, limits: RunBudget = {}): void {
  const holding = smallerBudget(budget, limits)
  const { maxTokens, maxCost } = budget
  if (holding?.maxTokens === maxTokens && holding?.maxCost?.amount === maxCost?.amount) return
  throw invalid([
    {
      path: '/body/limits',
      message: `The limits of the run of this conversation were fixed at its start: ${isLimited(budget) ? JSON.stringify(budget) : 'it has none'}.`,
    },
  ])
}

/** Throws 422 for fields of a first message only: the run of this conversation has its history, and has begun. */
function assertFollows({ history, startAt }: ThreadRequest): void {
  const own = 'which only the first message of a conversation may have'
  if (history !== undefined) {
    throw invalid([
      { path: '/body/history', message: `The conversation has a run, with its own history; omit \`history\`, ${own}.` },
    ])
  }
  if (startAt !== undefined) {
    throw invalid([{ path: '/body/startAt', message: `The conversation has begun; omit \`startAt\`, ${own}.` }])
  }
}

const isLimited = ({ maxTokens, maxCost }: RunBudget) => maxTokens !== undefined || maxCost !== undefined

const inputOf = ({ query, contents, context }: ThreadRequest): StoredInput => ({
  ...startInput(query, contents),
  ...(context && { context: checkedContext(context) }),
})
