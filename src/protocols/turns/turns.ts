/**
 * Turns of agents, on top of the services of the API: begin a turn, follow it, answer the calls that it waits for. The
 * protocols use only this module; none accesses the store or a statechart. Source: contract 12.
 */
import { ApiError, notFound, serviceUnavailable } from '../../platform/http/answers/errors.ts'
import type { PublicApiError } from '../../platform/http/answers/failure.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import type { StartRequest } from '../../runs/admission/start.ts'
import { Conflict } from '../../runs/control/conflict.ts'
import type { ContinueAs } from '../../runs/control/control.ts'
import type { PresentedRun } from '../../runs/present.ts'
import type { Runs } from '../../runs/service.ts'
import type { ReachedAgent } from '../agents.ts'
import { type PendingCall, readStream, type StreamEvent, type TurnEvent, TurnReader } from './events.ts'
import { type Seat, takeSeat, watches } from './seat.ts'

/** A turn of a run: 1, 2, 3 … */
export interface Turn {
  run: PresentedRun
  number: number
}

/** `isOver`: the next message begins another run. */
type LatestTurn = Turn & { isOver: boolean }

/** A message; the agent decides everything else. */
export type Message = Pick<StartRequest, 'query' | 'contents' | 'history' | 'context' | 'reasoningBudget'>

export interface CallResult {
  toolCallId: string
  result: unknown
}

/** The part of a turn that is streamed. */
interface Following {
  signal: AbortSignal
  /** Includes everything since the message that began it. */
  sinceMessage?: boolean
  /** Only events after this number, of `position`. */
  after?: number
  /** Only events up to this number, of `position`. */
  until?: number
}

/** A turn, and the part of it that is new to the client. */
export interface Begun extends Pick<Following, 'after'> {
  turn: Turn
  /** The turn still waits for these calls, and nothing else follows. */
  waiting?: readonly PendingCall[]
  /** Calls that were just rejected. */
  denied?: readonly string[]
}

/** A request that begins a turn, as the client sent it. */
interface TurnRequest {
  /** The protocol and its method. */
  operation: string
  caller: Caller
  agent: ReachedAgent
  body: unknown
}

export class Turns {
  constructor(private readonly runs: Runs) {}

  /**
   * Calls the function with a seat, which is released with the answer, or here if the function fails. Throws
   * `too_many_streams` (429), `limit_exceeded` (422), `permission_denied` (403), and the errors of the function.
   */
  async seated<Answer>(caller: Caller, admission: Admission, work: (seat: Seat) => Promise<Answer>): Promise<Answer> {
    const seat = await takeSeat(caller, admission)
    try {
      return await work(seat)
    } catch (error) {
      seat.release()
      throw error
    }
  }

  /**
   * Begins a turn once for each Idempotency-Key: a repeated request gets the turn of the first one, whatever became of
   * the run since. `begin` must use the context that it is given. Throws as `begin` does, and `notFound` for a repeated
   * request whose run the caller may not see.
   */
  async once(
    context: KeyedContext,
    { operation, caller, agent, body }: TurnRequest,
    begin: (context: KeyedContext) => Promise<Begun>,
  ): Promise<Begun> {
    const keyed = { operation, caller, path: [agent.environmentId ?? '', agent.agentId], body }
    // the status of a stored answer is that of a refusal, never of the protocol's answer
    const stored: KeyedContext['set'] = { headers: context.set.headers }
    const asked = { ...context, set: stored }
    const answer = await this.runs.idempotency.answer<BegunAnswer | PublicApiError>(
      asked,
      keyed,
      async (record) => {
        const { turn, ...others } = await begin({ ...context, request: withoutKey(context.request), record })
        return { data: turn.run, ...others }
      },
      { assertVisible: (kept) => 'data' in kept && this.latest(caller, kept.data.id) },
    )
    if ('error' in answer) {
      const { code, message, details } = answer.error
      throw new ApiError(Number(stored.status), code as ApiError['code'], message, { details })
    }
    const { data, ...others } = answer
    return { turn: turnOf({ data }), ...others }
  }

  /** Starts a run with the message. Throws as a start does. */
  async start(context: KeyedContext, caller: Caller, agent: ReachedAgent, message: Message): Promise<Turn> {
    return turnOf(await this.runs.starts.answer(context, caller, { ...placeOf(agent), ...message }))
  }

  /** Starts or continues the run of a conversation. Throws as a start with `threadKey` does. */
  async say(
    context: KeyedContext,
    caller: Caller,
    agent: ReachedAgent,
    message: Message & Pick<StartRequest, 'ifBusy'>,
    threadKey: string,
  ): Promise<Turn> {
    const request = { ...placeOf(agent), ...message, threadKey }
    const begin = this.runs.conversations.startOf(request)
    return turnOf(await this.runs.starts.answer(context, caller, request, [], begin).catch(withoutHint))
  }

  /** The conversation's run, in its latest turn; undefined before its first message. Throws `notFound`. */
  async conversation(caller: Caller, agent: ReachedAgent, threadKey: string): Promise<LatestTurn | undefined> {
    const found = await this.runs.conversations.find(caller, { ...placeOf(agent), threadKey }, watches)
    return found && { ...turnOf({ data: found.run }), isOver: found.isOver }
  }

  /** When the turn began, in epoch milliseconds. */
  async beganAt({ run, number }: Turn): Promise<number> {
    return number === 1 ? Date.parse(run.createdAt) : this.runs.turns.beganAt(run.id, number)
  }

  /** The turn that began with the message of this turn: the turn itself, unless it began with answers to calls. */
  messageOf({ run, number }: Turn): Promise<number> {
    return this.runs.turns.ofMessage(run.id, number)
  }

