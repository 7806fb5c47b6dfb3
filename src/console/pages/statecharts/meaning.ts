/** The meanings of names in a statechart, as the API describes them. */
import type { Meanings } from '../../charts/use-machine.ts'
import { remainingText } from './actor/remaining.ts'

export type Source = 'command' | 'report' | 'server' | 'deadline'

export interface Sender {
  source: Source
  text: string
}

export const sourceWords: Record<Source, string> = {
  command: 'Command',
  report: 'Report',
  server: 'Server',
  deadline: 'Deadline',
}

/** `1 h by default`, or that each actor has its own. */
export const delayText = (defaultMs: number | null): string =>
  defaultMs === null ? 'set for each actor' : `${remainingText(defaultMs).replace(/ 0 (?:h|min|s)$/, '')} by default`

/** The sender of an event, and when it is sent; undefined for an event that the statechart does not have. */
export function senderOf({ events, deadlines }: Meanings, name: string): Sender | undefined {
  const deadline = deadlines.find(({ event }) => event === name)
  if (deadline) return { source: 'deadline', text: deadline.limits }
  const sent = events.find(({ event }) => event === name)
  return sent && { source: sent.by, text: sent.says }
}

export const meaningOfGuard = ({ guards }: Meanings, name: string): string | undefined =>
  guards.find(({ guard }) => guard === name)?.holdsWhen

export const meaningOfEffect = ({ effects }: Meanings, name: string): string | undefined =>
  effects.find(({ effect }) => effect === name)?.bringsAbout
