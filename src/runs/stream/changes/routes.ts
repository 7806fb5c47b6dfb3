/** The changes of runs over HTTP. */
import { Elysia } from 'elysia'
import { streamed } from '../../../platform/http/answers/streamed.ts'
import { doc } from '../../../platform/http/doc.ts'
import { eventStreamOf } from '../../../platform/http/event-stream.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { RunChangesEvent, RunChangesQuery } from '../schema.ts'
import type { RunChanges } from './changes.ts'

export const changesRoutes = ({ guarded, changes }: { guarded: Guarded; changes: RunChanges }) =>
  new Elysia({ name: 'agent-run-changes', tags: ['Agent runs'] }).use(guarded).get(
    '/changes',
    async ({ caller, admission, query, request, server, set }) => {
      const stream = await changes.open(caller, query, request.signal, admission)
      return streamed({ request, set, server }, stream)
    },
    {
      permission: 'agent-runs:list',
      streaming: true,
      query: RunChangesQuery,
      errors: ['limit_exceeded', 'too_many_streams'],
      detail: doc(
        'streamAgentRunChanges',
        'Stream which runs change',
        'Server-sent events that keep a list of runs current: `runs.changed` has `{agentRunIds, gap}`, the runs that were ' +
          'created or have changed since the event before, at most 200, gathered over a quarter of a second. Read those that ' +
          'you show with `GET /api/v1/agent-runs?ids=`. With `gap: true` more has changed, or you did not keep up: read the ' +
          'list again. Nothing is replayed: the first event has `gap: true`. When the credential may not list these ' +
          'runs any more, the last event is `end` with `{reason: "revoked"}`. A server tells of the changes that it makes.',
        {
          responses: {
            200: eventStreamOf(RunChangesEvent),
          },
        },
      ),
    },
  )
