/** The server without HTTP: store, leases, actors, attempts, the embedded runner. */
import { defaultRunLimits } from '../../machines/run.ts'
import packageJson from '../../package.json'
import { integrationKind } from '../accounts/integrations/actor.ts'
import { OAuth } from '../accounts/oauth/oauth.ts'
import { Presets } from '../accounts/presets/catalogue.ts'
import { SystemAgents } from '../authoring/system-agents/system-agents.ts'
import { AlertWork } from '../automation/alerts/watch.ts'
import { ApplyWork } from '../automation/applies/apply-work.ts'
import { budgetOf } from '../automation/budget.ts'
import { entityKind } from '../automation/entities/actor.ts'
import { openAutomation } from '../automation/open.ts'
import { assertBillingSettings, OpenBilling } from '../billing/open-billing.ts'
import { loadPlans } from '../billing/plans.ts'
import type { Config } from '../config.ts'
import { Bundles } from '../delivery/deployments/bundles.ts'
import { DeploymentWork } from '../delivery/deployments/deployment-work.ts'
import { BindingsInForce } from '../delivery/deployments/in-force.ts'
import { CredentialSecrets } from '../delivery/provider-credentials/secrets.ts'
import { VariableValues } from '../delivery/variables/values.ts'
import { openEvents } from '../events/open.ts'
import { Idempotency } from '../platform/http/changes/idempotency.ts'
import { createCursors } from '../platform/http/cursor.ts'
import { loadPrices } from '../platform/models/prices/price-list.ts'
import { noPrices, Prices } from '../platform/models/prices/prices.ts'
import type { Logger } from '../platform/operating/logger.ts'
import { namespaceOf } from '../platform/redis/namespace.ts'
import { backgroundLog } from '../platform/repeats.ts'
import { deriveKey, loadMasterKeys } from '../platform/secrets/keyring.ts'
import type { Clock } from '../platform/time/clock.ts'
import { openTracing } from '../platform/tracing/open-tracing.ts'
import { BindingResolver } from '../runs/admission/bindings.ts'
import { openStarts } from '../runs/admission/open-starts.ts'
import { pinsOf } from '../runs/admission/pins.ts'
import { Attempts } from '../runs/attempts/attempts.ts'
import { openBulkActions } from '../runs/bulk-actions/open.ts'
import { QueuedInputs } from '../runs/conversations/queued-inputs.ts'
import { openForks } from '../runs/forks/open.ts'
import { streamStep } from '../runs/providers/call.ts'
import { configuredVendors } from '../runs/providers/configured.ts'
import { runAddress } from '../runs/record.ts'
import { removeRun } from '../runs/retention/removal.ts'
import { Exclusiveness } from '../runs/runner-pools/exclusiveness.ts'
import { Registrations } from '../runs/runner-pools/registrations.ts'
import { RunTraces } from '../runs/traces/run-traces.ts'
import { Actors } from '../runtime/actors.ts'
import { StateStays } from '../runtime/statecharts/fleet/stays.ts'
import { AuditLog } from '../tenancy/audit/log.ts'
import { ApiKeyCredentials } from '../tenancy/authority/api-keys.ts'
import { callerLater } from '../tenancy/authority/later.ts'
import { openRevocations } from '../tenancy/authority/open-revocations.ts'
import { DeletionWorker } from '../tenancy/deletions/deletion-worker.ts'
import { environmentKind } from '../tenancy/environments/actor.ts'
import { OrganizationRunLimits } from '../tenancy/organizations/run-limits.ts'
import { embeddedMachine, embeddedRunner, isOfDeadProcess } from './embedded-runner.ts'
import { openOutbound, openPlatform } from './platform.ts'

interface CoreParts {
  config: Config
  logger: Logger
  clock: Clock
  /** The base URL that clients use; known once the server listens. */
  listeningUrl(): string
}

