/**
 * The work of invocations: starts them once per origin, performs and withdraws them, notifies their origins, and
 * continues the work of earlier processes. Source: contract 6.
 */
import type { InvocationContext, InvocationLimits } from '../../../../machines/operation-invocation.ts'
import type { ServerWork } from '../../../../machines/run.ts'
import { stillPending } from '../../../../storage/automation/wanted-invocations.ts'
import type { Store } from '../../../../storage/store.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import type { Bundles } from '../../../delivery/deployments/bundles.ts'
import type { Hints } from '../../../platform/bus/hints.ts'
import { orNotFound } from '../../../platform/http/answers/errors.ts'
import type { Members } from '../../../platform/members/members.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { CallApprovals, ClosedCall } from '../../../runs/control/approvals.ts'
import { runAddress } from '../../../runs/record.ts'
import { closings } from '../../../runs/runner/conversation/messages.ts'
import type { CallOutcome } from '../../../runs/runner/protocol/protocol.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isOver } from '../../../runtime/refusals.ts'
import { untilActor } from '../../../runtime/watch.ts'
import { reportStep } from '../../workflows/reports.ts'
import { type Operations, workOf } from '../operations.ts'
import { type InvocationActor, invocationAddress, invocationKind } from './actor.ts'
import type { InvocationProgress, Invocations, NewInvocation } from './invocation.ts'
import { InvocationExecutor } from './invocation-executor.ts'
import { InvocationStarter, type OriginFacts } from './invocation-starter.ts'
import type { InvocationTraces } from './invocation-traces.ts'
import { callOutcomeOf, progressOf } from './outcome.ts'
import { InvocationSweeps, type SweepParts } from './sweeps.ts'
import { UnwantedCalls, type Withdrawn } from './unwanted-calls.ts'

interface InvocationWorkParts {
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

const notApproved: CallOutcome = {
  error: { code: 'tool_error', message: 'The call was not approved: the user continued without it.' },
}

export class InvocationWork implements Invocations, CallApprovals {
  /** The definition for the actor runtime. */
  readonly kind
  /** The name of this process as a performer. */
  readonly name: string
  readonly #stopping = new AbortController()
  readonly #starter: InvocationStarter
  readonly #executor: InvocationExecutor
  readonly #unwanted: UnwantedCalls
  readonly #sweeps: InvocationSweeps

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
    const send: SweepParts['send'] = (id, event) => this.#send(id, event)
    this.#unwanted = new UnwantedCalls({ store: parts.store, send })
    this.#sweeps = new InvocationSweeps({ ...parts, executor: this.#executor, send, stopping: this.stopping })
    this.#starter = new InvocationStarter({ ...parts, performer: this.name, chartFor: this.kind.chartFor })
  }

  /** Continues the executions of processes that have died: earlier ones, and other servers. */
  start(): Promise<void> {
    return this.#sweeps.start()
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
    this.#sweeps.stop()
    return this.#executor.stop(graceMs)
  }

  /** Running performances of this process. */
  get underWay(): number {
    return this.#executor.size
  }

  begin(invocation: NewInvocation, facts?: OriginFacts): Promise<InvocationProgress> {
    return this.#starter.begin(invocation, facts)
  }

  async settled(id: string, signal: AbortSignal): Promise<InvocationProgress> {
    const { actors } = this.parts
    const hasEnded = (actor: InvocationActor) => !actors.hasRow(actor, 'performed')
    return progressOf(orNotFound(await untilActor(actors, invocationAddress(id), signal, hasEnded)).row)
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
    } else if (row.agent_run_id !== null) await this.#tellRun(row.agent_run_id, actor)
  }

  /** A run that does not wait for the call reads its outcome itself. */
  async #tellRun(runId: string, actor: InvocationActor): Promise<void> {
    const event = await this.#newsOf(actor)
    if (!event) return
    try {
      await this.parts.actors.send(runAddress(runId), { ...event, toolCallId: actor.row.tool_call_id })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** The event of the run; undefined if it has nothing to know. */
  async #newsOf(actor: InvocationActor) {
    const { row } = actor
    const outcome = callOutcomeOf(progressOf(row))
    if (outcome) {
      const answer = 'error' in outcome ? { failure: outcome.error } : { result: outcome.result }
      return { type: 'toolResult', ...answer }
    }
    const waitsFor = row.approval_id === null ? undefined : await this.#workOf(actor)
    return waitsFor && { type: 'callApproved', invocationId: row.id, waitsFor }
  }

  async workOf(id: string): Promise<ServerWork | undefined> {
    const actor = await this.#find(id)
    return actor && this.#workOf(actor)
  }

  async #workOf(actor: InvocationActor): Promise<ServerWork | undefined> {
    if (this.parts.actors.hasRow(actor, 'approve')) return undefined
    const { deployment_id, operation } = actor.row
    return workOf((await this.parts.bundles.find(deployment_id))?.operation(operation))
  }

  async close(runId: string, id: string): Promise<ClosedCall> {
    const actor = await this.#find(id)
    // runners name the invocation: one of another run is none of theirs
    if (actor?.row.agent_run_id !== runId) return { outcome: notApproved, writes: [] }
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
}
