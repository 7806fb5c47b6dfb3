/** The call of a worker as a kind of actor: its row, and the hint that it waits. Source: contract 11, "Workers". */
import {
  createWorkerCallMachine,
  type WorkerCallContext,
  type WorkerCallEvent,
  type WorkerCallLimits,
} from '../../../machines/worker-call.ts'
import {
  findPlaceOfWorkerCall,
  getWorkerCall,
  insertWorkerCall,
  updateWorkerCall,
} from '../../../storage/automation/worker-calls.ts'
import type { WorkerCallRow } from '../../../storage/tables.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { defineActor, isSmall } from '../../runtime/define-actor.ts'
import type { Actor, Address } from '../../runtime/kind.ts'

/** The columns of a new call besides its snapshot. */
export type WorkerCallSeed = Pick<
  WorkerCallRow,
  'id' | 'organization_id' | 'project_id' | 'environment_id' | 'agent_id' | 'queue' | 'operation'
>
export type WorkerCallActor = Actor<WorkerCallRow, WorkerCallContext>

/** The id is that of the invocation. */
export const workerCallAddress = (id: string): Address => ({ kind: 'worker-call', id })

export const workerCallKind = (limits: WorkerCallLimits, offer: (id: string) => void) =>
  defineActor<WorkerCallRow, WorkerCallContext, WorkerCallEvent, WorkerCallSeed>({
    machine: createWorkerCallMachine(limits),
    table: { get: getWorkerCall, insert: insertWorkerCall, update: updateWorkerCall },
    columns: ({ worker, cause }, { state, moves }) => {
      const completed = moves.findLast(({ event }) => event.type === 'completed' && state === 'succeeded')
      return {
        worker,
        error: cause && JSON.stringify(cause),
        ...(completed && { output: JSON.stringify((completed.event as { output?: unknown }).output ?? null) }),
      }
    },
    isKept: ({ output }) => isSmall(output),
    seeded: (seed) => ({ ...seed, output: null }),
    describe: ({ attempts, cause }) => ({ attempt: attempts, reason: cause }),
    effects: {
      offer: { hint: (_, { address }) => offer(address.id) },
    },
    view: {
      permission: 'operation-invocations:list',
      place: findPlaceOfWorkerCall,
      show: ({ repeatable, deadlineAt, attempts, worker, leaseEndsAt, canceled, cause }) => ({
        repeatable,
        deadlineAt: timestamp(deadlineAt),
        attempts,
        worker,
        leaseEndsAt: timestampOrNull(leaseEndsAt),
        canceled,
        cause,
      }),
    },
  })
