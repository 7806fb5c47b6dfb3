/** Leases calls to workers and accepts their reports. Source: contract 11, "Workers". */
import type { InvocationContext } from '../../../machines/operation-invocation.ts'
import type { WorkerCallContext } from '../../../machines/worker-call.ts'
import { countCallsInState, getInputOfCall, listCallsOfWorker } from '../../../storage/automation/worker-calls.ts'
import type { Store } from '../../../storage/store.ts'
import type { InvocationRow, WorkerCallRow } from '../../../storage/tables.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { ApiError, endedCredential, invalid, notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller, CallerNow } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Joined } from '../../runtime/command.ts'
import { isOver } from '../../runtime/refusals.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { OperationFailure } from '../operations/failure.ts'
import { invocationAddress } from '../operations/invocations/actor.ts'
import type { Operations } from '../operations/operations.ts'
import { workerCallAddress } from './actor.ts'
import { type NewLease, newLease, presentLease } from './leases.ts'
import { PresentWorkers } from './present-workers.ts'
import type { WorkerQueues } from './queues.ts'
import type {
  CompleteAllBody,
  CompleteBody,
  CompletedAll,
  LeaseBody,
  WorkerCallPath,
  WorkerLease,
  Workers,
} from './schema.ts'
import { summaryOf } from './summary.ts'
import { inputCharactersMax, type Wanted } from './waiter.ts'

const serves = 'workers:serve'

/** Throws as a new request would once the credential has ended, or its permission in the Project. */
async function assertMayStillServe(caller: Caller, projectId: string, callerNow: CallerNow): Promise<void> {
  const now = await callerNow(caller)
  if (!now) throw endedCredential(caller.principal)
  if (!may(now, serves, projectId)) throw permissionDenied(serves)
}

/** JSON, and the span of the call, as stored. */
type Given = Pick<InvocationRow, 'input' | 'trace'>

interface WorkerParts {
  store: Store
  clock: Clock
  actors: Actors
  queues: WorkerQueues<WorkerLease>
  bundles: Bundles
  operations: Pick<Operations, 'assertOutput'>
  onError(error: unknown, what: string): void
}

const countedMax = 10_000
/** After a longer wait the caller's authority is looked up again. Source: contract 1. */
const trustedMs = 1_000

export class WorkerService {
  readonly #present: PresentWorkers

  constructor(private readonly parts: WorkerParts) {
    this.#present = new PresentWorkers(parts)
  }

