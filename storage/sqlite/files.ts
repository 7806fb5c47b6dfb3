/**
 * Makes sure that the store's files exist, are writable, and cannot be read by other users. They hold the data of every
 * tenant, so they are 0600 and their folder 0700. Source: contract 9, "The store's files".
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { StoreRefused } from '../errors.ts'
import { assertOwnFile } from './foreign.ts'

/** Suffixes of the files next to the database. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal', '.keys']
const others = 0o077
const ownFile = 0o600
const ownFolder = 0o700

const reasons: Record<string, string> = {
  EACCES: 'read-only to this user',
  EPERM: 'read-only to this user',
  EROFS: 'read-only, for its file system is',
  ENOSPC: 'out of disk space',
  EDQUOT: 'beyond the quota of this user',
  EISDIR: 'impossible to open, for its path is a folder',
}

const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code ?? ''

/** What the operator can do about it. */
const remedyFor = (cause: unknown) =>
  `${['ENOSPC', 'EDQUOT'].includes(codeOf(cause)) ? 'Make room' : 'Let the user that runs Troupe write there'}, or name another path in TROUPE_STORE.`

/** A one-line refusal for a store that cannot be written: path, reason and remedy. */
export const unwritable = (path: string, cause: unknown): StoreRefused =>
  new StoreRefused(
    `The store ${resolve(path)} cannot be opened: The store is ${reasons[codeOf(cause)] ?? `impossible to open (${codeOf(cause)})`}. ${remedyFor(cause)}`,
    { cause },
  )

const octal = ({ mode }: Stats) => (mode & 0o7777).toString(8).padStart(4, '0')

/** Whether the folder is shared with other users, like `/tmp`: the sticky bit is set. */
const isShared = ({ mode }: Stats) => (mode & 0o1000) !== 0

const isMine = ({ uid }: Stats) => uid === process.getuid?.()

/** Whether the folder contains only this store. */
function isForStore(folder: string, name: string): boolean {
  if ([process.cwd(), homedir(), '/'].includes(folder)) return false
  const own = new Set(suffixes.map((suffix) => name + suffix))
  // including drafts of the key file
  return readdirSync(folder).every((entry) => own.has(entry) || entry.startsWith(`${name}.keys.`))
}

/** Creates the store's folder if it is missing, and checks that it is writable. Throws `StoreRefused`. */
export function prepareFolder(path: string): void {
  const folder = dirname(resolve(path))
  try {
    mkdirSync(folder, { recursive: true, mode: ownFolder })
  } catch (cause) {
    const reason = (cause as Error).message
    throw new StoreRefused(`The store's folder ${folder} cannot be created: ${reason}. ${remedyFor(cause)}`, {
      cause,
    })
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/** The first bytes of every database of SQLite. */
const header = 'SQLite format 3\0'

function headerOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(header.length)
    return bytes.toString('latin1', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

/**
 * Throws `StoreRefused`, in one line, if the path leads to anything else than a store or an empty file. Writes nothing, so
 * that nothing is left beside what is not a store.
 */
export function assertStore(path: string): void {
  if (!existsSync(path)) return
  let found: string
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    found = headerOf(path)
  } catch (cause) {
    throw unwritable(path, cause)
  }
  if (found === '') return
  if (found === header) {
    assertOwnFile(path)
    return
  }
  throw new StoreRefused(
    `The store ${resolve(path)} cannot be opened: The store is not a database. Name another path in TROUPE_STORE.`,
  )
}

/**
 * Removes the permissions of other users. Returns a line for the operator, or undefined if there is nothing to report.
 */
function tightenFolder(path: string): string | undefined {
  const folder = dirname(path)
  const stats = statSync(folder)
  if ((stats.mode & others) === 0) return undefined
  if (isMine(stats) && !isShared(stats) && isForStore(folder, basename(path))) {
    chmodSync(folder, ownFolder)
    return `${folder} was ${octal(stats)} and is 0700 now`
  }
  const why = isShared(stats) ? 'is shared' : isMine(stats) ? 'holds other things as well' : 'belongs to another user'
  return `${folder} is ${octal(stats)} and stays so, since it ${why}`
}

function tightenFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const stats = statSync(path)
  if (!stats.isFile() || (stats.mode & others) === 0) return undefined
  try {
    chmodSync(path, ownFile)
    return `${path} was ${octal(stats)} and is 0600 now`
  } catch {
    return `${path} is ${octal(stats)} and belongs to another user`
  }
}

/** Creates the database as an empty file; SQLite creates its other files with the same mode. */
function touch(path: string): void {
  try {
    closeSync(openSync(path, 'a', ownFile))
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/**
 * Creates the files of a store and its folder for this user only, and removes the permissions of other users from
 * existing ones. A folder that contains other things is not changed. Returns one line for the operator, if there is
 * something to report. Throws `StoreRefused`, in one line, if the store cannot be written or is none.
 */
export function prepareFiles(path: string): string | undefined {
  assertStore(path)
  prepareFolder(path)
  touch(path)
  // if the path is a link, SQLite's files are next to its target
  const real = realpathSync(path)
  touch(`${real}.lock`)
  const files = new Set([path, real].map((each) => resolve(each)))
  const found = [
    tightenFolder(real),
    ...[...files].flatMap((file) => suffixes.map((suffix) => tightenFile(file + suffix))),
  ].filter((line) => line !== undefined)
  return found.length === 0 ? undefined : `Others could read files of the store: ${found.join('; ')}.`
}
