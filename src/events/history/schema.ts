/** The schemas of an Environment's history. Source: requirement 4.12, 6; contract 7. */
import { type Static, Type } from '@sinclair/typebox'
import { beforeEnd, pageQuery } from '../../platform/http/pagination.ts'
import { Id, nullable, oneOf, Pagination, Timestamp } from '../../platform/http/schema.ts'
import type { By } from '../../runtime/kind.ts'
import { eventSubjects, recordedKinds } from '../kinds/kinds.ts'

const actorTypes = [
  'user',
  'apiKey',
  'system',
  'runner',
  'agentJob',
  'workflow',
] as const satisfies readonly By['type'][]

/** The same JSON in the history and in a webhook's body. */
export const Event = Type.Object(
  {
    id: Id('evt'),
    type: oneOf(recordedKinds, { $id: 'RecordedEventKind', description: 'The kind of event.' }),
    timestamp: Timestamp('When the change was made.'),
    sequence: Type.Integer({ minimum: 1, description: '1, 2, 3 … for each Environment, without gaps.' }),
    organizationId: Id('org'),
    projectId: Id('prj'),
    environmentId: Id('env'),
    subject: Type.Object(
      { type: oneOf(eventSubjects), id: Type.String({ description: 'Its id.' }) },
      { description: 'The subject of the event.' },
    ),
    actor: Type.Object(
      { type: oneOf(actorTypes), id: Type.String({ description: 'Its id.' }) },
      { description: 'Who caused the event.' },
    ),
    data: Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Ids, and the states before (`from`) and after (`to`): no secrets, and no inputs or outputs of Agents.',
        },
      ),
    ),
  },
  {
    $id: 'Event',
    description: 'Something that has happened in an Environment.',
    examples: [
      {
        id: 'evt_01h455vb4pex5vsknk084sn02q',
        type: 'run.completed',
        timestamp: '2026-01-31T12:00:00.000Z',
        sequence: 42,
        organizationId: 'org_01h455vb4pex5vsknk084sn02q',
        projectId: 'prj_01h455vb4pex5vsknk084sn02q',
        environmentId: 'env_01h455vb4pex5vsknk084sn02q',
        subject: { type: 'agentRun', id: 'run_01h455vb4pex5vsknk084sn02q' },
        actor: { type: 'system', id: 'troupe' },
        data: {
          agentRunId: 'run_01h455vb4pex5vsknk084sn02q',
          agentId: 'agt_01h455vb4pex5vsknk084sn02q',
          agentRevisionId: 'agr_01h455vb4pex5vsknk084sn02q',
          deploymentId: 'dep_01h455vb4pex5vsknk084sn02q',
          from: 'running',
          to: 'completed',
        },
      },
    ],
  },
)
export type Event = Static<typeof Event>

export const EventsQuery = Type.Object({
  ...pageQuery.properties,
  last: beforeEnd(
    'Begin this many events before the head, in place of the oldest available; 0: after the head. Not with `cursor`. ' +
      'All events of the Environment count, so that a key that is bound to an Agent gets at most that many.',
  ),
})

const resumeCursor = Type.String({
  description: 'The cursor for the next read at any later time. Store it after every answer.',
})

export const EventsPage = Type.Object(
  {
    events: Type.Array(Event),
    pagination: Type.Object(
      {
        ...Pagination.properties,
        nextCursor: Type.Optional(
          Type.String({ description: 'The rest of this pull; present if `hasMore`. Pass it as `cursor`.' }),
        ),
        resumeCursor,
      },
      { $id: 'HistoryPagination', description: 'The cursor to continue the history.' },
    ),
  },
  { $id: 'EventsPage' },
)

const state = Type.String({ description: 'The state of its statechart.' })

export const Baseline = Type.Object(
  {
    takenAt: Timestamp(),
    sequence: Type.Integer({ minimum: 0, description: 'The last event that it includes; 0 before the first.' }),
    environment: Type.Object({
      id: Id('env'),
      state,
      generation: Type.Integer({ minimum: 0, description: 'The generation of its Activations.' }),
      configurationHeadRevisionId: Id('cfr'),
      activeDeploymentId: nullable(Id('dep')),
    }),
    activeDeployment: nullable(
      Type.Object({ id: Id('dep'), state, releaseId: Id('rel'), configurationRevisionId: Id('cfr') }),
    ),
    agents: Type.Array(
      Type.Object({
        id: Id('agt'),
        state,
        agentRevisionId: nullable(Id('agr', 'The revision in the active Deployment; null if it has none.')),
      }),
      { description: 'The Agents of the Project, oldest first.' },
    ),
    nonTerminalRuns: Type.Array(
      Type.Object({
        id: Id('run'),
        state,
        agentId: Type.String({ description: 'The Agent of the run.' }),
        agentRevisionId: Id('agr'),
        deploymentId: nullable(Id('dep')),
      }),
      { description: 'Newest first.' },
    ),
    entities: Type.Array(
      Type.Object({
        id: Id('ent'),
        state,
        type: Type.String({ description: 'The name of its Definition.' }),
        version: Type.Integer({ minimum: 1, description: 'Increases by 1 with every change.' }),
      }),
      { description: 'Newest first.' },
    ),
    truncated: Type.Boolean({
      description: 'The lists would exceed 5 MiB and are truncated; the lists of the API have the rest.',
    }),
  },
  { $id: 'Baseline', description: 'The state of the Environment at one moment.' },
)
export type Baseline = typeof Baseline.static

export const Rebaseline = Type.Object(
  {
    checkpointId: Type.Integer({ minimum: 1, description: 'Identifies this baseline.' }),
    checkpointGeneration: Type.Integer({
      minimum: 1,
      description:
        'Increases if events were lost other than by expiry, such as by restoring a backup: earlier cursors become invalid.',
    }),
    baseline: Baseline,
    resumeCursor,
  },
  { $id: 'Rebaseline', description: 'A baseline, and a cursor for the events after it.' },
)
export type Rebaseline = typeof Rebaseline.static
