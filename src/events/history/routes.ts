/** The routes of an Environment's history. Source: requirement 4.12; contract 7. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { type BaselineParts, Baselines } from './baseline.ts'
import { History } from './history.ts'
import type { EventRetention } from './retention.ts'
import { EventsPage, EventsQuery, Rebaseline } from './schema.ts'

interface EventRoutesParts extends BaselineParts {
  guarded: Guarded
  eventRetention: EventRetention
}

export function eventRoutes({ guarded, eventRetention: retention, ...parts }: EventRoutesParts) {
  const history = new History({ ...parts, retention })
  const baselines = new Baselines(parts)
  return new Elysia({
    name: 'events',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/events',
    tags: ['Events'],
  })
    .use(guarded)
    .get(
      '',
      ({ caller: { organizationId, scope }, params, query }) =>
        history.read({ ...params, organizationId }, query, scope.agentId),
      {
        permission: 'webhooks:events:read',
        params: EnvironmentPath,
        query: EventsQuery,
        response: { 200: EventsPage },
        errors: ['cursor_expired'],
        detail: doc(
          'listEvents',
          'Pull events',
          'Every event once, in order; without a cursor from the oldest available, or only the `last` ones. While `hasMore`, ' +
            '`nextCursor` returns the rest of this pull, up to the head at its start. Store `resumeCursor` after every ' +
            'answer and continue from it later. `cursor_expired` means that events expired before you read ' +
            'them: take a new baseline. A key that is bound to an Agent gets no events of other Agents.',
        ),
      },
    )
    .post(
      '/rebaseline',
      ({ caller: { organizationId }, params, record }) => baselines.take({ ...params, organizationId }, record),
      {
        permission: 'webhooks:rebaseline',
        resource: 'environmentHistory',
        params: EnvironmentPath,
        response: { 200: Rebaseline },
        errors: ['deletion_in_progress'],
        detail: doc(
          'rebaselineEvents',
          'Take a baseline',
          'The current state of the Environment, and a cursor for the events after it. Both are of ' +
            'the same moment: no event is missing, and none is in both.',
        ),
      },
    )
}
