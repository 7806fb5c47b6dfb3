/** What all areas of the API are built from, and the areas of tenancy: who belongs where, and what they own. */
import type { AnyElysia } from 'elysia'
import type { Store } from '../storage/store.ts'
import type { AuditLog } from './audit/log.ts'
import type { Revocations } from './authority/revocations.ts'
import type { SessionCredentials } from './authority/sessions.ts'
import type { Cursors } from './http/cursor.ts'
import type { Guarded } from './http/guarded.ts'
import type { Idempotency } from './http/idempotency.ts'
import type { Logger } from './operating/logger.ts'
import type { Actors } from './runtime/actors.ts'
import type { Clock } from './runtime/clock.ts'
import type { SystemAgents } from './system-agents/system-agents.ts'

export interface AreaParts {
  guarded: Guarded
  store: Store
  clock: Clock
  logger: Logger
  actors: Actors
  cursors: Cursors
  idempotency: Idempotency
  /** Hears of every change of somebody's authority, once it is committed. */
  revocations: Revocations
  sessions: SessionCredentials
  audit: AuditLog
  systemAgents: SystemAgents
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

/** One plugin per area. */
export const tenancyAreas = (_parts: AreaParts): AnyElysia[] => []
