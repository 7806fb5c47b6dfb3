/** Figures about agent runs over HTTP. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type LiveRunState, liveRunStates } from '../../../machines/run-states.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, nullable, oneOf, saying, Timestamp } from '../../platform/http/schema.ts'
import type { RunStatistics } from './statistics.ts'
import { intervals } from './window.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }))

const StatisticsQuery = Type.Object({
  projectId: Filter('Runs of this Project.'),
  environmentId: Filter('Runs in this Environment.'),
  from: Type.Optional(Timestamp('The beginning; 24 hours before the end unless given, and at most 400 days.')),
  to: Type.Optional(Timestamp('The end; now unless given.')),
  interval: Type.Optional(
    oneOf(intervals, {
      description: 'How the time is divided: at most 400 of them. Hours up to 7 days, then days, unless given.',
    }),
  ),
})

const ends = {
  completed: Count('Ends as `completed`.'),
  failed: Count('Ends as `failed`.'),
  canceled: Count('Ends as `canceled`.'),
  expired: Count('Ends as `expired`.'),
}

const milliseconds = (description: string) => nullable(Type.Integer({ minimum: 0, description }))
const estimates =
  'Estimates: each is off by less than the width of its bucket, from a power of two of milliseconds to the next. ' +
  'null when nothing was measured.'
const Times = Type.Object(
  {
    count: Count('How many were measured.'),
    p50Ms: milliseconds('Half took no longer.'),
    p90Ms: milliseconds('Nine in ten took no longer.'),
    p99Ms: milliseconds('99 in a hundred took no longer.'),
  },
  { $id: 'RunTimes', description: estimates },
)

const AgentRunStatistics = Type.Object(
  {
    from: Timestamp('The beginning of the first interval.'),
    to: Timestamp('The end of the last interval.'),
    interval: oneOf(intervals, { description: 'How long each is; days are those of UTC.' }),
    buckets: Type.Array(
      Type.Object({ from: Timestamp('From then on.'), to: Timestamp('Until then.'), ...ends }, { $id: 'RunTally' }),
      { description: 'Every interval, in order.' },
    ),
    totals: Type.Object(ends, { description: 'Of all intervals.' }),
    queueTime: saying(Times, `From admission, or the latest continue, to the beginning of work. ${estimates}`),
    workTime: saying(Times, `From there to the end; waiting for results counts. ${estimates}`),
    current: Type.Object(
      {
        ...(Object.fromEntries(liveRunStates.map((state) => [state, Count(`Runs that are \`${state}\`.`)])) as Record<
          LiveRunState,
          ReturnType<typeof Count>
        >),
        oldestQueuedAt: {
          ...nullable(Timestamp()),
          description:
            'Since when the run that has waited longest in the queue could have been leased; null when none waits.',
        },
      },
      { description: 'At this moment.' },
    ),
  },
  { $id: 'AgentRunStatistics', description: 'How many runs have ended when and how, and how long they took.' },
)

export function statisticsRoutes({ guarded, statistics }: { guarded: Guarded; statistics: RunStatistics }) {
  return new Elysia({ name: 'agent-run-statistics', tags: ['Agent runs'] })
    .use(guarded)
    .get('/statistics', async ({ caller, query }) => ({ data: await statistics.of(caller, query) }), {
      permission: 'analytics:read',
      query: StatisticsQuery,
      response: { 200: dataOf(AgentRunStatistics) },
      detail: doc(
        'getAgentRunStatistics',
        'Get figures about runs',
        'Of the runs that the credential reaches. A run is counted when it ends, in that hour; one that is continued and ' +
          'ends again is counted again. What runs have left behind stays counted when they are removed, for 400 days. A ' +
          'key that is bound to an Agent is refused: runs are not counted by Agent.',
      ),
    })
}
