/**
 * Keeps the write-ahead log short. Each commit appends to it; a check-point copies its pages into the database, and once all
 * are there the log begins anew. SQLite would do that within some commit, which everybody waits for; here a thread does it
 * beside the commits (`PASSIVE`, which blocks neither readers nor the writer). Only to begin the log anew the writer pauses, when next to nothing
 * is left to copy: commits wait for that, reads and the event loop do not. Source: contract 9, "Background work".
 */
import type { Database, Statement } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { GroupCommitWriter } from './writer.ts'

/** What the thread is asked, and what it tells. */
export type Asked = { ask: 'open'; path: string } | { ask: 'close' | 'passive' | 'restart' | 'truncate' }
export interface Told {
  /** A reader still needs frames that would be overwritten. */
  busy: boolean
  /** Why it could not be done: a disk that is full, for instance. */
  failure: string | null
}

/** Pages are 4 KiB. So many that are not copied yet are worth a check-point. */
const copyFrom = 1_000
/** A log of so many pages begins anew as soon as it can; its file is cut when it has become longer than that. */
const logPagesMax = 8_000
const logBytesMax = logPagesMax * 4_096
/** With so few left to copy, the writer pauses for what remains. */
const remainderMax = 1_500
const roundsMax = 4
/** The delay after a commit, and between attempts while a reader is in the way. */
const lookAfterMs = 100
const lookAgainMs = 1_000
/** The thread works at most a fifth of the time, unless the log has become very long. */
const restShare = 4
const veryLong = 4 * logPagesMax
/** How long to wait for an answer. */
const answerMsMax = 60_000
const pauseMsMax = 2_000
/** A thread that failed is replaced after so long; after twice as long each time that the next one fails too. */
const replaceAfterMs = 10_000
const replaceAfterMsMax = 600_000

/** This file may be part of a bundle; the thread's program is beside it either way. */
function program(): string {
  const places = ['check-pointer.ts', 'check-pointer.js'].map((name) => join(import.meta.dir, name))
  const found = places.find((path) => existsSync(path))
  if (!found) throw new Error(`There is no check-pointer beside ${import.meta.dir}.`)
  return found
}

interface LogPages {
  /** Pages in the log. */
  log: number
  /** Those that the database has. */
  checkpointed: number
}

/** What a test sets, to have a thread that is slow. */
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
  /** The work under way; it never rejects. */
  #working: Promise<void> | undefined
  /** How often in a row the thread failed. Meanwhile SQLite does its work within commits. */
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

  /** To be called behind each commit: costs nothing but a timer now and then. */
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

  /** Returns when to look again; 0 when there is nothing to do until the next commit. Never rejects. */
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

  /** Copies what is there, and begins the log anew where it is long. False when a reader is in the way. */
  async #copy(): Promise<boolean> {
    for (let round = 1; ; round += 1) {
      const before = this.#left()
      if (before.left > 0) {
        const told = await this.#ask({ ask: 'passive' }, answerMsMax)
        if (told.failure !== null) return false
      }
      if (this.#closed) return true
      const { log, left } = this.#left()
      // what was there is there still: a reader needs it
      if (log - left < before.log && log >= before.log) return false
      if (log < logPagesMax) return true
      // where commits come as fast as they are copied, some wait a little longer
      if (left <= remainderMax || round === roundsMax) return this.#beginAnew()
    }
  }

  async #beginAnew(): Promise<boolean> {
    this.writer.pause()
    try {
      const isLong = statSync(`${this.path}-wal`).size > logBytesMax
      const { busy, failure } = await this.#ask({ ask: isLong ? 'truncate' : 'restart' }, this.options.pauseMsMax)
      return !busy && failure === null
    } finally {
      this.writer.resume()
    }
  }

  #left() {
    const { log, checkpointed } = this.#pages.get() ?? { log: 0, checkpointed: 0 }
    return { log, left: log - checkpointed }
  }

  /** Rejects when there is no thread that answers. */
  async #ask(asked: Asked, msMax: number): Promise<Told> {
    if (!this.#thread) {
      this.#thread = this.options.start()
      this.#thread.unref()
      // one that fails between two questions does not answer the next
      this.#thread.on('error', () => {})
      await this.#answer({ ask: 'open', path: this.path }, answerMsMax)
    }
    return this.#answer(asked, msMax)
  }

  #answer(asked: Asked, msMax: number): Promise<Told> {
    const thread = this.#thread as Worker
    const { promise, resolve, reject } = Promise.withResolvers<Told>()
    const timer = setTimeout(() => reject(new Error('The check-pointing thread does not answer.')), msMax)
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.postMessage(asked)
    return promise.finally(() => {
      clearTimeout(timer)
      thread.removeListener('message', resolve)
      thread.removeListener('error', reject)
    })
  }

  /** SQLite does it within commits, as it would have, until another thread is tried. Returns when that is. */
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

  /** Ends the thread, when what it is at is done. */
  async close() {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#working
    this.#pages.finalize()
    if (!this.#thread) return
    await this.#answer({ ask: 'close' }, answerMsMax).catch(() => {})
    await this.#thread.terminate()
    this.#thread = undefined
  }
}
