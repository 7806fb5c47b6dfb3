/** Opens the streams of runs and shares one hub per run. Source: contract 5, "Stream". */
import type { RunContext } from '../../../machines/run.ts'
import { getRun, lastStreamSequence } from '../../../storage/runs/runs.ts'
import { listOpenSteps } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow, RunRow } from '../../../storage/tables.ts'
import { invalid, notFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission, Hold } from '../../platform/http/guard/open-stream.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { RunAccess } from '../access.ts'
import { contextOf } from '../context.ts'
import { presentRun, presentStep } from '../present.ts'
import { type RunRecord, runAddress } from '../record.ts'
import type { Frame } from './frames.ts'
import { RunHub } from './hub.ts'
import { StreamReader, type StreamSource } from './reader.ts'
import {
  keepAlive,
  type RenderedFrame,
  type RunSnapshot,
  reconnect,
  renderFrame,
  renderSnapshot,
  revoked,
  type StreamType,
} from './render.ts'
import { replay } from './replay.ts'

interface StreamRequest {
  /** The `Last-Event-ID` header, which overrides `after`. */
  lastEventId: string | null
  /** The last number that the client received; 0 for the whole stream. */
  after?: number
  types?: StreamType[]
  depth: number
}

interface OpenHub {
  hub: RunHub
  /** Resolves when the commits of all servers are received. */
  ready: Promise<void>
  end(): void
}

const keepAliveMs = 5_000
/** The most reads of a snapshot that changes during the read. */
const readsMax = 5
/** The store is unavailable: the next poll retries. */
const ignore = () => {}

interface StreamParts {
  store: Store
  actors: Actors
  clock: Clock
  access: RunAccess
}

export class RunStreams {
  readonly #hubs = new Map<string, OpenHub>()
  #keepingAlive: { cancel(): void } | undefined

  constructor(private readonly parts: StreamParts) {}

