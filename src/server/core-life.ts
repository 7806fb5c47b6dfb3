/** Starts and stops the core. */
import type { Core } from './core.ts'

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
  await actors.start()
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
