/**
 * Stores the tutor's records about a learner in progress.jsonl. `troupe dev` serves it, and so does: troupe worker
 * worker.ts --on tutor/development
 */
import { appendFile } from 'node:fs/promises'

export const queue = 'tutor'

export const operations = {
  'progress.record': async (recorded: { skill: string; level: string; evidence?: string }) => {
    await appendFile('progress.jsonl', `${JSON.stringify({ at: new Date().toISOString(), ...recorded })}\n`)
    return { recorded: true }
  },
}
