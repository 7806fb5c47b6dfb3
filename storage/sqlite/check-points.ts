/**
 * Keeps the write-ahead log short. Each commit appends to it; a checkpoint copies its pages into the database, and when all
 * are copied the log starts again. SQLite would do that within some commit, for which everybody waits; here a thread does it
 * beside the commits (`PASSIVE`, which blocks neither readers nor the writer). The writer pauses only while the log is
 * restarted, when almost nothing is left to copy: commits wait for that, reads and the event loop do not. Source:
 * contract 9, "Background work".
 */
import type { Database, Statement } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { GroupCommitWriter } from './writer.ts'

/** The requests to the thread, and its answers. */
export type CheckPointRequest = { type: 'open'; path: string } | { type: 'close' | 'passive' | 'restart' | 'truncate' }
export interface CheckPointReply {
  /** Whether a reader still needs frames that would be overwritten. */
  busy: boolean
  /** The reason of a failure, such as a full disk. */
  failure: string | null
}

/** The number of pages (4 KiB each) not yet copied from which on a checkpoint is worthwhile. */
const copyFrom = 1_000
/** A log of this many pages is restarted as soon as possible; a longer file is truncated. */
const logPagesMax = 8_000
const logBytesMax = logPagesMax * 4_096
/** With at most this many pages left to copy, the writer pauses for them. */
const remainderMax = 1_500
const roundsMax = 4
/** The delay after a commit, and between attempts while a reader blocks the restart. */
const lookAfterMs = 100
const lookAgainMs = 1_000
/** The thread works at most a fifth of the time, unless the log is very long. */
const restShare = 4
const veryLong = 4 * logPagesMax
/** The timeout of an answer. */
const answerMsMax = 60_000
const pauseMsMax = 2_000
/** The delay before a failed thread is replaced; doubled for each further failure. */
const replaceAfterMs = 10_000
const replaceAfterMsMax = 600_000

/** This file may be part of a bundle; the thread's program is next to it in either case. */
function program(): string {
  const places = ['check-pointer.ts', 'check-pointer.js'].map((name) => join(import.meta.dir, name))
  const found = places.find((path) => existsSync(path))
  if (!found) throw new Error(`There is no check-pointer beside ${import.meta.dir}.`)
  return found
}

interface LogPages {
  /** The pages in the log. */
  log: number
  /** The pages already copied. */
  checkpointed: number
}

/** Set by tests that need a slow thread. */
export interface ThreadOptions {
  start: () => Worker
  pauseMsMax: number
  replaceAfterMs: number
}

const defaults: ThreadOptions = { start: () => new Worker(program()), pauseMsMax, replaceAfterMs }

export class CheckPoints {
  readonly #pages: Statement<LogPages, []>
  #thread: Worker | undefined
  #timer: Timer | undefined
  /** The work in progress; never rejects. */
  #working: Promise<void> | undefined
  /** The number of consecutive failures of the thread. Meanwhile SQLite checkpoints within commits. */
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

  /** Call after each commit; only sets a timer occasionally. */
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

  /** Returns the delay until the next check; 0 if nothing is to do before the next commit. Never rejects. */
  async #work(): Promise<number> {
    const startedAt = performance.now()
    try {
      const before = this.#left()
      if (before.left < copyFrom && before.log < logPagesMax) return 0
      const isFree = await this.#copy()
      this.#threadAnswered()
      if (!isFree) return lookAgainMs
      return before.log > veryLong ? lookAfterMs : Math.max(lookAfterMs, restShare * (performance.now() - startedAt))
    } catch {
      return this.#withoutThread()
    }
  }

  /** Copies the pages, and restarts a long log. False if a reader blocks it. */
  async #copy(): Promise<boolean> {
    for (let round = 1; ; round += 1) {
      const before = this.#left()
      if (before.left > 0) {
        const reply = await this.#ask({ type: 'passive' }, answerMsMax)
        if (reply.failure !== null) return false
      }
      if (this.#closed) return true
      const { log, left } = this.#left()
      // the log was not restarted: a reader needs it
      if (log - left < before.log && log >= before.log) return false
      if (log < logPagesMax) return true
      // if commits arrive as fast as they are copied, some wait a little longer
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

  /** Rejects if no thread answers. */
  async #ask(request: CheckPointRequest, msMax: number): Promise<CheckPointReply> {
    if (!this.#thread) {
      this.#thread = this.options.start()
      this.#thread.unref()
      // a thread that fails between two requests does not answer the next one
      this.#thread.on('error', () => {})
      await this.#answer({ type: 'open', path: this.path }, answerMsMax)
    }
    return this.#answer(request, msMax)
  }

  #answer(request: CheckPointRequest, msMax: number): Promise<CheckPointReply> {
    const thread = this.#thread as Worker
    const { promise, resolve, reject } = Promise.withResolvers<CheckPointReply>()
    const timer = setTimeout(() => reject(new Error('The check-pointing thread does not answer.')), msMax)
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

  /** Ends the thread when its current work is done. */
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
