/**
 * Operations that workers execute. The call is an actor with the id of its invocation, so that a repeated execution of
 * the invocation finds it and the call survives this process. Source: contract 11, "Workers".
 */
import {
  type CanceledFate,
  fateOfCanceled,
  isWorkerCallEnd,
  type WorkerCallContext,
  type WorkerCallLimits,
} from '../../../machines/worker-call.ts'
import { assertPerformedHere } from '../../../storage/automation/invocations.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import { whenCommitted } from '../../../storage/statement.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { WorkerCallRow } from '../../../storage/tables.ts'
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import { ApiError, limitReached } from '../../platform/http/answers/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { untilActor } from '../../runtime/watch.ts'
import { isIdempotent, OperationFailure, toolError } from '../operations/failure.ts'
import { type WorkerCallActor, type WorkerCallSeed, workerCallAddress, workerCallKind } from './actor.ts'
import { newLease, presentLease } from './leases.ts'
import { WorkerQueues } from './queues.ts'
import type { WorkerLease } from './schema.ts'
import { readOffered, writeOffered } from './waiter.ts'

interface WorkerCallParts {
  store: Store
  clock: Clock
  actors: Actors
  hints: Pick<Hints, 'tell' | 'on' | 'isShared'>
  limits: WorkerCallLimits
  /** The name of this process as a performer of invocations. */
  performer: string
  onError(error: unknown, what: string): void
}

/** A new call. */
interface NewWorkerCall {
  bundle: DeployedBundle
  agent: { agentId: string }
  /** `<definition>.<operation>` */
  name: string
  operation: Operation
  handler: Extract<Handler, { type: 'worker' }>
  /** `opi_…` */
  callKey: string
}

/** A call for the unit of work of its invocation. */
export interface PreparedCall {
  writes: Write[]
  /** The unit of work was not committed. */
  drop(): void
}

const timeoutMsDefault = 30_000

/** Of a call that was canceled after its lease was given back. */
const notMade = { code: 'call_canceled', message: 'The call was not made: its caller was canceled.' }

const knownCodes = ['no_worker', 'worker_lost', 'timeout', 'call_canceled'] as const
const isKnown = (code: string): code is (typeof knownCodes)[number] => (knownCodes as readonly string[]).includes(code)

export class WorkerCalls {
  /** The definition for the actor runtime. */
  readonly kind
  readonly queues: WorkerQueues<WorkerLease>

  constructor(private readonly parts: WorkerCallParts) {
    this.queues = new WorkerQueues<WorkerLease>(parts.store, parts.clock, !parts.hints.isShared)
    this.kind = workerCallKind(parts.limits, (id) => {
      this.#offer(id).catch((error) => parts.onError(error, `the worker call ${id}`))
    })
    parts.hints.on('workerCall', (word) => void this.queues.offer(readOffered(word)))
  }

  /**
   * The statements that store the call with its invocation. If a worker waits for it, the call is stored as leased, and
   * the worker gets it with the commit.
   */
  async prepare(
    call: NewWorkerCall & { input: unknown; characters: number; trace: string | null },
  ): Promise<PreparedCall> {
    const { actors } = this.parts
    const { creation, seed } = this.#creationOf(call)
    const reserved = this.queues.reserve(seed, call.characters)
    try {
      const { token, event } = newLease(reserved?.workerId ?? '')
      const address = workerCallAddress(seed.id)
      const events = reserved ? [event] : []
      const { actor, writes } = await actors.prepareCreateAndSend<WorkerCallRow, WorkerCallContext>(
        address,
        creation,
        events,
      )
      if (!reserved) return { writes, drop: () => {} }
      const keep = () => reserved.keep(presentLease(actor, call, token))
      return { writes: whenCommitted(writes, keep), drop: reserved.drop }
    } catch (error) {
      reserved?.drop()
      throw error
    }
  }

  /** The worker's output. Throws `OperationFailure`, or the signal's reason. */
  async make(call: NewWorkerCall & { signal: AbortSignal }): Promise<unknown> {
    await this.#queue(call)
    const { row, context } = await this.#ended(call.callKey, call.signal)
    if (row.state === 'succeeded') return JSON.parse(row.output as string)
    const { code, message } = context.cause ?? notMade
    throw new OperationFailure(isKnown(code) ? code : 'tool_error', `${call.name}: ${message}`, {
      isUncertain: row.state === 'unknown',
    })
  }

  /** The call was canceled: it never begins, or its worker is informed. Undefined: there is no such call. */
  async cancel(callKey: string): Promise<CanceledFate | undefined> {
    const { actors } = this.parts
    const address = workerCallAddress(callKey)
    const read = () => actors.read<WorkerCallRow, WorkerCallContext>(address)
    try {
      await actors.send(address, { type: 'cancel' })
    } catch (error) {
      // there is no call, or it has ended
      if (!isOver(error)) throw error
    }
    const call = await read()
    return call && fateOfCanceled(call)
  }

  /** Most calls were stored with their invocation. */
  async #queue(call: NewWorkerCall): Promise<void> {
    const { callKey, name } = call
    const { store, actors, performer } = this.parts
    if (await actors.read(workerCallAddress(callKey))) return
    try {
      await actors.create<WorkerCallRow>(workerCallAddress(callKey), this.#creationOf(call).creation, {
        writes: () => [assertPerformedHere(store, { id: callKey, performer })],
      })
    } catch (error) {
      if (error instanceof LimitReached && error.reached)
        throw toolError(`${name}: ${limitReached(error.reached).message}`)
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      // another process has created the call
      if (await actors.read(workerCallAddress(callKey))) return
      throw toolError(`${name}: the call could not be queued: ${error.message}`)
    }
  }

  #creationOf({ bundle: { bundle }, agent, name, operation, handler, callKey }: NewWorkerCall) {
    const seed: WorkerCallSeed = {
      id: callKey,
      organization_id: bundle.organizationId,
      project_id: bundle.projectId,
      environment_id: bundle.environmentId,
      agent_id: agent.agentId,
      queue: handler.queue,
      operation: name,
    }
    const input = {
      repeatable: isIdempotent(operation),
      at: this.parts.clock.now(),
      timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
    }
    return { creation: { input, seed, named: 'create' }, seed }
  }

  async #ended(id: string, signal: AbortSignal): Promise<WorkerCallActor> {
    const hasEnded = ({ state }: WorkerCallActor) => isWorkerCallEnd(state)
    const call = await untilActor(this.parts.actors, workerCallAddress(id), signal, hasEnded)
    if (!call) throw toolError('The call was removed.')
    return call
  }

  /** Gives the call to a worker that waits here, or at another server. */
  async #offer(id: string): Promise<void> {
    const { actors, hints } = this.parts
    const address = workerCallAddress(id)
    const actor = actors.recall<WorkerCallRow>(address) ?? (await actors.read<WorkerCallRow>(address))
    if (actor?.state === 'queued' && !this.queues.offer(actor.row)) hints.tell('workerCall', writeOffered(actor.row))
  }
}
