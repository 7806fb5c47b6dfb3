/**
 * The worker thread that copies the write-ahead log into the database over its own connection, while the server's
 * thread keeps running. Started by `check-points.ts`.
 */
import { Database } from 'bun:sqlite'
import { parentPort } from 'node:worker_threads'
import type { CheckPointReply, CheckPointRequest } from './check-points.ts'

let database: Database | undefined

function answer(request: CheckPointRequest): CheckPointReply {
  if (request.type === 'open') {
    database = new Database(request.path, { readwrite: true, strict: true })
    database.run('pragma busy_timeout = 0')
    // the database file is synced before the log with the copied pages may be overwritten
    database.run('pragma synchronous = full')
    return { busy: false, failure: null }
  }
  if (request.type === 'close') {
    database?.close()
    return { busy: false, failure: null }
  }
  const statement = database?.prepare<{ busy: number }, []>(`pragma wal_checkpoint(${request.type})`)
  try {
    return { busy: statement?.get()?.busy !== 0, failure: null }
  } finally {
    statement?.finalize()
  }
}

parentPort?.on('message', (request: CheckPointRequest) => {
  let reply: CheckPointReply
  try {
    reply = answer(request)
  } catch (error) {
    reply = { busy: false, failure: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(reply)
})