/** Opens everything and resumes the work of an earlier process. Throws with one line for the operator. */
export async function openCore({ config, logger, clock, listeningUrl }: CoreParts) {
  const consoleUrl = () => config.consoleUrl ?? listeningUrl()
  const onError = backgroundLog(logger, clock)
  const { baseUrls, platform } = configuredVendors(config)
  const { outboundPolicy, outbound } = await openOutbound(config, logger)
  assertBillingSettings(config)
  const plans = loadPlans(config.plansFile)
  const prices = config.pricesFile === null ? noPrices : new Prices(loadPrices(config.pricesFile))
  const presets = await Presets.open(config, listeningUrl)
  // creates the file of the keys: after all settings were read
  const ring = loadMasterKeys(config)
  const platformParts = { config, logger, clock, ring, consoleUrl, onError }
  const { store, members, bus, hints, vault, mails, redisUrl, leases } = await openPlatform(platformParts)
  const tracing = await openTracing({ settings: config, store, clock, logger, members, onError })
  const actors = new Actors({ store, clock, share: members, bus, onError })
  const base = { store, clock, actors }
  const systemAgents = await SystemAgents.publish(store, clock)

  const machineId = embeddedMachine(members)
  const bundles = new Bundles(store)
  const secrets = {
    credentials: new CredentialSecrets({ store, clock, vault }),
    variables: new VariableValues({ store, vault }),
  }
  const namespace = namespaceOf(members)
  const revocations = await openRevocations({ redisUrl, namespace, now: () => clock.now(), log: logger })
  revocations.listen(({ organizationId, removed }) => {
    if (removed && organizationId !== undefined) vault.forget(organizationId)
  })
  const audit = new AuditLog({ store, clock, logger })
  const oauth = new OAuth({
    store,
    clock,
    vault,
    ring,
    logger,
    outbound,
    presets,
    audit,
    publicUrl: listeningUrl,
    consoleUrl: config.consoleUrl,
  })
  const bindings = new BindingsInForce({ store, secrets: { ...secrets, grants: oauth.deployed } })
  const billing = await OpenBilling.open({
    settings: config,
    plans,
    ...base,
    logger,
    ring,
    publicUrl: listeningUrl,
  })
  const idempotency = new Idempotency({ store, clock })
  const modelBindings = new BindingResolver({ platform, baseUrls, credentials: secrets.credentials })
  const runLimits = new OrganizationRunLimits({ store, clock, revocations })
  const admission = {
    ...base,
    idempotency,
    bindings: modelBindings,
    systemAgents,
    reserve: billing.usage.reserve,
    prices,
    runLimits,
    contentRetentionDays: config.contentRetentionDays,
    version: packageJson.version,
  }
  const starts = openStarts({ ...admission, bundles, tracing })
  const automation = openAutomation({
    ...base,
    hints,
    starts,
    bundles,
    http: { outbound, ...secrets, grants: oauth.tokens },
    approvalTtlMs: config.approvalTtlMs,
    workerLeaseMs: config.workerLeaseMs,
    tracing,
    members,
    onError,
  })
  const { invocations, workerCalls, jobWork, workflowWork, workflowStarts, calls } = automation
  const queuedInputs = new QueuedInputs({ store, actors, reserve: billing.usage.reserve, onError })
  const exclusiveness = new Exclusiveness({ store, clock, revocations, onError })
  await exclusiveness.refresh()
  const registrations = new Registrations({ store, clock, revocations, logger })
  const pins = pinsOf({ systemAgents, bundles, credentials: secrets.credentials, bindings, platform, baseUrls })
  const attempts = new Attempts({
    ...base,
    leases,
    hints,
    limits: {
      ...defaultRunLimits,
      backOffMs: config.attemptBackoffMs,
      queueTtlMs: config.queueTtlMs,
      awaitTtlMs: config.awaitTtlMs,
      activeLimitMs: config.activeLimitMs,
      cancelGraceMs: config.cancelGraceMs,
    },
    leaseTtlMs: config.leaseTtlMs,
    pins,
    periodOf: billing.usage.periodOf,
    reserve: billing.usage.reserve,
    prices,
    queuedInputs,
    streamStep,
    operations: automation.toolCalls,
    approvals: calls,
    exclusiveness,
    revocations,
    isRevoked: (tokenId) => registrations.isRevoked(tokenId),
    isGone: (machine) => isOfDeadProcess(members, machine),
    traces: tracing && new RunTraces(tracing),
    members,
    onDamaged: (damage) => onError(damage, 'a checkpoint'),
    onError,
  })
  const removal = new DeletionWorker({ store, actors, revocations, runs: { address: runAddress, remove: removeRun } })
  const deploymentWork = new DeploymentWork({ store, clock, actors, secrets: { ...secrets, grants: oauth.deployed } })
  const events = openEvents({
    settings: config,
    store,
    members,
    hints,
    clock,
    actors,
    logger,
    vault,
    outbound,
    notices: mails?.notices ?? null,
    tracing,
    onError,
  })
  const { broadcasts, eventRetention, deliveryWork, recoveryWork } = events
  const cursors = createCursors(deriveKey(ring, 'cursors'))
  const later = callerLater({ store, clock, apiKeys: new ApiKeyCredentials({ store, clock, logger }) })
  const applyWork = new ApplyWork({
    ...base,
    cursors,
    vault,
    audit,
    outboundPolicy,
    baseUrls,
    systemAgents,
    revocations,
    billing,
    deliveryWork,
    starts,
    bundles,
    workflowStarts,
    callerLater: later,
    onError,
  })
  const alertWork = new AlertWork({ ...base, notices: mails?.notices ?? null, budgetOf: budgetOf(billing), onError })
  const forks = openForks({ ...admission, tracing, onError })
  const bulkWork = openBulkActions({ ...admission, starts, audit, callerLater: later, approvals: calls, forks })
  const kinds = [
    attempts.kind,
    bulkWork.kind,
    environmentKind,
    deploymentWork.kind,
    applyWork.kind,
    deliveryWork.kind,
    recoveryWork.kind,
    invocations.kind,
    workerCalls.kind,
    jobWork.kind,
    workflowWork.kind,
    alertWork.kind,
    billing.work.kind,
    removal.kind,
    entityKind,
    integrationKind,
  ]
  actors.register(kinds)
  const stays = new StateStays({ store, clock, actors, onError })
  const pool = embeddedRunner({ config, attempts, starts, machineId, outbound, clock, logger })

  return {
    clock,
    ring,
    store,
    members,
    bus,
    hints,
    tracing,
    vault,
    revocations,
    registrations,
    audit,
    presets,
    consoleUrl,
    idempotency,
    systemAgents,
    mails,
    broadcasts,
    eventRetention,
    leases,
    redisUrl,
    attempts,
    pins,
    exclusiveness,
    removal,
    deploymentWork,
    applyWork,
    cursors,
    ...automation,
    alertWork,
    bulkWork,
    callerLater: later,
    deliveryWork,
    recoveryWork,
    billing,
    bundles,
    starts,
    forks,
    queuedInputs,
    modelBindings,
    secrets,
    oauth,
    outbound,
    outboundPolicy,
    actors,
    kinds,
    stays,
    pool,
    platform,
    baseUrls,
    prices,
    onError,
  }
}
export type Core = Awaited<ReturnType<typeof openCore>>
