/** Prompts sent here that no checkpoint contains yet, shown until the run's messages contain them. */
import { useState } from 'react'
import type { Part } from '../playground/messages.ts'
import { useLatest } from '../use-latest.ts'

export interface PendingPrompt {
  /** Number of user messages before it. */
  after: number
  parts: Part[]
}

const isFromUser = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'role' in message && message.role === 'user'

export function usePendingPrompts(runId: string, first: Part[] = []) {
  const [pending, setPending] = useState<PendingPrompt[]>(first.length > 0 ? [{ after: 0, parts: first }] : [])
  const latest = useLatest(runId)
  const stored = latest.value?.runtimeCheckpoint.messages.filter(isFromUser).length ?? 0
  const count = Math.max(stored, ...pending.map(({ after }) => after + 1))
  return {
    pending,
    say: (text: string) => setPending([...pending, { after: count, parts: [{ kind: 'text', text }] }]),
  }
}
