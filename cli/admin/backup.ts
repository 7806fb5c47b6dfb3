/** `admin backup`: one consistent file of the store, while a server serves from it. */
import { closeSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { filePath } from '../../storage/open.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import { apart } from './apart.ts'

const reasons: Record<string, string> = {
  EEXIST: 'there is something already, and a backup overwrites nothing',
  ENOENT: 'its folder is not there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
}

function unwritable(file: string, error: unknown): CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new CommandError('failed', 'backup_failed', `${file} was not written: ${reasons[code] ?? message}.`)
}

/** Writes the copy under another name first, so that a file with the backup's name is always complete. */
export async function backUp(context: Context, { store }: { store: string }, file: string): Promise<void> {
  const path = filePath(store)
  const target = resolve(file)
  const draft = `${target}.${process.pid}.partial`
  if (statSync(target, { throwIfNoEntry: false })) throw unwritable(target, { code: 'EEXIST' })
  try {
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (error) {
    throw unwritable(target, error)
  }
  try {
    await context.output.wait('Copying the store', () => apart('copy', { path, copy: draft }, context.interruption))
    const { damage } = await context.output.wait('Checking the copy', () =>
      apart('check', { path: draft }, context.interruption),
    )
    if (damage.length > 0) throw new Error(`the copy is damaged (${damage[0]})`)
    // unlike a rename, this does not overwrite a file that was created meanwhile
    linkSync(draft, target)
  } catch (error) {
    if (context.signal.aborted) context.interruption.begun('backup', `No backup was made; ${target} does not exist.`)
    throw unwritable(target, error)
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  }
  const { size } = statSync(target)
  context.output.result({ file: target, bytes: size }, () => `${target}: ${(size / 1_048_576).toFixed(1)} MiB.`)
  if (!context.output.json) {
    context.output.note(
      `Keep ${path}.keys, or your TROUPE_MASTER_KEYS, elsewhere: without them its secrets cannot be read.`,
    )
  }
}
