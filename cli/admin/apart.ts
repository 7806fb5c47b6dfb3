/** Runs a long task on a store in a separate process, so that Ctrl-C ends it at once. */
import { join } from 'node:path'
import type { Findings } from '../../storage/sqlite/standing.ts'
import type { Interruption } from '../terminal/interruption.ts'

/** The tasks, each with its input and its result. */
export interface Works {
  copy: { given: { path: string; copy: string }; gives: null }
  check: { given: { path: string }; gives: Findings }
}

export type Answer<Gives> = { gives: Gives } | { error: string }

/** Rejects with the error of the task, or on an interruption. */
export async function apart<Name extends keyof Works>(
  name: Name,
  given: Works[Name]['given'],
  interruption: Pick<Interruption, 'race'>,
): Promise<Works[Name]['gives']> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'apart-main.ts'), name, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const printed = await interruption.race(new Response(child.stdout).text())
    const answer = JSON.parse(printed || '{"error":"The work ended without an answer."}') as Answer<
      Works[Name]['gives']
    >
    if ('error' in answer) throw new Error(answer.error)
    return answer.gives
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
}
