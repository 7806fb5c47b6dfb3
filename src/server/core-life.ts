/** Starts and stops the core. */
import { pause } from '../platform/time/pause.ts'
import type { Core } from './core.ts'

/**
 * How long a start waits for timers and effects that are due. After a long time without a server there may be very many:
 * the others follow while it serves.
 */
const dueWorkMs = 2_000

/** The grace period of deliveries in flight at a planned stop. */
const deliveryGraceMs = 5_000
/** The further grace period of operations that were not drained. */
const invocationGraceMs = 2_000

/** Starts timers, effects, queue and runner. */
export async function startCore(core: Core) {
  const { tracing, actors, broadcasts, attempts, deliveryWork, invocations, pool } = core
  await tracing?.start()
  core.systemAgents.follow(core.hints, core.clock)
  broadcasts.start()
  const waited = new AbortController()
  await Promise.race([actors.start(), pause(core.clock, dueWorkMs, waited.signal)])
  waited.abort()
  await invocations.start()
  await deliveryWork.start()
  await attempts.start()
  pool?.start()
}

/** Hands attempts back within the grace period, and closes everything. */
export async function stopCore(core: Core, drainMs: number) {
  const {
    actors,
    broadcasts,
    attempts,
    deliveryWork,
    invocations,
    workerCalls,
    pool,
    leases,
    stays,
    store,
    members,
    revocations,
    bus,
    systemAgents,
    exclusiveness,
    tracing,
  } = core
  attempts.attemptReports.drain()
  invocations.endWaits()
  workerCalls.queues.close()
  await Promise.all([pool?.drain(drainMs), deliveryWork.stop(deliveryGraceMs)])
  // actors stop first: an invocation that an effect started later would never be executed
  await actors.stop()
  await invocations.stop(invocationGraceMs)
  attempts.stop()
  await broadcasts.stop()
  await stays.stop()
  await leases.close()
  await tracing?.stop()
  await members.leave().catch((error) => core.onError(error, 'the servers of the store'))
  await store.close()
  await revocations.close()
  systemAgents.stop()
  exclusiveness.stop()
  bus.close()
}
