/** The history of an Environment over HTTP. Source: requirement 4.12; contract 7. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { type BaselineParts, Baselines } from './baseline.ts'
import { History } from './history.ts'
import type { EventRetention } from './retention.ts'
import { EventsPage, Rebaseline } from './schema.ts'

export interface EventRoutesParts extends BaselineParts {
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
    .get('', ({ caller: { organizationId }, params, query }) => history.read({ ...params, organizationId }, query), {
      permission: 'webhooks:events:read',
      params: EnvironmentPath,
      query: pageQuery,
      response: { 200: EventsPage },
      errors: ['cursor_expired'],
      detail: doc(
        'listEvents',
        'Pull events',
        'In order, every event once; without a cursor from the oldest that is kept. While `hasMore`, `nextCursor` gives the ' +
          'rest of this pull, which ends where the history ended when it began. Store `resumeCursor` after every answer, ' +
          'and go on from it later. `cursor_expired` means that events have passed out of the retention before you read ' +
          'them: take a new baseline.',
      ),
    })
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
          'What the Environment is made of now, and the cursor of everything that happens from now on. All of it is of ' +
            'one moment: no event is missing between the two, and none is in both.',
        ),
      },
    )
}
