/**
 * Stores the tasks of a meeting in tasks.md. `troupe dev` serves it, and so does: troupe worker worker.ts --on
 * meeting-summarizer/development
 */
import { appendFile } from 'node:fs/promises'

export const queue = 'meeting-summarizer'

export const operations = {
  'tasks.add': async ({ task, who, until }: { task: string; who?: string; until?: string }) => {
    const rest = [who && `@${who}`, until && `until ${until}`].filter(Boolean).join(', ')
    await appendFile('tasks.md', `- [ ] ${task}${rest ? ` (${rest})` : ''}\n`)
    return { added: true }
  },
}
