/**
 * Returns the outcome of a run in one request: a client may wait for the end and include the output. Source: contract
 * 5, `waitSeconds`, `include=output`.
 */

import { isRunEnd } from '../../../machines/run/states.ts'
import type { RunContext } from '../../../machines/run.ts'
import { getOutputOfAttempt } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { permissionDenied } from '../../platform/http/answers/errors.ts'
import { isWithinScope, maySomewhere } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { watchActor } from '../../runtime/watch.ts'
import type { FoundRun, RunAccess } from '../access.ts'
import { BindingUnavailable, type Pins } from '../attempts/leasing/assignment.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunActor, type RunRecord, runAddress } from '../record.ts'
import { replay } from '../stream/replay.ts'
import type { RunTurns } from '../stream/turns.ts'

interface OutcomeParts {
  store: Store
  actors: Actors
  access: RunAccess
  clock: Clock
  turns: Pick<RunTurns, 'positionOf'>
  pins: Pick<Pins, 'content'>
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
  /** Must be called when the answer is sent; idempotent. */
  release(): void
}

/** The turn of a request's own message. */
interface OwnTurn {
  /** The message, if it waits for its turn. */
  inputId?: number
  /** Its turn; of a message that waits, if none comes before it and none goes. */
  turn: number
}

/** The turn of the message by which a start was answered with this run. */
export function ownTurnIn({ turn = 1, queuedInputs }: PresentedRun): OwnTurn {
  // the latest of the waiting messages is the one of the request
  const inputId = Math.max(...queuedInputs.map((each) => each.inputId))
  const place = queuedInputs.findIndex((each) => each.inputId === inputId)
  return place === -1 ? { turn } : { turn: turn + place + 1, inputId }
}

/** The states in which a waiting request continues to wait. */
const underWay = new Set(['queued', 'acquiring', 'starting', 'running', 'canceling'])
const readsOutput = 'agent-runs:steps:get'
/** The events that may follow the end of a turn: a late warning about the budget. */
const framesAfterEnd = 1

/** How a request waits, and for what. */
interface Patience {
  /** undefined: the request does not wait. */
  place: Place | undefined
  /** Aborted when the client leaves. */
  signal: AbortSignal
  /** Omitted: for the run, whatever its turn. */
  own?: OwnTurn
}

const atOnce: Patience = { place: undefined, signal: AbortSignal.any([]) }

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
   * The run, with its output if requested: once it is no longer active, or in its current state on timeout or abort. With
   * an `own` turn: as it was at the end of that turn, also if the next one has begun.
   * Throws `notFound`, `permission_denied` (403) for an output that the caller may not read, and the error of a new
   * request if the caller lost access while waiting.
   */
  async answer(
    caller: Caller,
    runId: string,
    permission: Permission,
    query: OutcomeQuery = {},
    { place, signal, own }: Patience = atOnce,
  ): Promise<{ data: PresentedRun }> {
    const { access } = this.parts
    const first = await access.find(caller, runId, permission)
    const withOutput = (query.include ?? []).length > 0
    if (withOutput) assertReads(caller, first)
    const follows = own && new OwnProgress(own)
    if (place) {
      await this.#ends(first, follows, (query.waitSeconds ?? 0) * 1_000, AbortSignal.any([signal, place.revoked]))
      place.revoked.throwIfAborted()
    }
    const { row, context } = await access.find(caller, runId, permission)
    const turn = follows?.turnIn(context)
    const past = turn !== undefined && turn < context.chain ? await this.#endOf(row.id, turn) : undefined
    const data = past ?? presentRun(row, context)
    return { data: withOutput ? { ...data, output: await this.#outputOf(row, data) } : data }
  }

  /** The run at the end of a turn that another one follows; undefined if it did not end, or its content was removed. */
  async #endOf(runId: string, turn: number): Promise<PresentedRun | undefined> {
    const { store, turns } = this.parts
    const last = await turns.positionOf(runId, turn + 1)
    const frames = await replay(store, runId, Math.max(0, last - framesAfterEnd - 1))
    const end = frames.findLast(({ sequence, type }) => sequence <= last && type === 'end')
    const run = end?.data() as PresentedRun | null | undefined
    return run?.turn === turn ? run : undefined
  }

  /** Ends all waiting requests, which return the run's current state. */
  close(): void {
    this.#closed = true
    for (const end of [...this.#waits]) end()
  }

  #ends(
    { row, context: found }: FoundRun,
    own: OwnProgress | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const isOver = (state: string, context: RunContext) => {
      const turn = own?.turnIn(context)
      // the server continues an ended run with the next message
      if (own && turn === undefined) return !underWay.has(state) && !isRunEnd(state)
      return !underWay.has(state) || (turn !== undefined && context.chain > turn)
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
      const look = (actor: RunActor | undefined) => {
        if (actor === undefined || isOver(actor.state, actor.context)) end()
      }
      const timer = clock.after(waitMs, end)
      const watch = watchActor(actors, runAddress(row.id), look)
      signal.addEventListener('abort', end, { once: true })
      this.#waits.add(end)
      // the run may have ended since it was read
      const read = () => actors.read<RunRecord, RunContext>(runAddress(row.id))
      watch.ready.then(read).then(look, end)
    })
  }

  async #outputOf(row: RunRow, { id: runId, state, attempt }: PresentedRun): Promise<PresentedRun['output']> {
    if (state !== 'completed') return null
    const { store } = this.parts
    const found = await store.first(getOutputOfAttempt(store, { runId, attempt }))
    if (!found || found.output === null) return null
    const output = JSON.parse(found.output) as unknown
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    const isPlain = typeof output === 'string' || output === null
    // a text is a value too for a schema of texts, such as an enum, and null for one of null
    if (!isPlain || (await this.#isStructured(row))) return { text, value: output }
    // a runner may complete a run without an output
    return { text: output === null ? '' : text }
  }

  async #isStructured(row: RunRow): Promise<boolean> {
    try {
      return (await this.parts.pins.content(row)).content.outputSchema !== undefined
    } catch (error) {
      if (error instanceof BindingUnavailable) return false
      throw error
    }
  }
}

/** Finds out which turn a message that waited has got. */
class OwnProgress {
  #turn: number | undefined

  constructor(private readonly own: OwnTurn) {
    if (own.inputId === undefined) this.#turn = own.turn
  }

  /** Its turn; undefined while it waits. */
  turnIn({ chain, queuedInputs = [] }: RunContext): number | undefined {
    const { inputId, turn } = this.own
    if (queuedInputs.some((queued) => queued.inputId === inputId)) return undefined
    // seen late, it may have ended; if messages before it were dropped, it came earlier
    this.#turn ??= Math.min(chain, turn)
    return this.#turn
  }
}

function assertReads(caller: Caller, { row }: FoundRun): void {
  const place = { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id }
  if (!isWithinScope(caller, readsOutput, place)) throw permissionDenied(readsOutput)
}
