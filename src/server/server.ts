/** The server: the core behind the HTTP app, listening. `program.ts` starts and stops it. */

import { charts } from '../../machines/charts/all.ts'
import packageJson from '../../package.json'
import { projectTemplate } from '../authoring/templates/copy.ts'
import { contractEndCheck } from '../billing/service.ts'
import { type Config, publicUrlOf } from '../config.ts'
import { originalOf } from '../platform/http/answers/head.ts'
import { schemaWorkers } from '../platform/json-schemas/checks.ts'
import type { Members } from '../platform/members/members.ts'
import type { HealthChecks } from '../platform/operating/health.ts'
import { Housekeeping } from '../platform/operating/housekeeping.ts'
import { HttpLatency } from '../platform/operating/latency.ts'
import { Lifecycle } from '../platform/operating/lifecycle.ts'
import type { Logger } from '../platform/operating/logger.ts'
import { registerMemberMetrics } from '../platform/operating/member-metrics.ts'
import { MetricsAccess } from '../platform/operating/metrics-access.ts'
import { holdPort } from '../platform/operating/port.ts'
import { registerProcessMetrics } from '../platform/operating/process-metrics.ts'
import { Registry, readGauge } from '../platform/operating/prometheus.ts'
import { registerStoreMetrics } from '../platform/operating/store-metrics.ts'
import { WriteProof } from '../platform/operating/write-proof.ts'
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { registerTraceMetrics } from '../platform/tracing/metrics.ts'
import { errorShapes } from '../protocols/error-shapes.ts'
import { createRuns } from '../runs/service.ts'
import { type FirstCredentials, firstStart } from '../tenancy/setup/first-start.ts'
import { openAccess } from './access.ts'
import { type App, createApp } from './app.ts'
import { type AreaParts, allAreas } from './area-parts.ts'
import { type Core, openCore } from './core.ts'
import { startCore, stopCore } from './core-life.ts'
import { maintenanceOf } from './maintenance.ts'

/** Together with the other grace periods of a stop less than 19 seconds, after which the process ends in any case. */
const drainMs = 13_000
/** How long the server reports not ready before it closes its port, so that proxies notice; only if other servers remain. */
const patienceOfProxiesMs = 3_000
/** The grace period of requests on the last connections. */
const lastRequestsMs = 500
/** The longest wait for the store to say who else serves. */
const lookMs = 1_000
/** The grace period of mails at a planned stop. */
const mailGraceMs = 2_000

export interface RunningServer {
  /** The address on which it listens, for people. */
  url: string
  publicUrl: string
  /** Takes no more work, hands back attempts, and closes everything. */
  stop(): Promise<void>
}

/** The credentials that a first start creates, and the token of runners unless the operator has set one. */
export interface FirstSecrets extends FirstCredentials {
  generatedRunnerToken: string | null
}

interface Surroundings {
  /** Omitted: the machine's clock. */
  clock?: Clock
  /** How long it keeps serving while not ready, if other servers remain; omitted: three seconds. */
  leavingMs?: number
  /** Shows the secrets of a first start; awaited before they become valid, so that a crash loses none. */
  show?: (secrets: FirstSecrets) => Promise<void>
}

/**
 * Starts the server. Steps that may fail come first: the port is bound before anything is created, and the first
 * credentials are shown and created last. Throws with one line for the operator.
 */
