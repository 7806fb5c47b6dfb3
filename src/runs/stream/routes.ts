/** The live stream of a run over HTTP. Source: requirement 4.14; contract 5, "Stream". */
import { Elysia } from 'elysia'
import { streamed } from '../../platform/http/answers/streamed.ts'
import { doc } from '../../platform/http/doc.ts'
import { eventStreamOf } from '../../platform/http/event-stream.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { LastEventIdHeader } from '../../platform/http/schema.ts'
import type { RunAccess } from '../access.ts'
import { RunPath } from '../admission/request-schema.ts'
import { AgentRunEvent, StreamQuery } from './schema.ts'
import type { RunStreams } from './streams.ts'

interface StreamRoutesParts {
  guarded: Guarded
  streams: RunStreams
  access: RunAccess
}

export function streamRoutes({ guarded, streams, access }: StreamRoutesParts) {
  return new Elysia({ name: 'agent-run-stream', prefix: '/:agentRunId', tags: ['Agent runs'] }).use(guarded).get(
    '/stream',
    async ({ caller, admission, params, query, request, server, set }) => {
      const given = { ...query, lastEventId: request.headers.get('last-event-id') }
      const stream = await streams.open(caller, params.agentRunId, given, request.signal, admission)
      return streamed({ request, set, server }, stream)
    },
    {
      permission: 'agent-runs:stream',
      streaming: true,
      params: RunPath,
      find: access.finderFor('agent-runs:stream'),
      query: StreamQuery,
      headers: LastEventIdHeader,
      errors: ['limit_exceeded', 'too_many_streams'],
      detail: doc(
        'streamAgentRun',
        'Stream a run',
        'Server-sent events, numbered without gaps across attempts and continues. Each has ' +
          '`{sequence, at, attempt, agentStepId?, data}`. Without a cursor the first event is `run.snapshot`; ' +
          '`Last-Event-ID` or `after` resumes without gaps or repeats. After `end` the server closes. A reader that falls ' +
          'more than 1,000 events or 1 MiB behind gets `run.snapshot` with `gap: true`. When the credential loses ' +
          'access to the run, the last event is `end` with `{reason: "revoked"}`, without an id and a `sequence`.',
        {
          responses: {
            200: eventStreamOf(AgentRunEvent),
            204: { description: 'The run has ended, and the client has received all events.' },
          },
        },
      ),
    },
  )
}
