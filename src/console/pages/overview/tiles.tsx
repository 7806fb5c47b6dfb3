/** The present in a few numbers: the queue, what waits for people, minutes, deliveries that have failed. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PresentedRun } from '../../../runs/present.ts'
import type { ApiFailure } from '../../api/failure.ts'
import { useApi } from '../../data/context.ts'
import { type Resource, useRefreshEvery, useResource } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'
import { durationText, useNow } from '../../ui/time.tsx'
import { countsOf } from './figures.ts'
import type { Scope } from './recent-runs.ts'

const everyMs = 10_000
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
    <li className={tone ? `overview-tile overview-tile-${tone}` : 'overview-tile'}>
      <span className="overview-tile-title">{href ? <Link href={href}>{title}</Link> : title}</span>
      <strong className="overview-tile-value number">{value}</strong>
      {about && <span className="overview-tile-about">{about}</span>}
    </li>
  )
}

/** What a tile says when it has no value. */
function missing({ failure }: { failure: ApiFailure | undefined }): string {
  if (failure?.permission) return `Takes ${failure.permission}`
  return failure ? failure.message : 'Loading'
}

export function QueueTile({ place, scope }: { place: Place; scope: Scope }) {
  const api = useApi()
  const now = useNow()
  const queued = useResource(['runs', 'queue', scope.projectId, scope.environmentId], (options) =>
    api.v1['agent-runs'].get({
      ...options,
      query: { states: ['queued'], sort: 'createdAt', order: 'asc', limit: 100, ...scope },
    }),
  )
  useRefreshEvery(everyMs, queued.refresh)
  const { agentRuns, pagination } = queued.value ?? {}
  const oldest = agentRuns?.[0]
  return (
    <Tile
      title="In the queue"
      href={`${at(place, 'runs')}?states=queued`}
      tone={oldest ? 'waiting' : undefined}
      value={agentRuns ? `${agentRuns.length}${pagination?.hasMore ? '+' : ''}` : '–'}
      about={
        agentRuns
          ? oldest
            ? `The oldest waits ${durationText(Math.max(0, now - Date.parse(oldest.createdAt)))}`
            : 'Nobody waits'
          : missing(queued)
      }
    />
  )
}

export function WaitingTile({ place, runs }: { place: Place; runs: readonly PresentedRun[] }) {
  const { waiting } = countsOf(runs)
  return (
    <Tile
      title="Waiting for somebody"
      href={`${at(place, 'runs')}?states=awaitingToolResult,awaitingDelegateResult`}
      tone={waiting > 0 ? 'waiting' : undefined}
      value={waiting}
      about="For answers, approvals, delegates"
    />
  )
}

export function FailedTile({ place, runs }: { place: Place; runs: readonly PresentedRun[] }) {
  const { failed, completed } = countsOf(runs)
  const ended = failed + completed
  return (
    <Tile
      title="Failed runs"
      href={`${at(place, 'runs')}?states=failed`}
      tone={failed > 0 ? 'bad' : undefined}
      value={failed}
      about={ended > 0 ? `${number.format((failed / ended) * 100)} % of those that ended` : 'None has ended'}
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
            ? 'In this period, without a bound'
            : `Of ${number.format(minutes.budget)} in this period`
          : missing(usage)
      }
    />
  )
}

export interface FailedDeliveries {
  failed: number
  looked: number
}

export function DeliveriesTile({ place, deliveries }: { place: Place; deliveries: Resource<FailedDeliveries> }) {
  const { value } = deliveries
  return (
    <Tile
      title="Failed deliveries"
      href={at(place, 'webhooks')}
      tone={value && value.failed > 0 ? 'bad' : undefined}
      value={value ? value.failed : '–'}
      about={value ? `Of the latest ${value.looked} to webhooks` : missing(deliveries)}
    />
  )
}
