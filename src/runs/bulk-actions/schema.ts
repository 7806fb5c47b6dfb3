/** The schemas of bulk actions. Source: contract 14, "Bulk". */
import { type Static, Type } from '@sinclair/typebox'
import { type BulkActionContext, bulkActionStates, bulkFailuresMax } from '../../../machines/run/bulk-action.ts'
import type { BulkActionRow } from '../../../storage/tables.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { RunListQuery } from '../records/list-queries.ts'
import { FailureShape } from '../schema.ts'

/** `/api/v1/bulk-actions/:bulkActionId` */
export const BulkActionPath = Type.Object({ bulkActionId: Id('blk') })
export type BulkActionPath = Static<typeof BulkActionPath>

export const bulkRunsMax = 100_000

export const BulkFilter = Type.Pick(
  RunListQuery,
  [
    'projectId',
    'environmentId',
    'agentId',
    'agentJobId',
    'createdBy',
    'threadKey',
    'forkedFrom',
    'states',
    'ids',
    'search',
    'since',
    'until',
  ],
  {
    $id: 'BulkActionFilter',
    additionalProperties: false,
    description:
      'Which runs: the filters of the list of runs, except those by the time of the end. Empty: all that the credential ' +
      'can access.',
    examples: [{ states: ['queued'] }],
  },
)
export type BulkFilter = Static<typeof BulkFilter>

const actions = ['cancel', 'continue', 'fork'] as const

export const NewBulkAction = Type.Object(
  {
    action: oneOf(actions, {
      description:
        '`cancel` requires an API key. `continue` requires `query`. `fork` starts a run with the input of each run, or with ' +
        '`query` instead.',
    }),
    filter: BulkFilter,
    query: Type.Optional(
      Type.String({ minLength: 1, description: 'What the runs are continued with, or the forks begin with.' }),
    ),
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: bulkRunsMax,
        description: 'The most runs to act on; of more that match, the oldest. Default 100,000.',
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Counts what matches and does nothing. Default false.' })),
  },
  {
    $id: 'NewBulkAction',
    additionalProperties: false,
    description: 'An action on all runs that match.',
    examples: [{ action: 'cancel', filter: { states: ['queued'] }, max: 1000 }],
  },
)
export type NewBulkAction = Static<typeof NewBulkAction>

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const BulkAction = Type.Object(
  {
    id: Id('blk'),
    action: oneOf(actions),
    state: oneOf(bulkActionStates, {
      description: 'The state of its statechart: `GET /api/v1/machines/bulk-action`.',
    }),
    filter: BulkFilter,
    query: nullable(Type.String()),
    max: Type.Integer({ minimum: 1 }),
    dryRun: Type.Boolean(),
    matched: count('The runs that it acts on, fixed when it began.'),
    done: count('Runs on which the action was performed.'),
    failed: count('Runs that refused the action, as they would refuse it individually.'),
    failures: Type.Array(
      Type.Object(
        { agentRunId: Id('run'), code: Type.String(), message: Type.String() },
        { $id: 'BulkActionFailure', description: 'A run that refused the action.' },
      ),
      { maxItems: bulkFailuresMax, description: `The first ${bulkFailuresMax} failures.` },
    ),
    error: nullable(FailureShape),
    createdBy: Type.Object({ type: oneOf(['user', 'apiKey']), id: Type.String() }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    endedAt: nullable(Timestamp()),
  },
  { $id: 'BulkAction', description: 'An action on many runs, in the background.' },
)
export type BulkAction = Static<typeof BulkAction>

export function presentBulkAction(row: BulkActionRow): BulkAction {
  const { matched, done, failed, failures, cause, endedAt } = JSON.parse(row.context) as BulkActionContext
  return {
    id: row.id,
    action: row.action,
    state: row.state as BulkAction['state'],
    filter: JSON.parse(row.filter) as BulkFilter,
    query: row.query,
    max: row.runs_max,
    dryRun: row.dry_run === 1,
    matched,
    done,
    failed,
    failures,
    error: cause,
    createdBy: { type: row.created_by_type, id: row.created_by_id },
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    endedAt: timestampOrNull(endedAt),
  }
}