  /**
   * The next calls, the oldest first; none if none arrive in time. `callerNow` authenticates a caller that has waited
   * again: once its credential or its permission has ended, it is refused like a new request.
   */
  async lease(
    caller: Caller,
    { projectId, environmentId }: EnvironmentPath,
    { queue, workerId, slots, operations, waitSeconds = 0, held, leaving = false }: LeaseBody,
    signal: AbortSignal,
    callerNow: CallerNow,
  ): Promise<WorkerLease[]> {
    const { clock, queues } = this.parts
    const { agentId } = caller.scope
    const wanted = { environmentId, queue, workerId, slots, operations, agentId }
    const admittedAt = clock.now()
    const until = admittedAt + waitSeconds * 1000
    if (held || leaving) queues.release(wanted)
    if (leaving) await this.#present.leaves({ environmentId, queue, workerId })
    else this.#present.asks({ environmentId, queue, workerId }, { slots, operations: operations ?? null })
    const again = held ? await this.#leaseAgain(wanted, held) : []
    if (again.length > 0 || leaving) return again
    for (;;) {
      const { ids, leases } = await queues.take(wanted, Math.max(0, until - clock.now()), signal)
      let refusal: unknown
      try {
        if (clock.now() > admittedAt + trustedMs) await assertMayStillServe(caller, projectId, callerNow)
        // a worker that has disconnected would lose the lease, and some calls must not be made twice
        if (ids.length > 0 && !signal.aborted) leases.push(...(await this.#leaseAll(ids, workerId)))
      } catch (error) {
        refusal = error
      } finally {
        for (const id of ids) queues.settle(id)
      }
      if (signal.aborted || refusal !== undefined) {
        await Promise.all(leases.map((lease) => this.#giveBack(lease)))
        if (refusal !== undefined) throw refusal
        return []
      }
      if (leases.length > 0 || ids.length === 0) return leases
    }
  }

  /** Throws `notFound`, `stale_lease` (409). */
  async heartbeat(caller: Caller, path: WorkerCallPath, token: string) {
    await this.find(caller, path)
    const { environmentId, invocationId } = path
    const { actors } = this.parts
    const event = { type: 'heartbeat', lease: digestOfText(token) }
    const { actor } = await actors.send<WorkerCallRow, WorkerCallContext>(workerCallAddress(invocationId), event)
    const { leaseEndsAt, canceled } = actor.context
    this.#present.reports({ environmentId, queue: actor.row.queue, workerId: actor.row.worker ?? '' })
    return {
      expiresAt: timestamp(leaseEndsAt as number),
      signal: canceled ? ('cancel' as const) : ('continue' as const),
    }
  }

  /**
   * Accepts a repeated answer. Throws `notFound`, `stale_lease` (409), also for another answer than that of the call, and
   * 422 for both an output and an error, or neither.
   */
  async complete(caller: Caller, path: WorkerCallPath, { token, output, error }: CompleteBody) {
    await this.find(caller, path)
    const { environmentId, invocationId } = path
    if ((output === undefined) === (error === undefined)) {
      throw invalid([{ path: '/body', message: 'Must have either an output, which may be null, or an error.' }])
    }
    const lease = digestOfText(token)
    const joined = error ? undefined : await this.#endOf(invocationId, output)
    const { actor } = await this.parts.actors.send<WorkerCallRow>(
      workerCallAddress(invocationId),
      error
        ? {
            type: 'refused',
            lease,
            cause: { code: error.code, message: `${error.code}: ${error.message}` },
            retryable: error.retryable,
          }
        : { type: 'completed', lease, output, answer: digestOfText(JSON.stringify(output)) },
      { joined },
    )
    this.#present.reports({ environmentId, queue: actor.row.queue, workerId: actor.row.worker ?? '' })
    return { state: actor.row.state as 'succeeded' | 'failed' | 'retrying' }
  }

  /** Reports each answer as `complete` does. */
  async completeAll(
    caller: Caller,
    path: EnvironmentPath,
    { answers }: CompleteAllBody,
  ): Promise<CompletedAll['items']> {
    const complete = async ({ invocationId, ...answer }: CompleteAllBody['answers'][number]) => {
      try {
        const { state } = await this.complete(caller, { ...path, invocationId }, answer)
        return { invocationId, state, error: null }
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        return { invocationId, state: null, error: { code: error.code, message: error.message } }
      }
    }
    return Promise.all(answers.map(complete))
  }

  /** The end of the invocation with this output, for the same commit; undefined in all but the simplest case. */
  async #endOf(id: string, output: unknown): Promise<Joined | undefined> {
    const { actors, bundles, operations } = this.parts
    const address = invocationAddress(id)
    const invocation = await actors.read<InvocationRow, InvocationContext>(address)
    const bundle = invocation && (await bundles.find(invocation.row.deployment_id))
    if (!bundle) return undefined
    try {
      await operations.assertOutput({ bundle, name: invocation.row.operation }, output)
    } catch (error) {
      // the execution reports the outcome itself
      if (error instanceof OperationFailure) return undefined
      throw error
    }
    return { address, event: { type: 'performed', output, performance: invocation.context.performances } }
  }

  /** Throws `notFound`. */
  async find({ organizationId, scope }: Caller, { environmentId, invocationId: id }: WorkerCallPath): Promise<void> {
    const row = (await this.parts.actors.read<WorkerCallRow>(workerCallAddress(id)))?.row
    const isThere = row?.environment_id === environmentId && row.organization_id === organizationId
    if (!isThere || (scope.agentId !== null && row.agent_id !== scope.agentId)) throw notFound()
  }

  /** The workers of each queue, and the waiting calls. */
  async show({ scope: { agentId } }: Caller, { environmentId }: EnvironmentPath): Promise<Workers> {
    const { store } = this.parts
    const calls = (state: 'queued' | 'leased') =>
      store.all(countCallsInState(store, { environmentId, state, agentId, limit: countedMax }))
    const [queued, leased] = await Promise.all([calls('queued'), calls('leased')])
    return summaryOf({ queued, leased, workers: await this.#present.list(environmentId) })
  }

  /** Calls that are leased to the worker and not among those that it holds. */
  async #leaseAgain({ environmentId, queue, workerId, agentId, slots }: Wanted, held: readonly string[]) {
    const { store } = this.parts
    const limit = slots + held.length
    const calls = await store.all(listCallsOfWorker(store, { environmentId, queue, workerId, limit }))
    const lost = calls.filter(({ id, agent_id }) => !held.includes(id) && (agentId === null || agentId === agent_id))
    return this.#leaseAll(
      lost.map(({ id }) => id),
      workerId,
      'leasedAgain',
    )
  }

  /** Leases as many of these calls as fit into one answer; calls that another worker has leased are skipped. */
  async #leaseAll(ids: readonly string[], workerId: string, type?: 'leasedAgain'): Promise<WorkerLease[]> {
    const given = await Promise.all(ids.map((id) => this.#givenOf(id)))
    let left = inputCharactersMax
    const leased = ids.flatMap((id, index) => {
      const { input, trace } = given[index] as Given
      left -= input.length
      return index === 0 || left >= 0 ? [this.#leaseOne(id, newLease(workerId, type), { input, trace })] : []
    })
    return (await Promise.all(leased)).filter((lease) => lease !== undefined)
  }

  /** The input of the invocation. */
  async #givenOf(id: string): Promise<Given> {
    const { store, actors } = this.parts
    const invocation = actors.recall<InvocationRow>(invocationAddress(id))
    const { input = 'null', trace = null } = invocation?.row ?? (await store.first(getInputOfCall(store, { id }))) ?? {}
    return { input, trace }
  }

  async #leaseOne(id: string, { token, event }: NewLease, { input, trace }: Given): Promise<WorkerLease | undefined> {
    try {
      const { actor } = await this.parts.actors.send<WorkerCallRow, WorkerCallContext>(workerCallAddress(id), event)
      return presentLease(actor, { input: JSON.parse(input), trace }, token)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }

  /** Releases a lease that no worker will receive. */
  async #giveBack({ invocationId, token }: WorkerLease): Promise<void> {
    const event = { type: 'returned', lease: digestOfText(token) }
    try {
      await this.parts.actors.send(workerCallAddress(invocationId), event)
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}
