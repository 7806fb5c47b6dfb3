/**
 * Keeps the write-ahead log short. Each commit appends to it; a checkpoint copies its pages into the database, and once
 * all are copied the log restarts at its beginning. SQLite would run the checkpoint inside a commit, and every caller
 * would wait; here a thread runs it alongside the commits (`PASSIVE`, which blocks neither readers nor the writer). The
 * writer pauses only while the log restarts, when almost nothing is left to copy: commits wait for that, reads and the
 * event loop do not. Source: contract 9, "Background work".
 */
import type { Database, Statement } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { GroupCommitWriter } from './writer.ts'

/** Requests to the thread, and its replies. */
export type CheckPointRequest = { type: 'open'; path: string } | { type: 'close' | 'passive' | 'restart' | 'truncate' }
export interface CheckPointReply {
  /** Whether a reader still needs frames that would be overwritten. */
  busy: boolean
  /** The reason for a failure, such as a full disk; null: no failure. */
  failure: string | null
}

/** The minimum number of uncopied pages (4 KiB each) for a checkpoint. */
const copyFrom = 1_000
/** A log of this many pages is restarted as soon as possible; its file is truncated if it is longer. */
const logPagesMax = 8_000
const logBytesMax = logPagesMax * 4_096
/** The writer pauses for the rest once at most this many pages are left to copy. */
const remainderMax = 1_500
const roundsMax = 4
/** The delays before a check: after a commit, and while a reader blocks the restart. */
const lookAfterMs = 100
const lookAgainMs = 1_000
/** The thread works at most a fifth of the time, unless the log is very long. */
const restShare = 4
const veryLong = 4 * logPagesMax
/** The timeouts for the thread's reply: in general, and while the writer is paused. */
const answerMsMax = 60_000
const pauseMsMax = 2_000
/** The delay before a failed thread is replaced; doubled for each further failure. */
const replaceAfterMs = 10_000
const replaceAfterMsMax = 600_000

interface LogPages {
  /** The pages in the log. */
  log: number
  /** The pages already copied. */
  checkpointed: number
}

/** Set by tests that need a slow thread. */
interface ThreadOptions {
  start: () => Worker
  pauseMsMax: number
  replaceAfterMs: number
}

const defaults: ThreadOptions = {
  start: () => new Worker(join(import.meta.dir, 'check-pointer.ts')),
  pauseMsMax,
  replaceAfterMs,
}

export class CheckPoints {
  readonly #pages: Statement<LogPages, []>
  #thread: Worker | undefined
  #timer: Timer | undefined
  /** The checkpoint in progress; never rejects. */
  #working: Promise<void> | undefined
  /** The number of the thread's consecutive failures. Unless it is 0, SQLite checkpoints within commits. */
  #failures = 0
  #closed = false

  constructor(
    private readonly database: Database,
    private readonly path: string,
    private readonly writer: Pick<GroupCommitWriter, 'pause' | 'resume'>,
    private readonly options: ThreadOptions = defaults,
  ) {
    this.#pages = database.prepare('pragma wal_checkpoint(noop)')
    this.#checkPointInCommits(0)
  }

  /** Call after each commit. Sets a timer, unless one is set or a checkpoint is in progress. */
  readonly note = () => {
    if (this.#timer === undefined && this.#working === undefined) this.#lookIn(lookAfterMs)
  }

  #lookIn(ms: number) {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#working = this.#work().then((rest) => {
        this.#working = undefined
        if (rest > 0) this.#lookIn(rest)
      })
    }, ms)
    this.#timer.unref()
  }

  /** Returns the delay until the next check; 0 if none is needed before the next commit. Never rejects. */
  async #work(): Promise<number> {
    const startedAt = performance.now()
    try {
      const before = this.#left()
      if (before.left < copyFrom && before.log < logPagesMax) return 0
      const isFree = await this.#copy()
      // a log that cannot be read at the moment looks empty, and then no thread was asked
      if (this.#thread) this.#threadAnswered()
      if (!isFree) return lookAgainMs
      return before.log > veryLong ? lookAfterMs : Math.max(lookAfterMs, restShare * (performance.now() - startedAt))
    } catch {
      return this.#withoutThread()
    }
  }

  /** Copies the pages, and restarts a long log. False if a reader or a failure prevents that. */
  async #copy(): Promise<boolean> {
    for (let round = 1; ; round += 1) {
      const before = this.#left()
      if (before.left > 0) {
        const reply = await this.#ask({ type: 'passive' }, answerMsMax)
        if (reply.failure !== null) return false
      }
      if (this.#closed) return true
      const { log, left } = this.#left()
      // not all of the earlier pages were copied: a reader still needs them
      if (log - left < before.log && log >= before.log) return false
      if (log < logPagesMax) return true
      // after the last round, restart anyway: if commits arrive as fast as they are copied, some wait a little longer
      if (left <= remainderMax || round === roundsMax) return this.#beginAnew()
    }
  }

  async #beginAnew(): Promise<boolean> {
    this.writer.pause()
    try {
      const isLong = statSync(`${this.path}-wal`).size > logBytesMax
      const { busy, failure } = await this.#ask({ type: isLong ? 'truncate' : 'restart' }, this.options.pauseMsMax)
      return !busy && failure === null
    } finally {
      this.writer.resume()
    }
  }

  #left() {
    const { log, checkpointed } = this.#pages.get() ?? { log: 0, checkpointed: 0 }
    return { log, left: log - checkpointed }
  }

  /** Rejects if the thread fails or does not answer. */
  async #ask(request: CheckPointRequest, msMax: number): Promise<CheckPointReply> {
    if (!this.#thread) {
      this.#thread = this.options.start()
      this.#thread.unref()
      // ignored here: after a failure between two requests, the next request times out
      this.#thread.on('error', () => {})
      const { failure } = await this.#answer({ type: 'open', path: this.path }, answerMsMax)
      if (failure !== null) throw new Error(`The checkpoint thread cannot open the store: ${failure}`)
    }
    return this.#answer(request, msMax)
  }

  #answer(request: CheckPointRequest, msMax: number): Promise<CheckPointReply> {
    const thread = this.#thread as Worker
    const { promise, resolve, reject } = Promise.withResolvers<CheckPointReply>()
    const timer = setTimeout(() => reject(new Error('The checkpoint thread does not answer.')), msMax)
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.postMessage(request)
    return promise.finally(() => {
      clearTimeout(timer)
      thread.removeListener('message', resolve)
      thread.removeListener('error', reject)
    })
  }

  /** Lets SQLite checkpoint within commits until the next thread is started. Returns the delay until then. */
  #withoutThread(): number {
    void this.#thread?.terminate()
    this.#thread = undefined
    this.#failures += 1
    this.#checkPointInCommits(logPagesMax)
    return Math.min(this.options.replaceAfterMs * 2 ** (this.#failures - 1), replaceAfterMsMax)
  }

  #threadAnswered() {
    if (this.#failures === 0) return
    this.#failures = 0
    this.#checkPointInCommits(0)
  }

  #checkPointInCommits(pages: number) {
    this.database.run(`pragma wal_autocheckpoint = ${pages}`)
  }

  /** Waits for the checkpoint in progress, then ends the thread. */
  async close() {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#working
    this.#pages.finalize()
    if (!this.#thread) return
    await this.#answer({ type: 'close' }, answerMsMax).catch(() => {})
    await this.#thread.terminate()
    this.#thread = undefined
  }
}
