/** The log of a run over HTTP. Source: contract 13, "Logs". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { invalid } from '../../platform/http/answers/errors.ts'
import { streamed } from '../../platform/http/answers/streamed.ts'
import { doc } from '../../platform/http/doc.ts'
import { eventStreamOf, Revoked, SentEvent } from '../../platform/http/event-stream.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { beforeEnd, pageQuery } from '../../platform/http/pagination.ts'
import { LastEventIdHeader, oneOf, pageOf, Timestamp } from '../../platform/http/schema.ts'
import type { RunAccess } from '../access.ts'
import { RunPath } from '../admission/request-schema.ts'
import { RunEnd } from '../stream/schema.ts'
import type { RunStreams } from '../stream/streams.ts'
import { loggedTypes, logLevels } from './lines.ts'
import { linesOfStream, type RunLogs } from './logs.ts'

const RunLogLine = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: 'The number of the event in the stream of the run.' }),
    at: Timestamp(),
    level: oneOf(logLevels),
    source: oneOf(['server', 'runner'], { description: 'Whose line it is.' }),
    attempt: Type.Integer({ minimum: 0 }),
    agentStepId: Type.Optional(Type.Integer({ minimum: 1, description: 'The step that it is about.' })),
    message: Type.String({ description: 'At most 1,000 characters, without inputs, outputs and secrets.' }),
  },
  { $id: 'RunLogLine', description: 'A line of the log of a run.' },
)

const RunLogEvent = Type.Union([SentEvent('line', RunLogLine), RunEnd, Revoked], {
  $id: 'RunLogEvent',
  description: 'An event of the stream of a log.',
})

const LogsQuery = Type.Object({
  ...pageQuery.properties,
  follow: Type.Optional(
    Type.Boolean({
      description: 'A stream of server-sent events `line` in place of a page, until the run has ended.',
    }),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The last number that the client has; default 0. A cursor goes before it.',
    }),
  ),
  last: beforeEnd('Begin this many lines before the end. Not with `cursor`, `after` or `follow`.'),
})

const otherStart = () =>
  invalid([
    {
      path: '/query/last',
      message: 'Says itself where a page begins: leave it out, or cursor, after and follow.',
    },
  ])

interface LogRoutesParts {
  guarded: Guarded
  logs: RunLogs
  streams: RunStreams
  access: RunAccess
}

export const logRoutes = ({ guarded, logs, streams, access }: LogRoutesParts) =>
  new Elysia({ name: 'agent-run-logs', prefix: '/:agentRunId', tags: ['Agent runs'] }).use(guarded).get(
    '/logs',
    async ({ caller, admission, params, query, request, server, set }) => {
      const { follow = false, ...page } = query
      const { last, cursor, after } = page
      if (last !== undefined && (follow || cursor !== undefined || after !== undefined)) throw otherStart()
      if (!follow) return await logs.list(caller, params.agentRunId, page)
      if (page.cursor !== undefined) {
        throw invalid([
          { path: '/query/cursor', message: 'Belongs to pages; with follow, use after or Last-Event-ID.' },
        ])
      }
      const answer = (lines: ReadableStream<Uint8Array> | null) => streamed({ request, set, server }, lines) as never
      if (await logs.areRemoved(caller, params.agentRunId)) return answer(null)
      const given = { after: page.after ?? 0, types: [...loggedTypes, 'end' as const], depth: 0 }
      const lastEventId = request.headers.get('last-event-id')
      const stream = await streams.open(caller, params.agentRunId, { ...given, lastEventId }, request.signal, admission)
      return answer(stream && linesOfStream(stream))
    },
    {
      permission: 'agent-runs:stream',
      streaming: true,
      params: RunPath,
      find: access.finderFor('agent-runs:stream'),
      query: LogsQuery,
      headers: LastEventIdHeader,
      response: { 200: pageOf(RunLogLine) },
      errors: ['limit_exceeded', 'too_many_streams'],
      detail: doc(
        'listAgentRunLogs',
        'Read the log of a run',
        'What the server and the runners did with the run, oldest first: transitions, steps with their durations, tokens, ' +
          'costs and errors, waits and warnings. Lines have no inputs and outputs, and go with the content of the run. With ' +
          '`last` a page begins that many lines before the end. With ' +
          '`follow=true` they come as server-sent events `line`, as long as the run is active; `Last-Event-ID` or `after` resumes.',
        {
          responses: {
            200: eventStreamOf(RunLogEvent, 'A page of lines; with `follow`, a stream of them.'),
            204: { description: 'With `follow`: the run has ended, and the client has all lines that still exist.' },
          },
        },
      ),
    },
  )
