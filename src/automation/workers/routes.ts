/** The lease protocol of workers, and the list of workers by queue. Source: contract 11, "Workers". */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { CallerNow } from '../../platform/http/guard/caller.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf } from '../../platform/http/schema.ts'
import {
  CompleteAllBody,
  CompleteBody,
  Completed,
  CompletedAll,
  HeartbeatBody,
  LeaseBody,
  Prolonged,
  WorkerCallPath,
  WorkerLeases,
  Workers,
} from './schema.ts'
import type { WorkerService } from './service.ts'

interface WorkerRouteParts {
  guarded: Guarded
  workers: WorkerService
  callerNow: CallerNow
}

export function workerRoutes({ guarded, workers, callerNow }: WorkerRouteParts) {
  const find = ({ caller, params }: Naming<typeof WorkerCallPath>) => workers.find(caller, params)
  const serves = { permission: 'workers:serve', resource: null } as const
  const reports = { ...serves, params: WorkerCallPath, find } as const
  return new Elysia({
    name: 'workers',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/workers',
    tags: ['Workers'],
  })
    .use(guarded)
    .get('', async ({ caller, params }) => ({ data: await workers.show(caller, params) }), {
      permission: 'operation-invocations:list',
      params: EnvironmentPath,
      response: { 200: dataOf(Workers) },
      detail: doc(
        'listWorkers',
        'List workers and queues',
        'Workers that asked or reported within the last minute, at any server, and what waits in the queues.',
      ),
    })
    .post(
      '/leases',
      async ({ caller, params, body, request, set }) => {
        const [lease, ...more] = await workers.lease(caller, params, body, request.signal, callerNow)
        if (lease) return { data: { lease, more } }
        set.status = 204
        return undefined as never
      },
      {
        ...serves,
        params: EnvironmentPath,
        body: LeaseBody,
        response: { 200: dataOf(WorkerLeases) },
        detail: doc(
          'leaseWorkerCalls',
          'Lease calls',
          'Waits for calls of the queue and leases the oldest to the worker, which makes them and answers each. Answers 204 ' +
            'if none came in time. A lease without a heartbeat is lost: the call is made again if its operation only reads or ' +
            'is idempotent, and becomes `unknown` otherwise.',
          { responses: { 204: { description: 'No call came in time.' } } },
        ),
      },
    )
    .post(
      '/complete',
      async ({ caller, params, body }) => ({ data: { items: await workers.completeAll(caller, params, body) } }),
      {
        ...serves,
        params: EnvironmentPath,
        body: CompleteAllBody,
        response: { 200: dataOf(CompletedAll) },
        detail: doc(
          'completeWorkerCalls',
          'Answer several calls',
          'Each is handled like a single answer. One that is not accepted, because its lease is lost or there is no such ' +
            'call, does not affect the others.',
        ),
      },
    )
    .post(
      '/invocations/:invocationId/heartbeat',
      async ({ caller, params, body }) => ({ data: await workers.heartbeat(caller, params, body.token) }),
      {
        ...reports,
        body: HeartbeatBody,
        response: { 200: dataOf(Prolonged) },
        errors: ['stale_lease'],
        detail: doc('heartbeatWorkerCall', 'Keep a lease', 'Send one every third of the time until `expiresAt`.'),
      },
    )
    .post(
      '/invocations/:invocationId/complete',
      async ({ caller, params, body }) => ({ data: await workers.complete(caller, params, body) }),
      {
        ...reports,
        body: CompleteBody,
        response: { 200: dataOf(Completed) },
        errors: ['stale_lease'],
        detail: doc(
          'completeWorkerCall',
          'Answer a call',
          'With an output, or with an error. A `retryable` error is tried again after a while, up to five attempts in all. ' +
            'Repeating the same answer is safe; another one is refused once the call has ended.',
        ),
      },
    )
}
