/** Leases calls to workers and takes their reports. Source: contract 11, "Workers". */
import type { WorkerCallContext } from '../../../machines/worker-call.ts'
import { getInputOfCall, listCallsInState } from '../../../storage/automation/worker-calls.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkerCallRow } from '../../../storage/tables.ts'
import { ApiError, invalid, notFound } from '../../platform/http/answers/errors.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { workerCallAddress } from './actor.ts'
import { PresentWorkers } from './present-workers.ts'
import type { WorkerQueues } from './queues.ts'
import type { CompleteBody, LeaseBody, WorkerCallPath, WorkerLease, Workers } from './schema.ts'

export interface WorkerParts {
  store: Store
  clock: Clock
  actors: Actors
  queues: WorkerQueues
}

/** Of the inputs in one answer together; the first is given whatever its length. */
const inputCharactersMax = 4 * 1024 * 1024
const countedMax = 10_000

const newToken = () => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')

export class WorkerService {
  readonly #present: PresentWorkers

  constructor(private readonly parts: WorkerParts) {
    this.#present = new PresentWorkers(parts.clock)
  }

  /** The next calls, the oldest first; none if there are none in time. */
  async lease(
    { scope }: Caller,
    { environmentId }: EnvironmentPath,
    { queue, workerId, slots, operations, waitSeconds = 0 }: LeaseBody,
    signal: AbortSignal,
  ): Promise<WorkerLease[]> {
    const { clock, queues } = this.parts
    const wanted = { environmentId, queue, slots, operations, agentId: scope.agentId }
    const until = clock.now() + waitSeconds * 1000
    this.#present.asks(environmentId, { workerId, queue, slots, operations: operations ?? null })
    for (;;) {
      const ids = await queues.take(wanted, Math.max(0, until - clock.now()), signal)
      if (ids.length === 0) return []
      try {
        // whoever has gone would lose the lease, and some calls must not be made twice
        if (signal.aborted) return []
        const leases = await this.#leaseAll(ids, workerId)
        if (leases.length > 0) return leases
      } finally {
        for (const id of ids) queues.settle(id)
      }
    }
  }

  /** Throws `notFound`, `stale_lease` (409). */
  async heartbeat(caller: Caller, path: WorkerCallPath, token: string) {
    await this.find(caller, path)
    const { environmentId, invocationId } = path
    const { actors } = this.parts
    const event = { type: 'heartbeat', lease: digestOfText(token) }
    const { actor } = await actors.send<WorkerCallRow>(workerCallAddress(invocationId), event)
    const { leaseEndsAt, canceled } = actor.context as unknown as WorkerCallContext
    this.#present.reports(environmentId, actor.row.queue, actor.row.worker ?? '')
    return {
      expiresAt: timestamp(leaseEndsAt as number),
      signal: canceled ? ('cancel' as const) : ('continue' as const),
    }
  }

  /**
   * The same answer once more is taken again. Throws `notFound`, `stale_lease` (409), 422 for both an output and an error, or
   * neither.
   */
  async complete(caller: Caller, path: WorkerCallPath, { token, output, error }: CompleteBody) {
    await this.find(caller, path)
    const { environmentId, invocationId } = path
    if ((output === undefined) === (error === undefined)) {
      throw invalid([{ path: '/body', message: 'Must have either an output, which may be null, or an error.' }])
    }
    const lease = digestOfText(token)
    const { actor } = await this.parts.actors.send<WorkerCallRow>(
      workerCallAddress(invocationId),
      error
        ? {
            type: 'refused',
            lease,
            cause: { code: error.code, message: `${error.code}: ${error.message}` },
            retryable: error.retryable,
          }
        : { type: 'completed', lease, output },
    )
    this.#present.reports(environmentId, actor.row.queue, actor.row.worker ?? '')
    return { state: actor.row.state as 'succeeded' | 'failed' | 'retrying' }
  }

  /** Throws `notFound`. */
  async find({ organizationId, scope }: Caller, { environmentId, invocationId: id }: WorkerCallPath): Promise<void> {
    const row = (await this.parts.actors.read<WorkerCallRow>(workerCallAddress(id)))?.row
    const isThere = row?.environment_id === environmentId && row.organization_id === organizationId
    if (!isThere || (scope.agentId !== null && row.agent_id !== scope.agentId)) throw notFound()
  }

  /** Who serves which queue, and what waits. */
  async show({ scope }: Caller, { environmentId }: EnvironmentPath): Promise<Workers> {
    const { store } = this.parts
    const calls = async (state: 'queued' | 'leased') =>
      (await store.all(listCallsInState(store, { environmentId, state, limit: countedMax }))).filter(
        ({ agent_id }) => scope.agentId === null || agent_id === scope.agentId,
      )
    const [queued, leased] = await Promise.all([calls('queued'), calls('leased')])
    const workers = this.#present.list(environmentId)
    const names = new Set([...queued, ...leased, ...workers].map(({ queue }) => queue))
    return {
      queues: [...names].sort().map((queue) => {
        const waiting = queued.filter((call) => call.queue === queue)
        return {
          queue,
          workers: workers.filter((worker) => worker.queue === queue).length,
          waiting: waiting.length,
          leased: leased.filter((call) => call.queue === queue).length,
          oldestWaitingSince:
            waiting.length === 0 ? null : timestamp(Math.min(...waiting.map(({ created_at }) => created_at))),
        }
      }),
      workers: workers.map(({ workerId, queue, operations, slots, lastSeenAt }) => ({
        workerId,
        queue,
        operations: operations && [...operations],
        slots,
        leased: leased.filter((call) => call.queue === queue && call.worker === workerId).length,
        lastSeenAt: timestamp(lastSeenAt),
      })),
    }
  }

  /** Leases as many of these as one answer has room for; what somebody else has taken is left out. */
  async #leaseAll(ids: readonly string[], workerId: string): Promise<WorkerLease[]> {
    const { store } = this.parts
    const inputs = await Promise.all(ids.map((id) => store.first(getInputOfCall(store, { id }))))
    let left = inputCharactersMax
    const given = ids.flatMap((id, index) => {
      const input = inputs[index]?.input ?? 'null'
      left -= input.length
      return index === 0 || left >= 0 ? [this.#leaseOne(id, workerId, input)] : []
    })
    return (await Promise.all(given)).filter((lease) => lease !== undefined)
  }

  async #leaseOne(id: string, worker: string, input: string): Promise<WorkerLease | undefined> {
    const token = newToken()
    try {
      const { actor } = await this.parts.actors.send<WorkerCallRow>(workerCallAddress(id), {
        type: 'leased',
        lease: digestOfText(token),
        worker,
      })
      const { attempts, leaseEndsAt } = actor.context as unknown as WorkerCallContext
      return {
        invocationId: id,
        operation: actor.row.operation,
        input: JSON.parse(input) as unknown,
        attempt: attempts,
        idempotencyKey: id,
        expiresAt: timestamp(leaseEndsAt as number),
        token,
      }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }
}
