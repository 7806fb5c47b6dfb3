/** Routes by which an external runner calls operations. Source: contract 5, "Runner protocol". */
import { Elysia } from 'elysia'
import { doc } from '../../../platform/http/doc.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { dataOf } from '../../../platform/http/schema.ts'
import { assertOwn, type Reporting } from '../reports/reporting.ts'
import { AttemptPath, OperationAnswer, OperationBody } from '../schema.ts'
import type { AttemptOperations } from './operations.ts'

interface AttemptOperationRoutesParts {
  guarded: Guarded
  report: Reporting
  operations: AttemptOperations
}

export const attemptOperationRoutes = ({ guarded, report, operations }: AttemptOperationRoutesParts) =>
  new Elysia({
    name: 'attempt-operations',
    prefix: '/agent-runs/:agentRunId/attempts/:attemptId',
    tags: ['Runner protocol'],
  })
    .use(guarded)
    .post(
      '/operations',
      ({ attempt, params, body }) =>
        report(attempt, params, async () => ({ data: await operations.call(attempt, body) })),
      {
        runner: 'attempt',
        params: AttemptPath,
        find: assertOwn,
        body: OperationBody,
        response: { 200: dataOf(OperationAnswer) },
        errors: ['stale_attempt', 'not_found'],
        detail: doc(
          'callAttemptOperation',
          'Call an operation',
          'Makes the call and returns its outcome. Repeating the same call returns the first outcome.',
        ),
      },
    )