  /** The last of the turns of a message: its own turn, or the latest with answers to its calls. */
  async lastOfMessage({ run, number: latest }: Turn, first: number): Promise<number> {
    let last = first
    while (last < latest && (await this.runs.turns.ofMessage(run.id, last + 1)) === first) last += 1
    return last
  }

  /** Continues the run after this turn with a message. Throws as a continue does, and `concurrent_change` (409). */
  async goOn(keyed: KeyedContext, caller: Caller, { run, number }: Turn, message: Message): Promise<Turn> {
    const { query = '', contents = [], context, reasoningBudget } = message
    const request = { query, ...(reasoningBudget !== undefined && { reasoningBudget }) }
    return this.#continue(keyed, caller, run.id, request, { contents, ...(context && { context }), turn: number })
  }

  /** Answers all calls that the run waits for in this turn. Throws as `goOn` does. */
  async answer(context: KeyedContext, caller: Caller, { run, number }: Turn, results: CallResult[]): Promise<Turn> {
    return this.#continue(
      context,
      caller,
      run.id,
      { query: JSON.stringify({ toolResults: results }) },
      { turn: number },
    )
  }

  async #continue(context: KeyedContext, caller: Caller, runId: string, request: { query: string }, as: ContinueAs) {
    return turnOf(await this.runs.control.continue(context, caller, runId, request, as))
  }

  /** The current run, in its latest turn. Throws `notFound`. */
  async latest(caller: Caller, runId: string): Promise<Turn> {
    return turnOf(await this.runs.outcomes.answer(caller, runId, watches))
  }

  /** Cancels the run in this turn; undefined if it has ended, or gone on to another one. Throws as a cancel does. */
  async cancel(context: KeyedContext, caller: Caller, { run, number }: Turn): Promise<Turn | undefined> {
    try {
      return turnOf(await this.runs.control.cancel(context, caller, run.id, { turn: number }))
    } catch (error) {
      const hasEnded = error instanceof ApiError && error.code === 'invalid_transition'
      if (hasEnded || error instanceof Conflict) return undefined
      throw error
    }
  }

  /**
   * The events of the turn, until it has ended, the run continues with another turn, or the reader stops. A turn whose
   * run waits has not ended. Throws `notFound` when the caller loses access to the run, and `service_unavailable` when
   * the server stops.
   */
  async *follow(
    caller: Caller,
    { run, number }: Turn,
    { admission }: Seat,
    { signal, sinceMessage = false, after = 0, until }: Following,
  ): AsyncGenerator<TurnEvent> {
    const { turns } = this.runs
    const first = sinceMessage ? await turns.ofMessage(run.id, number) : number
    let position = await turns.positionOf(run.id, first)
    const last = until ?? Number.POSITIVE_INFINITY
    const past = sinceMessage && until === undefined ? await this.#tail(caller, run.id, admission) : undefined
    const reader = new TurnReader()
    let turn = first > 1 ? first - 1 : first
    while (position < last) {
      const missed = position
      let isGone = false
      for await (const event of this.#events(caller, run.id, admission, position, signal)) {
        if (event === 'idle') {
          yield { type: 'idle' }
          continue
        }
        const { type, sequence, data } = event
        if (sequence === undefined) throw notFound()
        // frames were dropped for a slow reader: they are read from the store, unless they were removed
        isGone = type === 'run.snapshot' && position === missed
        if (type === 'run.snapshot') break
        position = sequence
        if (type === 'run.transition' && data.event === 'continue' && data.to === 'queued') turn += 1
        if (turn > number) return
        const converted = reader.read(event)
        if (converted && sequence > after) yield converted
        if (sequence === past) yield { type: 'current' }
        if (converted?.type === 'ended' && turn === number) return
        if (position >= last) return
      }
      if (signal.aborted) return
      if (isGone) throw notFound()
      if (position === missed) throw serviceUnavailable(`The run ${run.id} goes on; ask for its answer again.`)
    }
  }

  /** The number of the last event of the run. */
  position(caller: Caller, { run }: Turn, { admission }: Seat): Promise<number> {
    return this.#tail(caller, run.id, admission)
  }

  async *#events(caller: Caller, runId: string, admission: Admission, after: number, signal: AbortSignal) {
    const request = { lastEventId: null, after, depth: 0 }
    const stream = await this.runs.streams.open(caller, runId, request, signal, admission)
    if (stream) yield* readStream(stream)
  }

  /** The number of the run's last event. */
  async #tail(caller: Caller, runId: string, admission: Admission): Promise<number> {
    const looking = new AbortController()
    const request = { lastEventId: null, depth: 0 }
    const stream = await this.runs.streams.open(caller, runId, request, looking.signal, admission)
    if (!stream) return 0
    for await (const event of readStream(stream) as AsyncGenerator<StreamEvent>) {
      if (event.type !== 'run.snapshot') continue
      looking.abort()
      return event.sequence ?? 0
    }
    return 0
  }
}

/** What is stored of a turn for repeated requests. */
type BegunAnswer = Omit<Begun, 'turn'> & { data: PresentedRun }

/** The key of the request belongs to the whole turn, not to the commands that begin it. */
const withoutKey = ({ url, method }: Request) => new Request(url, { method })

/** Clients of protocols cannot send `ifBusy`. */
function withoutHint(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'run_busy') throw error
  const { currentState } = error.details as { currentState: string }
  const message = `The run of this conversation is ${currentState}; wait until it has ended, or answer what it waits for.`
  throw new ApiError(409, 'run_busy', message, { details: error.details })
}

const turnOf = ({ data }: { data: PresentedRun }): Turn => ({ run: data, number: data.turn ?? 1 })

const placeOf = ({ agentId, environmentId }: ReachedAgent) => ({
  agentId,
  ...(environmentId === null ? {} : { environmentId }),
})
