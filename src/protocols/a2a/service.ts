/** The methods of A2A, over turns. */
import type { Approvals } from '../../automation/approvals/service.ts'
import { ApiError, invalid } from '../../platform/http/answers/errors.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { isPrintable } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { ReachedAgent } from '../agents.ts'
import { answerAll } from '../turns/answers.ts'
import type { Seat } from '../turns/seat.ts'
import { TurnSummary } from '../turns/summary.ts'
import type { Begun, Turn, Turns } from '../turns/turns.ts'
import { withoutRepeats } from '../turns/without-repeats.ts'
import { A2aError, noPushNotifications } from './errors.ts'
import { type A2aMessage, answersIn, messageOf } from './messages.ts'
import {
  readTaskId,
  settledTask,
  type TaskHead,
  type TaskTurn,
  taskHead,
  taskOf,
  taskUpdates,
  threadOf,
} from './tasks.ts'

export interface A2aCall {
  caller: Caller
  context: KeyedContext
  seat: Seat
  agent: ReachedAgent
  params: Record<string, unknown>
  signal: AbortSignal
}

interface Found extends Begun {
  turn: TaskTurn
  head: TaskHead
}

const contextLengthMax = 124

export class A2a {
  constructor(
    private readonly turns: Turns,
    private readonly approvals: Approvals,
  ) {}

