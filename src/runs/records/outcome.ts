/**
 * The outcome of a run in one request: whoever asks may wait for it, and may have the answer with the run.
 * Source: contract 5, `waitSeconds`, `include=output`.
 */
import { getRunOutput } from '../../../storage/automation/invocations.ts'
import type { Store } from '../../../storage/store.ts'
import { notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { isWithinScope, maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { FoundRun, RunAccess } from '../access.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { runAddress } from '../record.ts'

export interface OutcomeParts {
  store: Store
  actors: Actors
  access: RunAccess
  clock: Clock
}

/** What of the query says how a run is to be answered. */
export interface OutcomeQuery {
  waitSeconds?: number
  include?: 'output'[]
}

/**
 * Who waits has one of the credential's open streams, and is turned away when the run is outside its authorization
 * scope.
 */
export interface Place {
  /** Fires when the caller may not see the run any more. */
  revoked: AbortSignal
  /** The run that is waited for, from when it is known. */
  runId: string | undefined
  /** To be called when the answer is there; may be called again. */
  release(): void
}

/** In these states something is under way, or about to be: whoever waits for the run waits on. */
const underWay = new Set(['queued', 'acquiring', 'starting', 'running', 'canceling'])
const readsOutput = 'agent-runs:steps:get'

export class RunOutcomes {
  /** Ends everybody's waiting. */
  readonly #waits = new Set<() => void>()
  #closed = false

  constructor(private readonly parts: OutcomeParts) {}

  /** Throws `permission_denied` (403) for a caller who asks for an output and may read none anywhere. */
  assertMayAsk(caller: Caller, { include = [] }: OutcomeQuery): void {
    if (include.length > 0 && !maySomewhere(caller, readsOutput)) throw permissionDenied(readsOutput)
  }

  /**
   * A place to wait in; undefined for a caller who does not want to. Throws `too_many_streams` (429) for a credential and
   * `limit_exceeded` (422) for an organization that has as many streams open, waiting ones included, as it may.
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
      revoke: () => revoking.abort(),
    })
    return place
  }

  /**
   * The run, with its output if that is asked for: when nothing is under way any more, or as it is when the time is over or
   * the signal fires. Throws `notFound`, also for a caller who came to have no right to it while he waited, and `permission_denied` (403) for an output that the caller may not read.
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
      await this.#ends(first, (query.waitSeconds ?? 0) * 1_000, AbortSignal.any([signal, place.revoked]))
      if (place.revoked.aborted) throw notFound()
    }
    const { row, context } = await access.find(caller, runId, permission)
    const data = presentRun(row, context)
    return { data: withOutput ? { ...data, output: await this.#outputOf(row.id, row.state) } : data }
  }

  /** Ends all waiting: each is answered with the run as it is. */
  close(): void {
    this.#closed = true
    for (const end of [...this.#waits]) end()
  }

  #ends({ row }: FoundRun, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || waitMs <= 0 || !underWay.has(row.state) || signal.aborted) return Promise.resolve()
    const { actors, clock } = this.parts
    return new Promise((resolve) => {
      const end = () => {
        unsubscribe()
        timer.cancel()
        signal.removeEventListener('abort', end)
        this.#waits.delete(end)
        resolve()
      }
      const look = (state: string | undefined) => {
        if (state === undefined || !underWay.has(state)) end()
      }
      const timer = clock.after(waitMs, end)
      const unsubscribe = actors.subscribe(runAddress(row.id), ({ actor }) => look(actor.state))
      signal.addEventListener('abort', end, { once: true })
      this.#waits.add(end)
      // it may have ended since it was read
      actors.read(runAddress(row.id)).then((actor) => look(actor?.state), end)
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
