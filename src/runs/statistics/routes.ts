/** Routes of run statistics. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type LiveRunState, liveRunStates } from '../../../machines/run/states.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, idFilter, nullable, oneOf, saying, Timestamp } from '../../platform/http/schema.ts'
import { Cost } from '../../platform/models/prices/schema.ts'
import type { RunStatistics } from './statistics.ts'
import { intervals } from './window.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const StatisticsQuery = Type.Object({
  projectId: idFilter('prj', 'Runs of this Project.'),
  environmentId: idFilter('env', 'Runs in this Environment.'),
  by: Type.Optional(
    oneOf(['agent', 'model', 'apiKey', 'project'], {
      description: 'Adds `items`: what each Agent, model, API key or Project has cost.',
    }),
  ),
  from: Type.Optional(
    Timestamp('The start of the window, at most 400 days before its end. Default: 24 hours before the end.'),
  ),
  to: Type.Optional(Timestamp('The end of the window. Default: now.')),
  interval: Type.Optional(
    oneOf(intervals, {
      description: 'The interval length; at most 400 intervals. Default: hours up to 7 days, then days.',
    }),
  ),
})

const ends = {
  completed: Count('Runs that ended as `completed`.'),
  failed: Count('Runs that ended as `failed`.'),
  canceled: Count('Runs that ended as `canceled`.'),
  expired: Count('Runs that ended as `expired`.'),
}

const milliseconds = (description: string) => nullable(Type.Integer({ minimum: 0, description }))
const estimates =
  'Estimates: each is off by less than the width of its bucket, between two powers of two milliseconds. ' +
  'null without measurements.'
const Times = Type.Object(
  {
    count: Count('The number of measurements.'),
    p50Ms: milliseconds('The median.'),
    p90Ms: milliseconds('The 90th percentile.'),
    p99Ms: milliseconds('99 in a hundred took no longer.'),
  },
  { $id: 'RunTimes', description: estimates },
)

const owner = (description: string) => Type.Optional(nullable(Type.String({ description })))

const costs = {
  cost: {
    ...nullable(Cost),
    description:
      'The cost of model steps that ended in this interval; null without any, if one had no price, or if currencies differ.',
  },
  costs: Type.Array(Cost, { description: 'The same by currency, whatever steps had no price.' }),
  modelSteps: Count('Model steps that ended while the server had prices.'),
  unpricedSteps: Count('Those without a price.'),
  inputTokens: Count('Their input tokens.'),
  outputTokens: Count('Their output tokens.'),
}

const CostShare = Type.Object(
  {
    agentId: owner('With `by=agent`.'),
    provider: owner('With `by=model`.'),
    model: owner('With `by=model`.'),
    apiKeyId: owner('With `by=apiKey`: the key that started the run; null for runs that no key has started.'),
    projectId: owner('With `by=project`; null for runs outside of Projects.'),
    name: owner('With `by=agent` and `by=project`; null for one that was deleted, and for System Agents.'),
    ...costs,
  },
  { $id: 'CostShare', description: 'The cost of one Agent, model, API key or Project.' },
)

const AgentRunStatistics = Type.Object(
  {
    from: Timestamp('The start of the first interval.'),
    to: Timestamp('The end of the last interval.'),
    interval: oneOf(intervals, { description: 'The interval length; days are in UTC.' }),
    buckets: Type.Array(
      Type.Object(
        {
          from: Timestamp('Inclusive.'),
          to: Timestamp('Exclusive.'),
          ...ends,
          cost: Type.Optional(costs.cost),
          costs: Type.Optional(costs.costs),
        },
        { $id: 'RunTally' },
      ),
      { description: 'All intervals, in order.' },
    ),
    ...costs,
    items: Type.Optional(Type.Array(CostShare, { description: 'With `by`: the most expensive first; at most 1,000.' })),
    totals: Type.Object(ends, { description: 'The sums of all intervals.' }),
    queueTime: saying(
      Times,
      `The time from admission, or from the time of a later start or the latest continue, to the start of work. ${estimates}`,
    ),
    workTime: saying(Times, `The time from the start of work to the end, including waits for results. ${estimates}`),
    current: Type.Object(
      {
        ...(Object.fromEntries(liveRunStates.map((state) => [state, Count(`Runs that are \`${state}\`.`)])) as Record<
          LiveRunState,
          ReturnType<typeof Count>
        >),
        oldestQueuedAt: {
          ...nullable(Timestamp()),
          description: 'When the longest-waiting queued run became available; null if none is queued.',
        },
      },
      { description: 'Active runs now.' },
    ),
  },
  { $id: 'AgentRunStatistics', description: 'Counts of ended runs by time and state, with their durations.' },
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
        'Get run statistics',
        'Statistics of the runs that the credential can access. A run counts in the hour of its end, and again if it is ' +
          'continued and ends again; a model step costs in the hour of its end. Counts are kept for 400 days, also of removed runs. An API key that is bound to an ' +
          'Agent is rejected, because runs are not counted by Agent.',
      ),
    })
}
