/** Translates SQLite's errors into the store's. */
import { SQLiteError } from 'bun:sqlite'
import { MissingReference, StoreRefused, StoreUnavailable, UniqueViolation } from '../errors.ts'

const busy = 5
const failing = 10
const damaged = 11
const full = 13
const unopened = 14
const noDatabase = 26

/** Primary result codes that make the whole store unavailable. */
const away: Record<number, string> = {
  [busy]: 'locked by another process',
  6: 'locked',
  8: 'read-only',
  [failing]: 'failing to read or write its file',
  [damaged]: 'damaged',
  [full]: 'out of disk space',
  [unopened]: 'impossible to open',
  15: 'failing to lock its file',
  [noDatabase]: 'not a database',
}

const primaryCode = (error: unknown) => (error instanceof SQLiteError ? error.errno & 0xff : undefined)

/** Whether another connection holds the lock; it may be released shortly. */
export const isLocked = (error: unknown) => primaryCode(error) === busy

/** Whether the file is not one of SQLite's. */
export const isNoDatabase = (error: unknown) => primaryCode(error) === noDatabase

/** Whether the file's content contradicts itself. */
export const isDamage = (error: unknown) => primaryCode(error) === damaged

/** Whether the file cannot be opened, as by a user who may not read it. */
export const isUnopened = (error: unknown) => primaryCode(error) === unopened

/** Disk problems by SQLite's primary result code. */
const diskTroubles: Record<number, string> = {
  [failing]: 'its disk fails, or lets no file be so large (ulimit -f)',
  [full]: 'its disk is full',
}

/**
 * A one-line refusal for the operator, if the store cannot be opened because of its disk; undefined for any other
 * error. SQLite's error may be nested as a cause.
 */
export function diskRefusal(path: string, error: unknown): StoreRefused | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const trouble = diskTroubles[primaryCode(cause) ?? 0]
    const text = `The store ${path} cannot be written: ${trouble}. Make room, or name another path in TROUPE_STORE.`
    if (trouble) return new StoreRefused(text, { cause: error })
  }
  return undefined
}

/** Whether other units of work may succeed although this one failed; on a full disk a smaller one may. */
export function isOfOneUnit(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return false
  const code = primaryCode(error)
  return code === full || code === undefined || !(code in away)
}

/** Translates an SQLite error; returns unknown errors unchanged, because they are bugs. */
export function storeFailure(error: unknown): unknown {
  if (!(error instanceof SQLiteError)) {
    return error instanceof Error && /closed database/i.test(error.message)
      ? new StoreUnavailable('The store is closed.', { cause: error })
      : error
  }
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new UniqueViolation(error.message, error.message.replace(/^.*failed: /, ''), { cause: error })
  }
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') {
    return new MissingReference('A row refers to one that is not there.', { cause: error })
  }
  const reason = away[error.errno & 0xff]
  return reason ? new StoreUnavailable(`The store is ${reason}.`, { cause: error }) : error
}
