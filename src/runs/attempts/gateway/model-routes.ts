/** Routes of the model gateway. Source: contract 5, "Runner protocol". */
import { Elysia } from 'elysia'
import { streamed } from '../../../platform/http/answers/streamed.ts'
import { doc } from '../../../platform/http/doc.ts'
import { linesOf } from '../../../platform/http/event-stream.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { assertOwn, type Reporting } from '../reports/reporting.ts'
import { AttemptPath } from '../schema.ts'
import type { ModelCalls } from './model-calls.ts'
import { ModelCallBody, ModelCallLine, type ModelCallLines, modelLineDescription } from './model-schema.ts'

interface AttemptModelRoutesParts {
  guarded: Guarded
  report: Reporting
  modelCalls: ModelCalls
}

/** The limit on a conversation, equal to that of a checkpoint. */
const bodyBytesMax = 32 * 1024 * 1024

export const attemptModelRoutes = ({ guarded, report, modelCalls }: AttemptModelRoutesParts) =>
  new Elysia({
    name: 'attempt-models',
    prefix: '/agent-runs/:agentRunId/attempts/:attemptId',
    tags: ['Runner protocol'],
  })
    .use(guarded)
    .post(
      '/model/stream',
      ({ attempt, params, body, request, server, set }) =>
        report(attempt, params, async () => {
          const { agentStepId, messages, tools = [] } = body as ModelCallLines
          const stream = await modelCalls.open(attempt, { agentStepId, messages, tools }, request.signal)
          return streamed({ request, set, server }, stream, 'application/x-ndjson')
        }),
      {
        runner: 'attempt',
        params: AttemptPath,
        find: assertOwn,
        body: ModelCallBody,
        bodyLimit: bodyBytesMax,
        errors: ['stale_attempt', 'not_found', 'limit_exceeded'],
        detail: doc(
          'streamAttemptModel',
          'Call the model of an agent',
          'The run determines the model, key, instructions and settings; the runner adds messages and tools. An attempt has ' +
            'one call at a time: a new call replaces the previous one. The token usage of the call is recorded for the ' +
            'step, also if the call is aborted, and overrides the usage that the runner reports.',
          {
            responses: {
              200: linesOf(ModelCallLine, modelLineDescription),
            },
          },
        ),
      },
    )
