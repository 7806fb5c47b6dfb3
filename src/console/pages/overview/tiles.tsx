/** Current figures: queue, running, waiting, failed, minutes. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ApiFailure } from '../../api/failure.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'
import { durationText, useNow } from '../../ui/time.tsx'
import { endedIn, livingIn, type Scope, type Statistics } from './figures.ts'

export const whole = new Intl.NumberFormat('en')
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

interface TileProps {
  title: string
  value: ReactNode
  about?: ReactNode
  href?: string
  tone?: 'good' | 'bad' | 'waiting' | undefined
}

export function Tile({ title, value, about, href, tone }: TileProps) {
  return (
    <li className={tone ? `surface overview-tile overview-tile-${tone}` : 'surface overview-tile'}>
      <span className="overview-tile-title">{href ? <Link href={href}>{title}</Link> : title}</span>
      <strong className="overview-tile-value number">{value}</strong>
      {about && <span className="overview-tile-about">{about}</span>}
    </li>
  )
}

/** Text of a tile without a value. */
export function missing({ failure }: { failure: ApiFailure | undefined }): string {
  if (failure?.permission) return `Requires ${failure.permission}`
  return failure ? failure.message : 'Loading'
}

interface RunsTileProps {
  place: Place
  /** The scope. */
  scope: Scope
  statistics: Statistics
}

/** Address of the list of the counted runs, in the same scope. */
export function runsAt(place: Place, { projectId, environmentId }: Scope, query: Record<string, string>): string {
  const there = projectId && environmentId ? { ...place, projectId, environmentId } : place
  const narrowed = projectId && !environmentId ? { projectId, ...query } : query
  const text = new URLSearchParams(narrowed).toString()
  return at(there, 'runs') + (text && `?${text}`)
}

export function QueueTile({ place, scope, statistics: { current } }: RunsTileProps) {
  const now = useNow()
  const { queued, oldestQueuedAt } = current
  const waits = oldestQueuedAt === null ? undefined : Math.max(0, now - Date.parse(oldestQueuedAt))
  return (
    <Tile
      title="Queued"
      href={runsAt(place, scope, { states: 'queued' })}
      tone={queued > 0 ? 'waiting' : undefined}
      value={whole.format(queued)}
      about={waits === undefined ? 'The queue is empty' : `Oldest queued for ${durationText(waits)}`}
    />
  )
}

export function AtWorkTile({ place, scope, statistics: { current } }: RunsTileProps) {
  const { acquiring, starting, canceling } = current
  const started = acquiring + starting
  const winding = canceling > 0 ? `, ${whole.format(canceling)} canceling` : ''
  return (
    <Tile
      title="Running"
      href={runsAt(place, scope, { states: 'acquiring,starting,running,canceling' })}
      value={whole.format(livingIn(current).atWork)}
      about={`${whole.format(started)} starting${winding}`}
    />
  )
}

export function WaitingTile({ place, scope, statistics: { current } }: RunsTileProps) {
  const { waiting } = livingIn(current)
  return (
    <Tile
      title="Waiting"
      href={runsAt(place, scope, { states: 'awaitingToolResult,awaitingDelegateResult' })}
      tone={waiting > 0 ? 'waiting' : undefined}
      value={whole.format(waiting)}
      about="For answers, approvals, delegates"
    />
  )
}

export function FailedTile({ place, scope, statistics: { totals, from, to } }: RunsTileProps) {
  const { failed } = totals
  const ended = endedIn(totals)
  return (
    <Tile
      title="Failed runs"
      href={runsAt(place, scope, { states: 'failed', endedSince: from, endedUntil: to })}
      tone={failed > 0 ? 'bad' : undefined}
      value={whole.format(failed)}
      about={ended > 0 ? `${number.format((failed / ended) * 100)} % of ended runs` : 'No ended runs'}
    />
  )
}

export function MinutesTile({ place }: { place: Place }) {
  const api = useApi()
  const usage = useResource(['billing', 'usage'], (options) =>
    api.v1.organizations({ organizationIdOrSlug: place.organization }).billing.usage.get(options),
  )
  const minutes = usage.value?.minutes
  return (
    <Tile
      title="Minutes used"
      href={at({ organization: place.organization }, 'settings', 'billing')}
      tone={minutes?.remaining === 0 ? 'bad' : undefined}
      value={minutes ? number.format(minutes.used) : '–'}
      about={
        minutes
          ? minutes.budget === null
            ? 'In this period, no limit'
            : `Of ${number.format(minutes.budget)} in this period`
          : missing(usage)
      }
    />
  )
}