export async function startServer(
  config: Config,
  logger: Logger,
  { clock = systemClock, leavingMs = patienceOfProxiesMs, show = async () => {} }: Surroundings = {},
): Promise<RunningServer> {
  const held = holdPort(config)
  const listeningUrl = () => publicUrlOf(config, app.server?.port ?? config.port)
  const core = await openCore({ config, logger, clock, listeningUrl })
  const { store, actors, mails, cursors, ring } = core
  const { version } = packageJson

  const lifecycle = new Lifecycle()
  const access = await openAccess({
    config,
    core,
    ring,
    clock,
    logger,
    lifecycle,
    socketAddressOf: (request) => app.server?.requestIP(originalOf(request))?.address,
  })
  const publicUrl = publicUrlOf(config, config.port)

  const registry = new Registry()
  const latency = new HttpLatency()
  latency.register(registry)
  registerStoreMetrics(registry, store, actors)
  readGauge(registry, 'troupe_open_streams', 'Open event streams.', () => access.forAreas.streams.statistics.streams)
  registerProcessMetrics(registry)
  if (core.tracing) registerTraceMetrics(registry, core.tracing)
  registerMemberMetrics(registry, core, version)

  const runs = createRuns({
    bus: core.bus,
    store,
    actors,
    clock,
    cursors,
    idempotency: core.idempotency,
    starts: core.starts,
    forks: core.forks,
    queuedInputs: core.queuedInputs,
    bindings: core.modelBindings,
    reserve: core.billing.usage.reserve,
    pins: core.pins,
    approvals: core.calls,
    prices: core.prices,
    onDamaged: (damage) => core.onError(damage, 'a stored record'),
  })
  const areaParts: AreaParts = {
    ...core,
    ...access.forAreas,
    tokens: access.tokens,
    createOrganizations: config.createOrganizations,
    auditRetentionDays: config.auditRetentionDays,
    eventRetentionDays: config.eventRetentionDays,
    operationRetentionDays: config.operationRetentionDays,
    runRetentionDays: config.runRetentionDays,
    logger,
    registry,
    runs,
    assertContractEnded: contractEndCheck(core),
    findTemplate: projectTemplate,
    charts,
    publicUrl: listeningUrl,
  }
  for (const { metrics } of allAreas) metrics?.(areaParts)
  const app: App = createApp({
    guarded: access.forAreas.guarded,
    logger,
    latency,
    clock,
    lifecycle,
    registry,
    metricsAccess: new MetricsAccess({ token: config.metricsToken, ...access.forAreas }),
    checks: readinessChecks(core),
    facts: { members: core.members, dueSince: () => actors.timers.dueSince(), now: () => clock.now() },
    publicUrl,
    version,
    embedAncestors: config.embedAncestors,
    tracing: core.tracing,
    errorShapes,
    areas: allAreas.map(({ routes }) => routes(areaParts)),
  })

  const housekeeping = new Housekeeping(clock, maintenanceOf(areaParts), config.sweepIntervalMs, core.onError, (name) =>
    core.members.owns(name),
  )
  housekeeping.register(registry)

  await startCore(core)
  housekeeping.start()
  const { warning } = await firstStart(
    store,
    clock,
    {
      ownerEmail: config.ownerEmail,
      ...(config.ownerPassword ? { ownerPassword: config.ownerPassword.reveal() } : {}),
      ...(config.bootstrapApiKey ? { bootstrapApiKey: config.bootstrapApiKey.reveal() } : {}),
    },
    (made) => show({ ...made, generatedRunnerToken: config.runnerToken ? null : access.runnerToken }),
  )
  if (warning) logger.warn(warning)
  held.handTo(() => app.listen({ port: config.port, hostname: config.host }))
  const { port } = app.server as { port: number }
  // the links of mails contain the port
  mails?.start()

  return {
    url: `http://${reachable(config.host)}:${port}`,
    publicUrl: publicUrlOf(config, port),
    async stop() {
      const until = performance.now() + drainMs
      const leaveMs = (await hasOthers(core.members)) ? leavingMs : 0
      if (leaveMs > 0) {
        lifecycle.leave()
        await Bun.sleep(leaveMs)
        // proxies that do not ask who is ready go to another server where they are let in
        void app.server?.stop()
        await Bun.sleep(lastRequestsMs)
      }
      lifecycle.drain()
      const retired = core.members.retire()
      runs.streams.close()
      runs.changes.close()
      runs.outcomes.close()
      await housekeeping.stop()
      await retired
      await mails?.stop(mailGraceMs)
      await core.audit.flush()
      await stopCore(core, Math.max(0, until - performance.now()))
      access.close()
      await app.stop(true)
      schemaWorkers.close()
    },
  }
}

/** The host of an address that leads to this one: all addresses include that of the machine itself. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/**
 * Whether other servers share the store. One that joined within the last seconds is known only to the store; if the
 * store does not answer soon, the last heartbeat decides.
 */
async function hasOthers(members: Members): Promise<boolean> {
  if (!members.isShared) return false
  const known = members.living
  const living = await Promise.race([members.look(), Bun.sleep(lookMs).then(() => known)]).catch(() => known)
  return living.size > 1
}

/** The checks of readiness. */
const readinessChecks = ({ store, clock, redisUrl, leases, pool }: Core): HealthChecks => ({
  store: new WriteProof({ store, clock }).check,
  ...(redisUrl && {
    redis: async () => {
      const health = await leases.health()
      if (health !== 'ok') throw new Error(health)
    },
  }),
  ...(pool && {
    runner: () => {
      if (pool.statistics().failing) throw new Error('The embedded runner does not get work.')
    },
  }),
})
