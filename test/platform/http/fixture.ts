/** The app for tests: two keys, a runner, and an area of its own. */
import { Registry } from 'prom-client'
import { invalidApiKey, invalidAttemptToken, unauthenticated } from '../../../src/platform/http/answers/errors.ts'
import type { Authenticator, Caller, RunnerCredentials } from '../../../src/platform/http/guard/caller.ts'
import { createGuarded } from '../../../src/platform/http/guard/guarded.ts'
import type { GuardParts } from '../../../src/platform/http/guard/parts.ts'
import { type Permission, permissions } from '../../../src/platform/http/guard/permissions.ts'
import { HttpLatency } from '../../../src/platform/operating/latency.ts'
import { Lifecycle } from '../../../src/platform/operating/lifecycle.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import { type AppParts, createApp } from '../../../src/server/app.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { authenticatorOf, callerWith } from '../../support/callers.ts'
import { runners, thingId, things } from './things.ts'

export { mebibyte, otherThingId, thingId } from './things.ts'

export const allKey = 'all'
export const noneKey = 'none'

const callerOf = (allowed: readonly Permission[]): Caller =>
  callerWith({
    principal: { type: 'apiKey', id: 'key_01h455vb4pex5vsknk084sn02q' },
    userId: 'usr_01h455vb4pex5vsknk084sn02q',
    organizationId: 'org_01h455vb4pex5vsknk084sn02q',
    permissions: new Set(allowed),
  })

/** Two keys, one with all permissions and one with none; `later` answers with a promise. */
export function authenticator(later = false): Authenticator {
  const callers: Record<string, Caller> = { [allKey]: callerOf(permissions), [noneKey]: callerOf([]) }
  const find = (authorization: string | null): Caller => {
    const [, key] = /^Bearer (.+)$/.exec(authorization ?? '') ?? []
    if (!key) throw unauthenticated()
    const caller = Object.hasOwn(callers, key) ? callers[key] : undefined
    if (!caller) throw invalidApiKey()
    return caller
  }
  return authenticatorOf((authorization) =>
    later ? Promise.resolve().then(() => find(authorization)) : find(authorization),
  )
}

const runnerCredentials: RunnerCredentials = {
  registration(authorization) {
    if (authorization !== 'Bearer runner') throw invalidAttemptToken()
    return { poolId: 'rpl_1', tokenId: 'rtk_1', organizationId: null, endsAt: Number.POSITIVE_INFINITY }
  },
  attempt(authorization) {
    if (authorization !== 'Bearer attempt') throw invalidAttemptToken()
    return { agentRunId: thingId, attemptId: 'att_1', agentRevisionId: 'agr_1', fencingToken: 7 }
  },
}

/** Lines of the log, as objects. */
type LogLines = Record<string, unknown>[]

/** The app and the parts that a test controls. */
export function testApp(overrides: Partial<AppParts & GuardParts> & { level?: 'debug' | 'info' } = {}) {
  const lifecycle = new Lifecycle()
  const lines: LogLines = []
  const logger = createLogger(overrides.level ?? 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  const guarded = createGuarded({ authenticator: authenticator(), runnerCredentials, lifecycle, ...overrides })
  const latency = new HttpLatency()
  const registry = new Registry()
  const clock = new HandClock()
  latency.register(registry)
  const app = createApp({
    guarded,
    lifecycle,
    logger,
    latency,
    clock,
    registry,
    checks: {},
    publicUrl: 'https://troupe.test',
    version: '1.2.3',
    areas: [things(guarded), runners(guarded)],
    ...overrides,
  })
  return { app, clock, lifecycle, lines, registry, guarded }
}