  /**
   * Opens a stream; null if nothing comes any more of an ended run. Ends when `signal` is aborted, and with an `end`
   * event of reason `revoked` when access is revoked. Throws `notFound`, 422 for a position beyond the stream, and the
   * admission's errors.
   */
  async open(
    caller: Caller,
    runId: string,
    request: StreamRequest,
    signal: AbortSignal,
    admission: Admission,
  ): Promise<ReadableStream<Uint8Array> | null> {
    const { access, clock } = this.parts
    await access.find(caller, runId, 'agent-runs:stream')
    let held: Hold | undefined
    const types = request.types && new Set(request.types)
    const { hub, ready } = this.#hubOf(runId)
    const reader = new StreamReader(hub, this.#source(runId), { types, depth: request.depth }, (left) => {
      this.#release(runId, left)
      held?.release()
    })
    hub.readers.add(reader)
    try {
      // all commits after the snapshot are received
      await ready
      held = await admission.hold({
        isVisible: async (now) => Boolean(await access.find(now, runId, 'agent-runs:stream')),
        revoke: () => reader.end(revoked(clock.now())),
      })
      const snapshot = await this.#snapshot(runId)
      hub.begin(snapshot.lastSequence, snapshot.ended)
      // the store may be ahead of notifications, and notifications ahead of the rows that were read
      const [tail, ended] =
        hub.tail > snapshot.lastSequence ? [hub.tail, hub.ended] : [snapshot.lastSequence, snapshot.ended]
      const position = positionOf(request, tail)
      const withSnapshot = position === undefined && (!types || types.has('run.snapshot'))
      if (ended && !withSnapshot && (position ?? snapshot.lastSequence) === tail) {
        reader.stop()
        return null
      }
      signal.addEventListener('abort', () => reader.stop(), { once: true })
      if (signal.aborted) reader.stop()
      const opening = withSnapshot ? [reconnect, renderSnapshot(snapshot, false, clock.now())] : [reconnect]
      this.#keepAlive()
      return reader.open(opening, position ?? snapshot.lastSequence)
    } catch (error) {
      reader.stop()
      throw error
    }
  }

  /** Ends all streams; clients reconnect and resume. */
  close() {
    for (const { hub } of this.#hubs.values()) for (const reader of hub.readers) reader.stop()
    this.#keepingAlive?.cancel()
    this.#keepingAlive = undefined
  }

  /** The content of a run was removed: drop it from memory. */
  forget(runId: string) {
    this.#hubs.get(runId)?.hub.forget()
  }

  /** The number of open streams, and of runs with any. */
  get statistics() {
    let readers = 0
    for (const { hub } of this.#hubs.values()) readers += hub.readers.size
    return { readers, runs: this.#hubs.size }
  }

  #hubOf(runId: string): OpenHub {
    const known = this.#hubs.get(runId)
    if (known) return known
    const { actors, store } = this.parts
    const hub = new RunHub(async (after) => (await replay(store, runId, after)).map(renderFrame))
    const look = () => lastStreamSequence(store, runId).then((last) => hub.expect(last), ignore)
    const unsubscribe = actors.subscribe(runAddress(runId), ({ news }) => hub.publish(news as Frame[]))
    const elsewhere = actors.subscribeElsewhere(runAddress(runId), (notice) => {
      if (notice?.news) hub.take(notice.news as RenderedFrame[])
      else void look()
    })
    const end = () => {
      unsubscribe()
      elsewhere.end()
    }
    const opened: OpenHub = { hub, ready: elsewhere.ready, end }
    this.#hubs.set(runId, opened)
    return opened
  }

  #release(runId: string, reader: StreamReader) {
    const entry = this.#hubs.get(runId)
    if (!entry?.hub.readers.delete(reader) || entry.hub.readers.size > 0) return
    entry.end()
    this.#hubs.delete(runId)
  }

  #source(runId: string): StreamSource {
    const { store, clock } = this.parts
    return {
      replay: async (after) => (await replay(store, runId, after)).map(renderFrame),
      gap: async () => {
        const snapshot = await this.#snapshot(runId)
        return { bytes: renderSnapshot(snapshot, true, clock.now()), lastSequence: snapshot.lastSequence }
      },
    }
  }

  /** The state of the run, from memory if complete, else from the store. */
  async #snapshot(runId: string): Promise<RunSnapshot> {
    const { store, actors } = this.parts
    const address = runAddress(runId)
    // the version that another server may have changed is compared with the store
    const actor = actors.recall<RunRecord, RunContext>(address) && (await actors.read<RunRecord, RunContext>(address))
    if (actor?.row.live) {
      const { row, live } = actor.row
      return snapshotOf(row, actor.context, [...live.openSteps.values()], live.lastSequence)
    }
    for (let reads = 1; ; reads += 1) {
      const lastSequence = await lastStreamSequence(store, runId)
      const [row, steps] = await Promise.all([
        store.first<RunRow>(getRun(store, { id: runId })),
        store.all<AgentStepRow>(listOpenSteps(store, { runId })),
      ])
      if (!row) throw notFound()
      // otherwise the state is newer than the sequence number, and already contains the changes of the following frames
      if (reads === readsMax || (await lastStreamSequence(store, runId)) === lastSequence)
        return snapshotOf(row, contextOf(row), steps, lastSequence)
    }
  }

  /** Sends a comment every five seconds, so that idle streams are not taken for broken. */
  #keepAlive() {
    this.#keepingAlive ??= this.parts.clock.after(keepAliveMs, () => {
      this.#keepingAlive = undefined
      for (const { hub } of this.#hubs.values()) for (const reader of hub.readers) reader.say(keepAlive)
      if (this.#hubs.size > 0) this.#keepAlive()
    })
  }
}

const snapshotOf = (
  row: RunRow,
  context: RunContext,
  steps: readonly AgentStepRow[],
  lastSequence: number,
): RunSnapshot => ({
  run: presentRun(row, context),
  openSteps: steps.map(presentStep),
  lastSequence,
  ended: context.endedAt !== null,
})

/** The client's position; undefined if it has none. Throws 422 beyond the stream's end. */
function positionOf({ lastEventId, after }: StreamRequest, tail: number): number | undefined {
  const path = lastEventId ? '/headers/last-event-id' : '/query/after'
  if (lastEventId && !/^\d{1,15}$/.test(lastEventId))
    throw invalid([{ path, message: 'Must be an event id of this stream.' }])
  const position = lastEventId ? Number(lastEventId) : after
  if (position !== undefined && position > tail)
    throw invalid([{ path, message: 'Must not be beyond the end of the stream.' }])
  return position
}
