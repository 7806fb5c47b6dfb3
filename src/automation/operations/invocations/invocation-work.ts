/**
 * The work of invocations: starts them once per origin, performs and withdraws them, notifies their origins, and continues
 * the work of earlier processes. Source: contract 6.
 */
import type { InvocationContext, InvocationLimits } from '../../../../machines/operation-invocation.ts'
import { listPerformedElsewhere, listPerformedHere } from '../../../../storage/automation/invocations.ts'
import { listToAbort, listUnwanted, stillPending } from '../../../../storage/automation/wanted-invocations.ts'
import type { Store } from '../../../../storage/store.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import type { Bundles } from '../../../delivery/deployments/bundles.ts'
import type { Hints } from '../../../platform/bus/hints.ts'
import { notFound } from '../../../platform/http/answers/errors.ts'
import type { Members } from '../../../platform/members/members.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { CallApprovals, ClosedCall } from '../../../runs/control/approvals.ts'
import { runAddress } from '../../../runs/record.ts'
import { closings } from '../../../runs/runner/conversation/messages.ts'
import type { CallOutcome } from '../../../runs/runner/protocol/protocol.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isOver } from '../../../runtime/refusals.ts'
import { watchActor } from '../../../runtime/watch.ts'
import { slotsOf } from '../../../runtime/work-share.ts'
import { reportStep } from '../../workflows/reports.ts'
import type { Operations } from '../operations.ts'
import { type InvocationActor, invocationAddress, invocationKind } from './actor.ts'
import { eachFound, foundAtOnce } from './each-found.ts'
import type { InvocationProgress, Invocations, NewInvocation } from './invocation.ts'
import { InvocationExecutor } from './invocation-executor.ts'
import { InvocationStarter, type OriginFacts } from './invocation-starter.ts'
import type { InvocationTraces } from './invocation-traces.ts'
import { callOutcomeOf, progressOf } from './outcome.ts'
import { UnwantedCalls, type Withdrawn } from './unwanted-calls.ts'

export interface InvocationWorkParts {
  store: Store
  clock: Clock
  actors: Actors
  /** The hints to and from other servers. */
  hints: Hints
  limits: InvocationLimits
  bundles: Bundles
  operations: Operations
  /** null: traces are disabled. */
  traces: InvocationTraces | null
  /** The servers of the store: the executions of a dead one are taken over. */
  members: Pick<Members, 'id' | 'slots' | 'look' | 'onChange'>
  onError(error: unknown, what: string): void
}

/** For executions that were assigned to this process without its knowledge. */
const lookAgainMs = 10_000
const notApproved: CallOutcome = {
  error: { code: 'tool_error', message: 'The call was not approved: the user continued without it.' },
}

export class InvocationWork implements Invocations, CallApprovals {
  /** The definition for the actor runtime. */
  readonly kind
  /** The name of this process as a performer. */
  readonly name: string
  readonly #stopping = new AbortController()
  #unsubscribe = () => {}
  #takingOver: Promise<void> = Promise.resolve()
  #lookingAgain: { cancel(): void } | undefined
  readonly #starter: InvocationStarter
  readonly #executor: InvocationExecutor
  readonly #unwanted: UnwantedCalls

