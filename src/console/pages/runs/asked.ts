/** What was asked here and is in no checkpoint yet: it is shown at once, and gives way to the run's own record. */
import { useState } from 'react'
import type { PresentedRun } from '../../../runs/present.ts'
import type { Part } from './messages.ts'
import type { UsedFeed } from './use-feed.ts'
import { useLatest } from './use-latest.ts'

export interface Asked {
  /** How many messages of people come before it. */
  after: number
  parts: Part[]
}

const isFromUser = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'role' in message && message.role === 'user'

export function useAsked(runId: string, used: UsedFeed, first: Part[] = []) {
  const [asked, setAsked] = useState<Asked[]>(first.length > 0 ? [{ after: 0, parts: first }] : [])
  const latest = useLatest(runId, used)
  const stored = latest.value?.runtimeCheckpoint.messages.filter(isFromUser).length ?? 0
  const said = Math.max(stored, ...asked.map(({ after }) => after + 1))
  return {
    asked,
    say: (text: string) => setAsked([...asked, { after: said, parts: [{ kind: 'text', text }] }]),
  }
}

/** Whose move it is. */
export type WaitsFor = 'people' | 'approvals' | 'agents'

/** Calls that people answer come first: a message would be taken for a result. */
export function waitsFor({ awaiting }: PresentedRun): WaitsFor | undefined {
  if (!awaiting) return undefined
  if (awaiting.pending.some(({ invocationId }) => invocationId === undefined)) return 'people'
  return awaiting.pending.some(({ approvalId }) => approvalId !== undefined) ? 'approvals' : 'agents'
}
