/** Expiring and expired resources of the organization as a whole: credentials, API keys, the minutes of the period. */
import { listEndingCredentials, listEndingKeys } from '../../../storage/automation/inbox.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { Part } from '../../runtime/statecharts/fleet/reach.ts'
import type { BudgetStanding } from '../budget.ts'
import type { InboxKind } from './kinds.ts'
import type { Found, Source } from './source.ts'
import { remembered, wholeSource } from './trouble.ts'

export interface EndingParts {
  store: Store
  clock: Pick<Clock, 'now'>
  budgetOf(organizationId: string): Promise<BudgetStanding>
}

/** How long before its expiry an item appears, and how long after it an expired key stays in the inbox. */
const noticeMs = 7 * dayMs
/** A key with a shorter lifetime expires as intended, so it is not shown. */
const lifeMin = 2 * dayMs
const readMax = 200
/** A percentage of the budget. */
const nearlyUsed = 80

const endingAt = (what: string, expiresAt: number, createdAt: number, now: number) => ({
  reason: expiresAt <= now ? ('expired' as const) : ('expiring' as const),
  message: expiresAt <= now ? `${what} has expired: what uses it fails.` : `${what} expires soon.`,
  since: Math.max(createdAt, expiresAt - noticeMs),
  dueAt: expiresAt,
})

async function credentials({ store, clock }: EndingParts, organizationId: string): Promise<Found[]> {
  const now = clock.now()
  const rows = await store.all(listEndingCredentials(store, { organizationId, until: now + noticeMs, limit: readMax }))
  return rows.map(({ id, label, expires_at, created_at }) => ({
    kind: 'credential',
    id,
    title: label,
    ...endingAt('The credential', Number(expires_at), Number(created_at), now),
  }))
}

async function keys({ store, clock }: EndingParts, organizationId: string): Promise<Found[]> {
  const now = clock.now()
  const span = { from: now - noticeMs, until: now + noticeMs, lifeMin, limit: readMax }
  const rows = await store.all(listEndingKeys(store, { organizationId, ...span }))
  return rows.map(({ id, name, environment_id, agent_id, expires_at, created_at }) => ({
    kind: 'apiKey',
    id,
    title: name,
    environmentId: environment_id,
    agentId: agent_id,
    ...endingAt('The key', Number(expires_at), Number(created_at), now),
  }))
}

async function budget({ budgetOf }: EndingParts, organizationId: string): Promise<Found[]> {
  const { percent, period } = await budgetOf(organizationId)
  if (percent === null || percent < nearlyUsed) return []
  const isOver = percent >= 100
  return [
    {
      kind: 'budget',
      id: organizationId,
      reason: isOver ? 'budget_exhausted' : 'budget_used',
      title: 'Minutes',
      message: isOver
        ? 'All minutes of the period are used: new runs are refused.'
        : `${Math.floor(percent)} % of the minutes of the period are used.`,
      since: period.start,
      dueAt: period.end,
      percent,
    },
  ]
}

const reads: [InboxKind, (parts: EndingParts, organizationId: string) => Promise<Found[]>][] = [
  ['credential', credentials],
  ['apiKey', keys],
  ['budget', budget],
]

/** The permission of each source applies to the organization as a whole. */
export const endingSources = (parts: EndingParts): Source[] =>
  reads.map(([kind, read]) =>
    wholeSource(
      kind,
      remembered(async ([part]: readonly Part[]) => (part ? read(parts, part.organizationId) : [])),
    ),
  )
