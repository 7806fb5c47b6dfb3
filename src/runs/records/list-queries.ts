/** The queries of the lists of runs and of their steps. Source: requirement 4.14; contract 5. */
import { Type } from '@sinclair/typebox'
import { runStates } from '../../../machines/run/states.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { agentFilter, Id, idFilter, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { ThreadKey } from '../admission/request-schema.ts'

const sorted = (order: 'asc' | 'desc') => ({
  sort: oneOf(['createdAt', 'updatedAt'], { default: 'createdAt', description: 'The sort key.' }),
  order: oneOf(['asc', 'desc'], { default: order, description: 'Which way.' }),
})

export const RunListQuery = Type.Object({
  ...pageQuery.properties,
  ...sorted('desc'),
  sort: oneOf(['createdAt', 'updatedAt', 'endedAt'], {
    default: 'createdAt',
    description: 'The sort key. `endedAt`: only runs that have ended.',
  }),
  projectId: idFilter('prj', 'Runs of this Project.'),
  environmentId: idFilter('env', 'Runs in this Environment.'),
  agentId: agentFilter('Runs of this agent.'),
  agentJobId: idFilter('job', 'Runs started by this job.'),
  createdBy: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Runs started by this principal, by id.' }),
  ),
  threadKey: Type.Optional(ThreadKey),
  forkedFrom: idFilter('run', 'Forks of this run.'),
  states: Type.Optional(
    Type.Array(oneOf(runStates), {
      minItems: 1,
      maxItems: 50,
      description: 'Runs in these states; comma-separated or repeated.',
    }),
  ),
  ids: Type.Optional(
    Type.Array(Id('run'), {
      minItems: 1,
      maxItems: 100,
      description: 'Those of these runs that pass the other filters, in one answer; comma-separated or repeated.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Runs whose first 200 characters have all these words, whatever their case. One request looks at 20,000 runs (of ' +
        'each state and place asked for): a page may be short, or empty, and `nextCursor` searches on. Requires the permission ' +
        '`agent-runs:steps:get`.',
    }),
  ),
  since: Type.Optional(Timestamp('Runs created at this time or later. In the order of creation.')),
  until: Type.Optional(Timestamp('Runs created before this time. In the order of creation.')),
  endedSince: Type.Optional(
    Timestamp(
      'Runs that ended at this time or later. With `sort=endedAt`, by place and by states in which a run ends.',
    ),
  ),
  endedUntil: Type.Optional(Timestamp('Runs that ended before this time. As `endedSince`.')),
  include: Type.Optional(
    Type.Array(oneOf(['summary']), {
      minItems: 1,
      maxItems: 10,
      description: '`summary` adds how each run begins, its model and its token usage.',
    }),
  ),
})

export const StepListQuery = Type.Object({
  ...pageQuery.properties,
  ...sorted('asc'),
  depth: Type.Integer({
    minimum: 0,
    maximum: 10,
    default: 0,
    description:
      '0: all steps, flat. 1: root steps. More: as many levels, nested in `childAgentSteps`; below the roots a page shows ' +
      'a mebibyte of input and output at most, and the steps beyond that are `abridged`.',
  }),
})