  /** Answers when the task has ended or waits, or at once with `returnImmediately`. */
  async send(call: A2aCall): Promise<object> {
    const found = await this.#begin(call)
    const { turn, head } = found
    const { returnImmediately } = Object(call.params.configuration) as { returnImmediately?: unknown }
    if (returnImmediately === true) return { task: taskOf(new TurnSummary(), head, turn) }
    return { task: await this.#settled(call, found) }
  }

  /** The task, then each of its changes until it has ended or waits. */
  async stream(call: A2aCall): Promise<AsyncGenerator<object | undefined>> {
    return this.#updates(call, await this.#begin(call), new TurnSummary())
  }

  async get(call: A2aCall): Promise<object> {
    const { turn, head } = await this.#find(call)
    return taskOf(await this.#soFar(call, turn), head, turn)
  }

  /** Throws `taskNotCancelable` for a task that has ended. */
  async cancel(call: A2aCall): Promise<object> {
    const { turn, head } = await this.#find(call)
    const { caller, context } = call
    if (caller.principal.type !== 'apiKey' || !maySomewhere(caller, 'agent-runs:cancel')) {
      throw new A2aError('unsupportedOperation', 'To cancel a task takes an API key with agent-runs:cancel.')
    }
    if (!(await this.#isLive(call, turn))) throw new A2aError('taskNotCancelable', 'The task has ended.')
    const canceled = await this.turns.cancel(context, caller, turn)
    // it has ended meanwhile, or an answer or the next task began another turn
    if (!canceled) return this.cancel(call)
    const now = { ...turn, run: canceled.run }
    return taskOf(await this.#soFar(call, now), head, now)
  }

  /** Follows an active task. Throws `unsupportedOperation` for one that has ended. */
  async subscribe(call: A2aCall): Promise<AsyncGenerator<object | undefined>> {
    const found = await this.#find(call)
    if (!(await this.#isLive(call, found.turn))) throw new A2aError('unsupportedOperation', 'The task has ended.')
    const after = await this.turns.position(call.caller, found.turn, call.seat)
    return this.#updates(call, { ...found, after }, await this.#soFar(call, found.turn, after))
  }

  /** The task of the message: the same one for a repeated request. */
  async #begin(call: A2aCall): Promise<Found> {
    const { turns } = this
    const { caller, context, agent, params: body } = call
    const asked = { operation: 'POST /a2a', caller, agent, body }
    const begun = await turns.once(context, asked, (keyed) =>
      this.#beginNow({ ...call, context: keyed }, context.record),
    )
    context.set.headers['x-troupe-run'] = begun.turn.run.id
    // after a decision on an approval the turn goes on
    const decided = begun.after === undefined ? undefined : begun.turn.run.updatedAt
    const turn = await this.#dated(begun.turn, decided)
    return { ...begun, turn, head: taskHead(turn, await turns.messageOf(turn)) }
  }

  /** A message is new, or answers the task that it names. */
  async #beginNow(call: A2aCall, record: RequestRecord): Promise<Begun> {
    const { turns } = this
    const { caller, context, agent, params } = call
    const { taskPushNotificationConfig: push } = Object(params.configuration) as {
      taskPushNotificationConfig?: unknown
    }
    if (push !== undefined && push !== null) throw noPushNotifications()
    const message = params.message as A2aMessage | undefined
    if (!Array.isArray(message?.parts) || message.parts.length === 0) {
      throw invalid([{ path: '/body/params/message/parts', message: 'Is required.' }])
    }
    const stray = message.parts.findIndex((part: unknown) => typeof part !== 'object' || part === null)
    if (stray !== -1) throw invalid([{ path: `/body/params/message/parts/${stray}`, message: 'Must be an object.' }])
    if (message.taskId) return this.#answer(call, record, message, message.taskId)
    const contextId = message.contextId || crypto.randomUUID()
    if (typeof contextId !== 'string' || !isPrintable(contextId, contextLengthMax)) {
      const fault = `Must have 1 to ${contextLengthMax} printable characters.`
      throw invalid([{ path: '/body/params/message/contextId', message: fault }])
    }
    return { turn: await turns.say(context, caller, agent, messageOf(message), threadOf(contextId)) }
  }

  async #answer(call: A2aCall, record: RequestRecord, message: A2aMessage, taskId: unknown): Promise<Begun> {
    const { turns, approvals } = this
    const { caller, context, seat, signal } = call
    const { turn, head } = await this.#find({ ...call, params: { id: taskId } })
    if (message.contextId && message.contextId !== head.contextId) {
      throw invalid([
        {
          path: '/body/params/message/contextId',
          message: `The task belongs to the context ${head.contextId}: send that one, or none.`,
        },
      ])
    }
    if (!(await this.#isLive(call, turn))) throw new A2aError('unsupportedOperation', 'The task has ended.')
    const answers = answersIn(message, turn.run.awaiting?.pending ?? [])
    return answerAll({ turns, approvals, context, record, caller, seat, turn, signal }, answers)
  }

  /** The latest turn of a task of this agent. Throws `taskNotFound`. */
  async #find({ caller, context, agent, params }: A2aCall): Promise<Found> {
    const missing = new A2aError('taskNotFound', 'There is no such task.')
    const named = readTaskId(params.id)
    if (!named) throw missing
    const latest = await this.turns.latest(caller, named.runId).catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 404 ? missing : error
    })
    const { run } = latest
    if (run.agentId !== agent.agentId || run.environmentId !== agent.environmentId) throw missing
    if (named.turn > latest.number) throw missing
    context.set.headers['x-troupe-run'] = run.id
    const number = await this.turns.lastOfMessage(latest, named.turn)
    return { turn: await this.#dated({ run, number }), head: taskHead(latest, named.turn) }
  }

  async #dated(turn: Turn, beganAt?: string): Promise<TaskTurn> {
    return { ...turn, beganAt: beganAt ?? timestamp(await this.turns.beganAt(turn)) }
  }

  /** Whether the conversation is still in this task, and the task has not ended. */
  async #isLive({ caller }: A2aCall, turn: Turn): Promise<boolean> {
    const { run, number } = await this.turns.latest(caller, turn.run.id)
    return number === turn.number && run.endedAt === null
  }

  /** `until`: omitted: now. */
  async #soFar({ caller, seat, signal }: A2aCall, turn: Turn, until?: number): Promise<TurnSummary> {
    const summary = new TurnSummary()
    const last = until ?? (await this.turns.position(caller, turn, seat))
    const events = this.turns.follow(caller, turn, seat, { signal, sinceMessage: true, until: last })
    for await (const event of withoutRepeats(events)) summary.add(event)
    return summary
  }

  /** The whole task, once it is settled. */
  async #settled(call: A2aCall, { turn, head, waiting, after = 0 }: Found): Promise<object> {
    if (waiting) return taskOf(await this.#soFar(call, turn), head, turn)
    const { caller, seat, signal } = call
    // the waits before the answer are over
    await settledTask(withoutRepeats(this.turns.follow(caller, turn, seat, { signal, after })), head, turn)
    const now = { ...turn, run: (await this.turns.latest(caller, turn.run.id)).run }
    return taskOf(await this.#soFar(call, now), head, now)
  }

  async *#updates(call: A2aCall, { turn, head, waiting, after = 0 }: Found, soFar: TurnSummary) {
    const { caller, seat, signal } = call
    if (waiting) {
      yield { task: taskOf(await this.#soFar(call, turn), head, turn) }
      return
    }
    yield* taskUpdates(withoutRepeats(this.turns.follow(caller, turn, seat, { signal, after })), head, turn, soFar)
  }
}
