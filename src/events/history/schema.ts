/** An Environment's history as clients see it. Source: requirement 4.12, 6; contract 7. */
import { type Static, Type } from '@sinclair/typebox'
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
    type: oneOf(recordedKinds, { $id: 'RecordedEventKind', description: 'What has happened.' }),
    timestamp: Timestamp('When the change was made.'),
    sequence: Type.Integer({ minimum: 1, description: '1, 2, 3 … for each Environment, without gaps.' }),
    organizationId: Id('org'),
    projectId: Id('prj'),
    environmentId: Id('env'),
    subject: Type.Object(
      { type: oneOf(eventSubjects), id: Type.String({ description: 'Its id.' }) },
      { description: 'What the event is about.' },
    ),
    actor: Type.Object(
      { type: oneOf(actorTypes), id: Type.String({ description: 'Its id.' }) },
      { description: 'Who has brought it about.' },
    ),
    data: Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Ids, and the states before (`from`) and after (`to`): no secrets, nothing that Agents read or write.',
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

const resumeCursor = Type.String({
  description: 'Where the next read goes on, at any later time. Store it after every answer.',
})

export const EventsPage = Type.Object(
  {
    events: Type.Array(Event),
    pagination: Type.Object(
      {
        ...Pagination.properties,
        nextCursor: Type.Optional(
          Type.String({ description: 'The rest of this pull; present while `hasMore`. Pass it back as `cursor`.' }),
        ),
        resumeCursor,
      },
      { $id: 'HistoryPagination', description: 'How the history goes on.' },
    ),
  },
  { $id: 'EventsPage' },
)

const state = Type.String({ description: 'Where its statechart stands.' })

export const Baseline = Type.Object(
  {
    takenAt: Timestamp(),
    sequence: Type.Integer({ minimum: 0, description: 'The last event that it contains; 0 before the first.' }),
    environment: Type.Object({
      id: Id('env'),
      state,
      generation: Type.Integer({ minimum: 0, description: 'Of its Activations.' }),
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
        agentRevisionId: nullable(Id('agr', 'The revision in the active Deployment; null when it has none.')),
      }),
      { description: 'The Agents of the Project, oldest first.' },
    ),
    nonTerminalRuns: Type.Array(
      Type.Object({
        id: Id('run'),
        state,
        agentId: Type.String({ description: 'Whose run it is.' }),
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
        version: Type.Integer({ minimum: 1, description: 'Grows by 1 with every change.' }),
      }),
      { description: 'Newest first.' },
    ),
    truncated: Type.Boolean({
      description: 'The lists would be over 5 MiB and are cut short; the lists of the API have the rest.',
    }),
  },
  { $id: 'Baseline', description: 'What the Environment is made of, at one moment.' },
)
export type Baseline = typeof Baseline.static

export const Rebaseline = Type.Object(
  {
    checkpointId: Type.Integer({ minimum: 1, description: 'Names this baseline.' }),
    checkpointGeneration: Type.Integer({
      minimum: 1,
      description:
        'Grows when events were lost in another way than by their age, as by the return to a backup: cursors of before end.',
    }),
    baseline: Baseline,
    resumeCursor,
  },
  { $id: 'Rebaseline', description: 'A baseline, and where to read on behind it.' },
)
export type Rebaseline = typeof Rebaseline.static