  constructor(private readonly parts: InvocationWorkParts) {
    this.name = parts.members.id
    this.#executor = new InvocationExecutor({ ...parts, name: this.name })
    this.kind = invocationKind(
      parts.limits,
      {
        perform: (id, performance) => this.#executor.begin(id, performance),
        abort: (id) => {
          if (!this.#executor.abort(id)) parts.hints.tell('breakOff', id, true)
        },
        tellOrigin: (id) => this.notify(id),
      },
      parts.traces,
    )
    parts.hints.on('breakOff', (id) => this.#executor.abort(id))
    this.#unwanted = new UnwantedCalls({ ...parts, send: (id, event) => this.#send(id, event) })
    this.#starter = new InvocationStarter({ ...parts, performer: this.name, chartFor: this.kind.chartFor })
  }

  /** Continues the executions of processes that have died: earlier ones, and other servers. */
  async start(): Promise<void> {
    this.#unsubscribe = this.parts.members.onChange(() => void this.#takeOver())
    await this.#takeOver()
    // with PostgreSQL a commit may have succeeded although its outcome was reported as unknown
    if (this.parts.store.engine === 'postgres') this.#lookAgain()
  }

  #lookAgain(): void {
    const { clock, store, onError } = this.parts
    const read = (after: string) =>
      store.all(listPerformedHere(store, { performer: this.name, after, limit: foundAtOnce }))
    this.#lookingAgain = clock.after(lookAgainMs, () =>
      this.#each(read, (id) => this.#executor.beginUnheard(id))
        .catch((error) => onError(error, 'the invocations of this process'))
        .finally(() => this.#stopping.signal.aborted || this.#lookAgain()),
    )
  }

  /** One at a time; changes during a check cause another. Never throws. */
  async #takeOver(): Promise<void> {
    const before = this.#takingOver
    const own = before
      .then(() => this.#continue())
      .catch((error) => this.parts.onError(error, 'the invocations of other processes'))
    this.#takingOver = own
    await own
  }

  async #continue(): Promise<void> {
    const { store, members } = this.parts
    const { name: performer } = this
    if (this.#stopping.signal.aborted) return
    // first, so that aborted performances are not repeated
    await this.#abortLeft()
    const slots = slotsOf(members)
    await this.#each(
      async (after) => {
        const found = await store.all(listPerformedElsewhere(store, { performer, slots, after, limit: foundAtOnce }))
        const living = await members.look()
        return found.map(({ id, performer: by }) => ({ id, gone: by !== null && living.has(by) ? null : by }))
      },
      async (id, { gone }) => {
        if (gone !== null) await this.#send(id, { type: 'performerLost', performer, gone })
      },
    )
    await this.#each(
      (after) => store.all(listUnwanted(store, { after, limit: foundAtOnce })),
      (id) => this.#send(id, { type: 'withdraw' }),
    )
  }

  /** Aborts calls of canceled runs. Canceling the run of such a call cancels the calls of that run too. */
  async #abortLeft(): Promise<void> {
    const { store, operations } = this.parts
    const seen = new Set<string>()
    for (let before = -1; before < seen.size; ) {
      before = seen.size
      await this.#each(
        (after) => store.all(listToAbort(store, { after, limit: foundAtOnce })),
        async (id) => {
          if (seen.has(id)) return
          seen.add(id)
          await operations.cancel(id)
          await this.#send(id, { type: 'cancel' })
        },
      )
    }
  }

  /** Aborted when the server stops: requests that wait are answered with the progress so far. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  endWaits(): void {
    this.#stopping.abort()
  }

  /** Waits up to `graceMs` for running performances; the next start continues the others. */
  stop(graceMs: number): Promise<void> {
    this.#unsubscribe()
    this.#lookingAgain?.cancel()
    return this.#executor.stop(graceMs)
  }

  /** Running performances of this process. */
  get underWay(): number {
    return this.#executor.size
  }

  begin(invocation: NewInvocation, facts?: OriginFacts): Promise<InvocationProgress> {
    return this.#starter.begin(invocation, facts)
  }

  settled(id: string, signal: AbortSignal): Promise<InvocationProgress> {
    const { actors } = this.parts
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        watch.end()
        signal.removeEventListener('abort', abort)
        finish()
      }
      const look = (actor: InvocationActor | undefined) => {
        if (!actor) settle(() => reject(notFound()))
        else if (!actors.hasRow(actor, 'performed')) settle(() => resolve(progressOf(actor.row)))
      }
      const abort = () => settle(() => reject(signal.reason))
      const watch = watchActor(actors, invocationAddress(id), (actor) => look(actor as unknown as InvocationActor))
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      else {
        watch.ready.then(() => this.#find(id)).then(look, (error) => settle(() => reject(error)))
      }
    })
  }

  withdraw(origin: Withdrawn): Promise<void> {
    return this.#unwanted.withdraw(origin)
  }

  abort(origin: { agentRunId: string }): Promise<void> {
    return this.#unwanted.abort(origin)
  }

  /** Ends an invocation whose approval is no longer wanted. */
  withdrawUnwanted(id: string): Promise<void> {
    return this.#unwanted.withdrawOne(id)
  }

  /** Reports the progress of the invocation to its origin. A repeated report changes nothing. */
  async notify(id: string): Promise<void> {
    const actor = await this.#find(id)
    if (!actor) return
    const { row } = actor
    if (row.workflow_run_id !== null) {
      const step = {
        workflowRunId: row.workflow_run_id,
        stepId: row.step_id as string,
        attempt: row.attempt as number,
      }
      await reportStep(this.parts.actors, step, progressOf(row))
    } else if (row.agent_run_id !== null) await this.#tellRun(row.agent_run_id, row)
  }

  /** A run that does not wait for the call reads its outcome itself. */
  async #tellRun(runId: string, row: InvocationRow): Promise<void> {
    const outcome = callOutcomeOf(progressOf(row))
    if (!outcome) return
    const answer = 'error' in outcome ? { failure: outcome.error } : { result: outcome.result }
    try {
      const event = { type: 'toolResult', toolCallId: row.tool_call_id, ...answer }
      await this.parts.actors.send(runAddress(runId), event)
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  async close(id: string): Promise<ClosedCall> {
    const actor = await this.#find(id)
    if (!actor) return { outcome: notApproved, writes: [] }
    const outcome = callOutcomeOf(progressOf(actor.row))
    if (outcome) return { outcome, writes: [] }
    // approved and running: it completes, but its result is not awaited any more
    if (!this.parts.actors.hasRow(actor, 'withdraw')) return { outcome: closings.superseded, writes: [] }
    return { outcome: notApproved, writes: [stillPending(this.parts.store, { id })] }
  }

  #find(id: string): Promise<InvocationActor | undefined> {
    return this.parts.actors.read<InvocationRow, InvocationContext>(invocationAddress(id))
  }

  async #send(id: string, event: { type: string; performer?: string; gone?: string }): Promise<void> {
    try {
      await this.parts.actors.send(invocationAddress(id), event)
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** An unreadable invocation does not stop the others. */
  #each<Found extends { id: string }>(
    read: (after: string) => Promise<Found[]>,
    work: (id: string, row: Found) => Promise<void>,
  ): Promise<void> {
    return eachFound(read, work, (error, id) => this.parts.onError(error, `the invocation ${id}`))
  }
}
