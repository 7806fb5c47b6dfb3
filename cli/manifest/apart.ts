/** Reads a module that exports a manifest in a process of its own: Bun never forgets a module that failed to load. */
import { join } from 'node:path'
import { CommandError } from '../terminal/exit-codes.ts'
import type { Described } from '../terminal/failure.ts'
import type { Interruption } from '../terminal/interruption.ts'
import type { Manifest } from './file.ts'

export type Answer = { manifest: Manifest } | { error: Pick<Described, 'exit' | 'code' | 'message' | 'hints'> }

/** The manifest of the module, as it and all that it imports are saved now. Throws its errors, and interruptions. */
export async function manifestApart(path: string, interruption: Pick<Interruption, 'race'>): Promise<Manifest> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const child = Bun.spawn(
    [process.execPath, '--no-orphans', '--no-install', join(import.meta.dir, 'apart-main.ts'), path],
    {
      // what the module prints is no result of the command
      stdio: ['ignore', 2, 2],
      serialization: 'json',
      ipc: resolve,
      onExit: () => reject(new CommandError('usage', 'usage', `${path} ended before it exported a manifest.`)),
    },
  )
  try {
    const answer = await interruption.race(promise)
    if ('manifest' in answer) return answer.manifest
    const { exit, code, message, hints } = answer.error
    throw new CommandError(exit, code, message, hints)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}
