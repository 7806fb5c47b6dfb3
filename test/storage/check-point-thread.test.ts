/** The thread that copies the write-ahead log is replaced when it was blocked; until then commits copy the log. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CheckPoints } from '../../storage/sqlite/check-points.ts'

const realThread = () => new Worker(join(import.meta.dir, '../../storage/sqlite/check-pointer.ts'))
/** Copies like a real thread, but restarts the log too late. */
const blockedThread = () =>
  new Worker(
    `const { Database } = require('bun:sqlite')
     const { parentPort } = require('node:worker_threads')
     let database
     parentPort.on('message', ({ type, path }) => {
       if (type === 'open') database = new Database(path)
       if (type === 'passive') database.query('pragma wal_checkpoint(passive)').get()
       const isLate = type === 'restart' || type === 'truncate'
       setTimeout(() => parentPort.postMessage({ busy: false, failure: null }), isLate ? 60_000 : 0)
     })`,
    { eval: true },
  )
const unopenedThread = () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', ({ type }) => {
       const failure = type === 'open' ? 'unable to open database file' : null
       parentPort.postMessage({ busy: type !== 'open', failure })
     })`,
    { eval: true },
  )
const failingThread = () => new Worker("throw new Error('It does not start.')", { eval: true })

async function until(isSo: () => boolean) {
  while (!isSo()) await Bun.sleep(5)
}

test.each([
  { name: 'was blocked while commits waited', threads: [blockedThread] },
  { name: 'could not open the store', threads: [unopenedThread] },
  { name: 'failed twice in a row', threads: [failingThread, failingThread] },
])('a thread that $name is replaced, and a thread restarts the log', async ({ threads }) => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-check-point-thread-'))
  const path = join(folder, 'troupe.db')
  const database = new Database(path)
  database.run('pragma journal_mode = wal')
  database.run('pragma busy_timeout = 60000')
  database.run('create table texts (text)')
  const started: (() => Worker)[] = []
  /** The number of pages after which a commit would copy the log, recorded as each thread started. */
  const inCommits: unknown[] = []
  let pauses = 0
  const writer = {
    pause() {
      pauses += 1
    },
    resume() {
      pauses -= 1
    },
  }
  const checkPoints = new CheckPoints(database, path, writer, {
    start: () => {
      const next = threads[started.length] ?? realThread
      started.push(next)
      inCommits.push(pagesPerCommit())
      return next()
    },
    pauseMsMax: 500,
    replaceAfterMs: 1,
  })
  const pagesPerCommit = () => Object.values(database.query('pragma wal_autocheckpoint').get() as object)[0]
  const write = (mebibytes: number) => {
    database.run('insert into texts values (?)', ['x'.repeat(mebibytes * 1024 * 1024)])
    checkPoints.note()
  }

  expect(pagesPerCommit()).toBe(0)
  write(40)
  // a thread is only retried when there is something to copy
  while (started.at(-1) !== realThread || pagesPerCommit() !== 0) {
    await Bun.sleep(20)
    write(1)
  }
  // a slow machine may need more than one of the last write
  expect(started.slice(0, threads.length)).toEqual([...threads])
  expect(inCommits.slice(0, threads.length + 1)).toEqual([0, ...threads.map(() => 8_000)])
  expect(pauses).toBe(0)

  write(40)
  await until(() => statSync(`${path}-wal`).size <= 32 * 1024 * 1024)
  await checkPoints.close()
  database.close()
  await rm(folder, { recursive: true, force: true })
})
