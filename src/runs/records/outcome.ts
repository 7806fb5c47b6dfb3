/**
 * Returns the outcome of a run in one request: a client may wait for the end and include the output. Source: contract
 * 5, `waitSeconds`, `include=output`.
 */

import type { RunContext } from '../../../machines/run.ts'
import { isRunEnd } from '../../../machines/run-states.ts'
import { getRunOutput } from '../../../storage/automation/invocations.ts'
import type { Store } from '../../../storage/store.ts'
import { permissionDenied } from '../../platform/http/answers/errors.ts'
import { isWithinScope, maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Actor } from '../../runtime/kind.ts'
import { watchActor } from '../../runtime/watch.ts'
import type { FoundRun, RunAccess } from '../access.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunRecord, runAddress } from '../record.ts'

interface OutcomeParts {
  store: Store
  actors: Actors
  access: RunAccess
  clock: Clock
}

/** The query options for the outcome. */
export interface OutcomeQuery {
  waitSeconds?: number
  include?: 'output'[]
}

/**
 * A waiting request takes one of the credential's open streams and ends when the run leaves the caller's authorization
 * scope.
 */
interface Place {
  /** Aborted when the caller loses access to the run; its reason is the error of a new request. */
  revoked: AbortSignal
  /** The run waited for, once known. */
  runId: string | undefined
  /** The message of the request, if it waits for its turn: the request waits until that turn has ended. */
  inputId?: number
  /** Must be called when the answer is sent; idempotent. */
  release(): void
}

/** The states in which a waiting request continues to wait. */
const underWay = new Set(['queued', 'acquiring', 'starting', 'running', 'canceling'])
const readsOutput = 'agent-runs:steps:get'

export class RunOutcomes {
  /** Ends all waiting requests. */
  readonly #waits = new Set<() => void>()
  #closed = false

  constructor(private readonly parts: OutcomeParts) {}

  /** Throws `permission_denied` (403) for a caller who asks for an output but cannot read any. */
  assertMayAsk(caller: Caller, { include = [] }: OutcomeQuery): void {
    if (include.length > 0 && !maySomewhere(caller, readsOutput)) throw permissionDenied(readsOutput)
  }

  /**
   * Reserves a stream for a waiting request; undefined if the request does not wait. Throws `too_many_streams` (429) at
   * the credential's limit and `limit_exceeded` (422) at the organization's.
   */
  async takePlace(
    admission: Admission,
    { waitSeconds = 0 }: OutcomeQuery,
    permission: Permission,
    runId?: string,
  ): Promise<Place | undefined> {
    if (waitSeconds <= 0) return undefined
    const revoking = new AbortController()
    const place: Place = { revoked: revoking.signal, runId, release: () => held.release() }
    const held = await admission.hold({
      isVisible: async (now) =>
        place.runId === undefined || Boolean(await this.parts.access.find(now, place.runId, permission)),
      revoke: (refusal) => revoking.abort(refusal),
    })
    return place
  }

  /** Whether the wait can see more of a new run than its beginning: not if the run starts later. */
  isWorthwhile({ availableAt }: PresentedRun, { waitSeconds = 0 }: OutcomeQuery): boolean {
    return availableAt === undefined || Date.parse(availableAt) <= this.parts.clock.now() + waitSeconds * 1_000
  }

  /**
   * The run, with its output if requested: once it is no longer active and the request's own message, if it waited, has
   * had its turn; or in its current state on timeout or abort.
   * Throws `notFound`, `permission_denied` (403) for an output that the caller may not read, and the error of a new
   * request if the caller lost access while waiting.
   */
  async answer(
    caller: Caller,
    runId: string,
    permission: Permission,
    query: OutcomeQuery,
    signal: AbortSignal,
    place: Place | undefined,
  ): Promise<{ data: PresentedRun }> {
    const { access } = this.parts
    const first = await access.find(caller, runId, permission)
    const withOutput = (query.include ?? []).length > 0
    if (withOutput) assertReads(caller, first)
    if (place) {
      await this.#ends(first, place.inputId, (query.waitSeconds ?? 0) * 1_000, AbortSignal.any([signal, place.revoked]))
      place.revoked.throwIfAborted()
    }
    const { row, context } = await access.find(caller, runId, permission)
    const data = presentRun(row, context)
    return { data: withOutput ? { ...data, output: await this.#outputOf(row.id, row.state) } : data }
  }

  /** Ends all waiting requests, which return the run's current state. */
  close(): void {
    this.#closed = true
    for (const end of [...this.#waits]) end()
  }

  #ends(
    { row, context: found }: FoundRun,
    inputId: number | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    /** The turn of the request's message, once it has begun. */
    let turn: number | undefined
    const isOver = (state: string, { chain, queuedInputs = [] }: RunContext) => {
      // the server continues an ended run with the next message
      if (queuedInputs.some((queued) => queued.inputId === inputId)) return !underWay.has(state) && !isRunEnd(state)
      turn ??= chain
      return !underWay.has(state) || (inputId !== undefined && chain > turn)
    }
    if (this.#closed || waitMs <= 0 || signal.aborted || isOver(row.state, found)) return Promise.resolve()
    const { actors, clock } = this.parts
    return new Promise((resolve) => {
      const end = () => {
        watch.end()
        timer.cancel()
        signal.removeEventListener('abort', end)
        this.#waits.delete(end)
        resolve()
      }
      const look = (actor: Actor<RunRecord> | undefined) => {
        if (actor === undefined || isOver(actor.state, actor.context as unknown as RunContext)) end()
      }
      const timer = clock.after(waitMs, end)
      const watch = watchActor<RunRecord>(actors, runAddress(row.id), look)
      signal.addEventListener('abort', end, { once: true })
      this.#waits.add(end)
      // the run may have ended since it was read
      const read = () => actors.read<RunRecord>(runAddress(row.id))
      watch.ready.then(read).then(look, end)
    })
  }

  async #outputOf(runId: string, state: string): Promise<PresentedRun['output']> {
    if (state !== 'completed') return null
    const { store } = this.parts
    const found = await store.first(getRunOutput(store, { runId }))
    if (!found || found.output === null) return null
    const output = JSON.parse(found.output) as unknown
    return typeof output === 'string' ? { text: output } : { text: JSON.stringify(output), value: output }
  }
}

function assertReads(caller: Caller, { row }: FoundRun): void {
  const place = { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id }
  if (!isWithinScope(caller, readsOutput, place)) throw permissionDenied(readsOutput)
}
