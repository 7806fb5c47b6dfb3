/** Labels of a statechart for screen readers. */
import type { ChartEdge, ChartState, EdgeEvent } from './model.ts'

const eventText = ({ event, isDeadline, guards }: EdgeEvent) =>
  `${isDeadline ? 'after ' : ''}${event}${guards.length > 0 ? ` if ${guards.join(' or ')}` : ''}`

/** `State running, current state, entered 3 times` */
export function stateLabel({ name, isInitial, isFinal }: ChartState, active: boolean, visits: number): string {
  const words = [`State ${name}`]
  if (active) words.push('current state')
  if (isInitial) words.push('initial')
  if (isFinal) words.push('final')
  if (visits > 0) words.push(`entered ${visits} ${visits === 1 ? 'time' : 'times'}`)
  return words.join(', ')
}

/** `From queued to acquiring on leaseRequested` */
export function edgeLabel({ from, to, events }: ChartEdge, moves: number): string {
  const on = events.map(eventText).join('; ')
  const taken = moves > 0 ? `, taken ${moves} ${moves === 1 ? 'time' : 'times'}` : ''
  return `${from === to ? `Stays in ${from}` : `From ${from} to ${to}`} on ${on}${taken}`
}
